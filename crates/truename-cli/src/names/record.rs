//! Rows of delimited text, with their original bytes.

use std::io::BufRead;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::record_error::RecordError;

/// One row, with its line end apart.
#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    pub content: Vec<u8>,
    pub line_end: Vec<u8>,
    /// Line on which the row begins, from 1.
    pub line: u64,
}

/// Delimiter of a table, and whether cells may be quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    pub delimiter: u8,
    /// True if cells may be quoted; quoted cells may contain delimiters and line ends.
    pub quoted: bool,
}

impl Dialect {
    pub const TSV: Self = Self { delimiter: b'\t', quoted: false };

    pub fn quoted(delimiter: u8) -> Self {
        Self { delimiter, quoted: true }
    }
}

/// Splits text into rows at `\n`, `\r\n` and `\r` outside quoted cells.
pub struct Records<R> {
    reader: R,
    /// Delimiter, if cells may be quoted.
    quoted: Option<u8>,
    longest: usize,
    line: u64,
}

/// Position within a row of quoted cells.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    CellStart,
    Plain,
    Quoted,
    /// After a quote that ends the cell or is the first of two.
    QuoteInQuoted,
}

impl Place {
    /// Returns the position after a byte. A quote opens a cell only at its start; elsewhere it is an ordinary
    /// character.
    fn after(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::QuoteInQuoted,
            (Self::Quoted, _) | (Self::CellStart | Self::QuoteInQuoted, b'"') => Self::Quoted,
            (_, b'\n' | b'\r') => Self::CellStart,
            (_, byte) if byte == delimiter => Self::CellStart,
            _ => Self::Plain,
        }
    }
}

impl<R: BufRead> Records<R> {
    /// Creates a reader of rows. Without a `dialect` each line is a row; a row longer than `longest` bytes is an error.
    pub fn new(reader: R, dialect: Option<Dialect>, longest: usize) -> Self {
        let quoted = dialect.filter(|dialect| dialect.quoted).map(|dialect| dialect.delimiter);
        Self { reader, quoted, longest, line: 1 }
    }

    /// Reads the next row.
    ///
    /// # Errors
    /// If a quoted cell is never closed, the row is too long, or the reader fails.
    pub fn next(&mut self) -> Result<Option<Record>, RecordError> {
        let (first, mut content) = (self.line, Vec::new());
        let (mut place, mut last) = (Place::CellStart, b' ');
        loop {
            let buffer = self.reader.fill_buf().map_err(RecordError::Io)?;
            if buffer.is_empty() {
                return match place {
                    Place::Quoted => Err(RecordError::Unclosed { line: first }),
                    _ if content.is_empty() => Ok(None),
                    _ => Ok(Some(Record { content, line_end: Vec::new(), line: first })),
                };
            }
            let mut end = None;
            for (at, &byte) in buffer.iter().enumerate() {
                let is_line_end = matches!(byte, b'\n' | b'\r');
                if is_line_end && place != Place::Quoted {
                    end = Some(at);
                    break;
                }
                self.line += u64::from(is_line_end && !(last == b'\r' && byte == b'\n'));
                last = byte;
                if let Some(delimiter) = self.quoted {
                    place = place.after(byte, delimiter);
                }
            }
            let taken = end.unwrap_or(buffer.len());
            if content.len() + taken > self.longest {
                let in_quotes = place == Place::Quoted;
                return Err(RecordError::TooLong { line: first, longest: self.longest, in_quotes });
            }
            content.extend(&buffer[..taken]);
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(Some(Record { content, line_end: self.line_end()?, line: first }));
            }
        }
    }

    /// Reads the line end at the current position.
    fn line_end(&mut self) -> Result<Vec<u8>, RecordError> {
        let mut line_end = Vec::with_capacity(2);
        for expected in [b"\r", b"\n"] {
            if self.reader.fill_buf().map_err(RecordError::Io)?.starts_with(expected) {
                line_end.extend(expected);
                self.reader.consume(1);
            }
        }
        self.line += 1;
        Ok(line_end)
    }
}

/// Splits rows into cells.
pub struct Cells {
    reader: Reader,
    values: Vec<u8>,
    ends: Vec<usize>,
}

impl Cells {
    pub fn new(dialect: Dialect) -> Self {
        let reader = ReaderBuilder::new().delimiter(dialect.delimiter).quoting(dialect.quoted).build();
        Self { reader, values: Vec::new(), ends: Vec::new() }
    }

    /// Returns the unquoted values of a row's cells.
    pub fn of(&mut self, row: &[u8]) -> Vec<&[u8]> {
        self.reader.reset();
        // A value is no longer than its cell, and a row has at most one cell more than bytes.
        self.values.resize(row.len() + 1, 0);
        self.ends.resize(row.len() + 2, 0);
        let (mut input, mut written, mut count) = (row, 0, 0);
        loop {
            let (result, read, wrote, ended) =
                self.reader.read_record(input, &mut self.values[written..], &mut self.ends[count..]);
            (input, written, count) = (&input[read..], written + wrote, count + ended);
            if matches!(result, ReadRecordResult::Record | ReadRecordResult::End) {
                break;
            }
        }
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends[..count]).map(|(start, end)| &self.values[start..*end]).collect()
    }
}

/// Writes a value as a cell. Without quoting, tabs and line ends become spaces.
pub fn written(value: &str, dialect: Dialect) -> String {
    let delimiter = char::from(dialect.delimiter);
    if !dialect.quoted {
        return value.replace([delimiter, '\n', '\r'], " ");
    }
    let special = [delimiter, '"', '\n', '\r'];
    if value.contains(special) { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_owned() }
}

/// Writes values as a row without its line end; `is_safe` writes formulas as text.
pub fn row<T: AsRef<str>>(values: impl IntoIterator<Item = T>, dialect: Dialect, is_safe: bool) -> String {
    let mut row = String::new();
    for (number, value) in values.into_iter().enumerate() {
        if number > 0 {
            row.push(char::from(dialect.delimiter));
        }
        row += &written(value.as_ref(), dialect);
    }
    if is_safe { String::from_utf8_lossy(&without_formulas(row.as_bytes(), dialect)).into_owned() } else { row }
}

/// Returns a row in which no cell is a formula to a spreadsheet: one that begins with `=`, `@`, a tab or a line end, or with `+` or `-`
/// and is no number, gets an apostrophe before it (OWASP, CSV injection).
pub fn without_formulas(row: &[u8], dialect: Dialect) -> Vec<u8> {
    let mut safe = Vec::with_capacity(row.len() + 8);
    let (mut place, mut start) = (Place::CellStart, 0);
    for (at, byte) in row.iter().enumerate() {
        if *byte == dialect.delimiter && place != Place::Quoted {
            put_without_formula(&row[start..at], dialect, &mut safe);
            safe.push(*byte);
            start = at + 1;
        }
        if dialect.quoted {
            place = place.after(*byte, dialect.delimiter);
        }
    }
    put_without_formula(&row[start..], dialect, &mut safe);
    safe
}

fn put_without_formula(cell: &[u8], dialect: Dialect, safe: &mut Vec<u8>) {
    let is_quoted = dialect.quoted && cell.starts_with(b"\"");
    let (quote, value) = cell.split_at(usize::from(is_quoted));
    safe.extend(quote);
    if is_formula(value) {
        safe.push(b'\'');
    }
    safe.extend(value);
}

fn is_formula(value: &[u8]) -> bool {
    // A spreadsheet takes the quotes of a TSV for its own.
    let value = value.trim_ascii_end();
    let inner = value.iter().position(|byte| *byte != b'"').map_or(&[][..], |first| &value[first..]);
    match inner {
        [b'=' | b'@' | b'\t' | b'\r' | b'\n', ..] => true,
        [b'+' | b'-', rest @ ..] => {
            !rest.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'"' | b'%'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: Dialect = Dialect { delimiter: b',', quoted: true };

    fn rows(text: &str, dialect: Option<Dialect>) -> Vec<(String, String, u64)> {
        // A buffer of two bytes tests each line end and quote at the end of a buffer.
        let reader = std::io::BufReader::with_capacity(2, text.as_bytes());
        let mut records = Records::new(reader, dialect, 100);
        let mut found = Vec::new();
        while let Some(record) = records.next().unwrap() {
            let text = |bytes| String::from_utf8(bytes).unwrap();
            found.push((text(record.content), text(record.line_end), record.line));
        }
        found
    }

    #[test]
    fn rows_keep_their_bytes_and_line_ends() {
        let row = |content: &str, end: &str, line| (content.to_owned(), end.to_owned(), line);
        assert_eq!(rows("a\r\nb\nc", Some(CSV)), [row("a", "\r\n", 1), row("b", "\n", 2), row("c", "", 3)]);
        assert_eq!(rows("\"a\nb\",c\nd\n", Some(CSV)), [row("\"a\nb\",c", "\n", 1), row("d", "\n", 3)]);
        assert_eq!(rows("5\" x\ny\n", None), [row("5\" x", "\n", 1), row("y", "\n", 2)]);
        assert_eq!(rows("\n\n", Some(CSV)), [row("", "\n", 1), row("", "\n", 2)]);
        assert_eq!(rows("a\rb\r\rc", None), [row("a", "\r", 1), row("b", "\r", 2), row("", "\r", 3), row("c", "", 4)]);
        assert_eq!(rows("\"a\r\nb\rc\",\r\nd", Some(CSV)), [row("\"a\r\nb\rc\",", "\r\n", 1), row("d", "", 4)]);
    }

    #[test]
    fn rows_without_an_end_are_refused() {
        let error = |text: &str, longest| {
            let mut records = Records::new(text.as_bytes(), Some(CSV), longest);
            std::iter::from_fn(|| records.next().transpose()).find_map(Result::err).map(|error| error.to_string())
        };
        assert_eq!(error("x\n\"a\nb", 100).unwrap(), "line 2: a quote that is never closed");
        assert_eq!(error("x\n12345\n", 4).unwrap(), "line 2: a row of more than 4 bytes");
        assert_eq!(error("x\n\"2\n45\"\n", 4).unwrap(), "line 2: a row of more than 4 bytes");
        assert_eq!(error("x\n12345\n", 5), None);
    }

    #[test]
    fn a_quote_within_a_cell_opens_nothing() {
        let text = "5\" disk,1\n\"a\nb\",2\nx 6\",3\n";
        let found: Vec<String> = rows(text, Some(CSV)).into_iter().map(|(content, ..)| content).collect();
        assert_eq!(found, ["5\" disk,1", "\"a\nb\",2", "x 6\",3"]);
    }

    proptest::proptest! {
        /// Checks that the joined rows equal the text and that the `csv` crate finds the same cells.
        #[test]
        fn rows_and_cells_are_those_of_the_csv_crate(text in "[ab\",\n\r]{0,40}") {
            let mut records = Records::new(text.as_bytes(), Some(CSV), usize::MAX);
            let (mut joined, mut ours, mut cells) = (Vec::new(), Vec::new(), Cells::new(CSV));
            while let Ok(Some(record)) = records.next() {
                if !record.content.is_empty() {
                    ours.push(cells.of(&record.content).into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>());
                }
                joined.extend([record.content, record.line_end].concat());
            }
            if joined == text.as_bytes() {
                let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
                let theirs: Vec<Vec<Vec<u8>>> =
                    reader.byte_records().map(|row| row.unwrap().iter().map(<[u8]>::to_vec).collect()).collect();
                proptest::prop_assert_eq!(ours, theirs);
            } else {
                // An unclosed quote: nothing of its row is returned.
                proptest::prop_assert!(text.as_bytes().starts_with(&joined));
            }
        }
    }

    #[test]
    fn cells_lose_their_quotes_alone() {
        let mut cells = Cells::new(CSV);
        assert_eq!(cells.of(b"a,\"b \"\"c\"\", d\",\"e\nf\","), [&b"a"[..], b"b \"c\", d", b"e\nf", b""]);
        assert_eq!(cells.of(b"x"), [b"x"]);
        assert_eq!(Cells::new(Dialect::TSV).of(b"\"a\tb"), [b"\"a", b"b".as_slice()]);
    }

    #[test]
    fn cells_that_a_spreadsheet_would_run_get_an_apostrophe() {
        let safe = |row: &str, dialect| String::from_utf8(without_formulas(row.as_bytes(), dialect)).unwrap();
        for (row, expected) in [
            ("=1+1,a=b,@x", "'=1+1,a=b,'@x"),
            ("\"=HYPERLINK(\"\"x\"\",1)\",\"a,=b\",\"\n=1\"", "\"'=HYPERLINK(\"\"x\"\",1)\",\"a,=b\",\"'\n=1\""),
            ("-3.5,+1,\"-1,000.5\",-12 %,-,+49 30 1", "-3.5,+1,\"-1,000.5\",'-12 %,-,'+49 30 1"),
            ("-2+3+cmd|' /C calc'!A0,\t=1,'=1,,", "'-2+3+cmd|' /C calc'!A0,'\t=1,'=1,,"),
            ("", ""),
        ] {
            assert_eq!(safe(row, CSV), expected);
            assert_eq!(safe(expected, CSV), expected, "done twice, nothing changes");
        }
        assert_eq!(safe("\"=1\"\t\"a\t=2,x", Dialect::TSV), "'\"=1\"\t\"a\t'=2,x");
    }

    #[test]
    fn only_cells_that_need_it_are_quoted() {
        assert_eq!(written("a b", CSV), "a b");
        assert_eq!(written("a, \"b\"", CSV), "\"a, \"\"b\"\"\"");
        assert_eq!(written("a,\t\"b\"", Dialect::TSV), "a, \"b\"");
    }
}
