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
    quoted: bool,
    line: u64,
}

impl<R: BufRead> Records<R> {
    pub fn new(reader: R, quoted: bool) -> Self {
        Self { reader, quoted, line: 1 }
    }

    /// The next row; an error where a quoted cell is never closed.
    pub fn next(&mut self) -> anyhow::Result<Option<Record>> {
        let (first, mut bytes) = (self.line, Vec::new());
        loop {
            let read = self.reader.read_until(b'\n', &mut bytes)?;
            self.line += u64::from(bytes.ends_with(b"\n") && read > 0);
            let open = self.quoted && bytes.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
            match (read, open) {
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

/// A cell as the table writes it.
pub fn quoted(value: &str, delimiter: u8) -> String {
    let special = [char::from(delimiter), '"', '\n', '\r'];
    if value.contains(special) { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, quoted: bool) -> Vec<(String, String, u64)> {
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
        assert_eq!(rows("a\r\nb\nc", true), [row("a", "\r\n", 1), row("b", "\n", 2), row("c", "", 3)]);
        assert_eq!(rows("\"a\nb\",c\nd\n", true), [row("\"a\nb\",c", "\n", 1), row("d", "\n", 3)]);
        assert_eq!(rows("5\" x\ny\n", false), [row("5\" x", "\n", 1), row("y", "\n", 2)]);
        assert_eq!(rows("\n\n", true), [row("", "\n", 1), row("", "\n", 2)]);
        assert!(Records::new(&b"\"a\nb"[..], true).next().is_err());
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
        assert_eq!(quoted("a b", b','), "a b");
        assert_eq!(quoted("a, \"b\"", b','), "\"a, \"\"b\"\"\"");
        assert_eq!(quoted("a, b", b'\t'), "a, b");
    }
}
