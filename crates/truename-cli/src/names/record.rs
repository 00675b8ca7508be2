//! Rows of delimited text with their bytes as they were written.

use std::io::BufRead;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// One row: its bytes, its line end apart.
#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    pub content: Vec<u8>,
    pub line_end: Vec<u8>,
    /// The line, from 1, on which it begins.
    pub line: u64,
}

/// Cuts text into rows; quoted cells may hold line ends where `quoted` says so.
pub struct Records<R> {
    reader: R,
    /// The delimiter, where cells may be quoted.
    quoted: Option<u8>,
    line: u64,
}

/// Where in a row of quoted cells a byte stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    CellStart,
    Plain,
    Quoted,
    /// Behind a quote that ends the cell, or is the first of two.
    QuoteInQuoted,
}

impl Place {
    /// A quote opens at the start of a cell alone; elsewhere it is a letter like any other.
    fn after(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::QuoteInQuoted,
            (Self::Quoted, _) | (Self::CellStart | Self::QuoteInQuoted, b'"') => Self::Quoted,
            (_, b'\n') => Self::CellStart,
            (_, byte) if byte == delimiter => Self::CellStart,
            _ => Self::Plain,
        }
    }
}

impl<R: BufRead> Records<R> {
    /// `quoted` is the delimiter where cells may be quoted.
    pub fn new(reader: R, quoted: Option<u8>) -> Self {
        Self { reader, quoted, line: 1 }
    }

    /// The next row; an error where a quoted cell is never closed.
    pub fn next(&mut self) -> anyhow::Result<Option<Record>> {
        let (first, mut bytes, mut place) = (self.line, Vec::new(), Place::CellStart);
        loop {
            let read = self.reader.read_until(b'\n', &mut bytes)?;
            self.line += u64::from(bytes.ends_with(b"\n") && read > 0);
            if let Some(delimiter) = self.quoted {
                let new = &bytes[bytes.len() - read..];
                place = new.iter().fold(place, |place, byte| place.after(*byte, delimiter));
            }
            match (read, place == Place::Quoted) {
                (0, true) => anyhow::bail!("line {first}: a quote that is never closed"),
                (0, false) if bytes.is_empty() => return Ok(None),
                (_, false) => break,
                (_, true) => {}
            }
        }
        let end = if bytes.ends_with(b"\r\n") { 2 } else { usize::from(bytes.ends_with(b"\n")) };
        let line_end = bytes.split_off(bytes.len() - end);
        Ok(Some(Record { content: bytes, line_end, line: first }))
    }
}

/// Cuts rows into cells.
pub struct Cells {
    reader: Reader,
    values: Vec<u8>,
    ends: Vec<usize>,
}

impl Cells {
    pub fn new(delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).quoting(delimiter == b',').build();
        Self { reader, values: Vec::new(), ends: Vec::new() }
    }

    /// The values of a row's cells, quotes taken away.
    pub fn of(&mut self, row: &[u8]) -> Vec<&[u8]> {
        self.reader.reset();
        // A value is no longer than its cell, and a row has at most a cell more than bytes.
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

/// A cell as the table writes it. Tab-separated tables have no quoting, so tabs and line ends become spaces.
pub fn written(value: &str, delimiter: u8) -> String {
    if delimiter == b'\t' {
        return value.replace(['\t', '\n', '\r'], " ");
    }
    let special = [char::from(delimiter), '"', '\n', '\r'];
    if value.contains(special) { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, quoted: Option<u8>) -> Vec<(String, String, u64)> {
        let mut records = Records::new(text.as_bytes(), quoted);
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
        assert_eq!(rows("a\r\nb\nc", Some(b',')), [row("a", "\r\n", 1), row("b", "\n", 2), row("c", "", 3)]);
        assert_eq!(rows("\"a\nb\",c\nd\n", Some(b',')), [row("\"a\nb\",c", "\n", 1), row("d", "\n", 3)]);
        assert_eq!(rows("5\" x\ny\n", None), [row("5\" x", "\n", 1), row("y", "\n", 2)]);
        assert_eq!(rows("\n\n", Some(b',')), [row("", "\n", 1), row("", "\n", 2)]);
        assert!(Records::new(&b"\"a\nb"[..], Some(b',')).next().is_err());
    }

    #[test]
    fn a_quote_within_a_cell_opens_nothing() {
        let text = "5\" disk,1\n\"a\nb\",2\nx 6\",3\n";
        let found: Vec<String> = rows(text, Some(b',')).into_iter().map(|(content, ..)| content).collect();
        assert_eq!(found, ["5\" disk,1", "\"a\nb\",2", "x 6\",3"]);
    }

    proptest::proptest! {
        /// The rows joined are the text, and where the `csv` crate sees rows it sees the same cells.
        #[test]
        fn rows_and_cells_are_those_of_the_csv_crate(text in "[ab\",\n]{0,40}") {
            let mut records = Records::new(text.as_bytes(), Some(b','));
            let (mut joined, mut ours, mut cells) = (Vec::new(), Vec::new(), Cells::new(b','));
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
                // A quote that is never closed: nothing of the row is given.
                proptest::prop_assert!(text.as_bytes().starts_with(&joined));
            }
        }
    }

    #[test]
    fn cells_lose_their_quotes_alone() {
        let mut cells = Cells::new(b',');
        assert_eq!(cells.of(b"a,\"b \"\"c\"\", d\",\"e\nf\","), [&b"a"[..], b"b \"c\", d", b"e\nf", b""]);
        assert_eq!(cells.of(b"x"), [b"x"]);
        assert_eq!(Cells::new(b'\t').of(b"\"a\tb"), [b"\"a", b"b".as_slice()]);
    }

    #[test]
    fn only_cells_that_need_it_are_quoted() {
        assert_eq!(written("a b", b','), "a b");
        assert_eq!(written("a, \"b\"", b','), "\"a, \"\"b\"\"\"");
        assert_eq!(written("a,\t\"b\"", b'\t'), "a, \"b\"");
    }
}
