//! Rows of delimited text, with the bytes that they have in the file.
//!
//! The splitter is our own, since rows pass through byte for byte, and since a stray quote must swallow no row: `csv-core`
//! keeps neither the bytes nor the place of a quote.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memchr::{memchr, memchr_iter, memchr2};
use truename_error::ErrorKind;

use crate::error::{self, Error, too_long};
use crate::lines::LineFault;
use crate::reader::Reader;

const CHUNK: usize = 1 << 16;

/// The way in which cells of a table are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The byte between two cells.
    pub delimiter: u8,
    /// The quotes of cells.
    pub quoting: Quoting,
}

/// The way in which quotes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// A quote is a character as any other.
    None,
    /// A quote within a quoted cell is written twice (RFC 4180).
    Doubled,
    /// A quote is written behind a backslash, as databases do, and so is a delimiter or a backslash.
    Escaped,
}

impl Dialect {
    /// Separated by tabs. A cell in quotes loses them, and may have line ends, but no tab.
    pub const TSV: Self = Self::of(b'\t');

    /// Returns the dialect of RFC 4180 with a delimiter.
    pub const fn of(delimiter: u8) -> Self {
        Self { delimiter, quoting: Quoting::Doubled }
    }

    /// Returns a value as a cell. In a table with tabs, tabs and line ends become spaces.
    pub fn cell(self, value: &str) -> String {
        let mut cell = String::with_capacity(value.len());
        self.push(&mut cell, value);
        cell
    }

    fn push(self, row: &mut String, value: &str) {
        let (delimiter, is_escaped) = (char::from(self.delimiter), self.quoting == Quoting::Escaped);
        let (quote, escape) = if is_escaped { ("\\\"", "\\\\") } else { ("\"\"", "\\") };
        let is_special = |character: char| {
            character == delimiter || matches!(character, '"' | '\n' | '\r') || (is_escaped && character == '\\')
        };
        if self.delimiter == b'\t' || self.quoting == Quoting::None {
            let spaced =
                |character| if character == delimiter || matches!(character, '\n' | '\r') { ' ' } else { character };
            row.extend(value.chars().map(spaced));
        } else if value.contains(is_special) {
            row.push('"');
            for character in value.chars() {
                match character {
                    '"' => row.push_str(quote),
                    '\\' => row.push_str(escape),
                    other => row.push(other),
                }
            }
            row.push('"');
        } else {
            row.push_str(value);
        }
    }

    /// Returns values as a row without its line end; `is_safe` writes formulas as text ([`Record::without_formulas`]).
    pub fn row<T: AsRef<str>>(self, values: impl IntoIterator<Item = T>, is_safe: bool) -> String {
        let mut row = String::new();
        for (number, value) in values.into_iter().enumerate() {
            let value = value.as_ref();
            if number > 0 {
                row.push(char::from(self.delimiter));
            }
            match is_safe && is_formula(value.as_bytes()) {
                true => self.push(&mut row, &format!("'{value}")),
                false => self.push(&mut row, value),
            }
        }
        row
    }
}

/// Returns true if a spreadsheet runs a cell as a formula: it begins with `=`, `@`, a tab or a line end, or with `+` or `-` and is no
/// number (OWASP, CSV injection).
fn is_formula(value: &[u8]) -> bool {
    // A spreadsheet takes quotes that are left for its own.
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

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The row without its line end, and behind it the values of cells that are written otherwise.
    bytes: Vec<u8>,
    length: usize,
    cells: Vec<Range<usize>>,
    /// Line end of the row; the last row may have none.
    pub line_end: &'static [u8],
    /// Line on which the row begins, from 1.
    pub line: u64,
    /// True if a quote before a cell is never closed, and so was taken for a character of the cell.
    pub has_open_quote: bool,
    /// True if a quoted cell reaches over lines that each look like a row.
    pub(crate) joins_rows: bool,
    /// True if a quoted cell has a quote that is not written as an escape.
    pub(crate) has_stray_quote: bool,
}

impl Record {
    /// Creates a row of one cell.
    pub fn of_bytes(bytes: Vec<u8>, line_end: &'static [u8], line: u64) -> Self {
        let length = bytes.len();
        #[allow(clippy::single_range_in_vec_init)]
        Self { bytes, length, cells: vec![0..length], line_end, line, ..Self::default() }
    }

    /// The row as the file has it, without its line end.
    pub fn content(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Returns the row as the file has it, without its line end.
    pub fn into_content(mut self) -> Vec<u8> {
        self.bytes.truncate(self.length);
        self.bytes
    }

    /// The values of the cells. An empty row has one empty cell.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.cells.iter().map(|range| &self.bytes[range.clone()])
    }

    /// The value of a cell, if the row has it.
    pub fn cell(&self, at: usize) -> Option<&[u8]> {
        self.cells.get(at).map(|range| &self.bytes[range.clone()])
    }

    /// Returns a fault of the row, which a reader reports: of its quotes, or a NUL byte, which is no character of a text.
    pub fn fault(&self) -> Option<&'static str> {
        self.quote_fault().or_else(|| self.content().contains(&0).then_some("a NUL byte, read as a blank"))
    }

    /// Returns a fault of the row's quotes, which a reader reports: rows may have been joined or cells not.
    pub fn quote_fault(&self) -> Option<&'static str> {
        const JOINED: &str = "a quoted cell over lines that each look like a row; a quote that belongs to a cell is written twice, as \"\"";
        match self {
            Self { has_open_quote: true, .. } => Some("a quote that is never closed, so taken for a character"),
            Self { joins_rows: true, .. } => Some(JOINED),
            _ => None,
        }
    }

    /// Returns true if a cell is empty and has no quotes, as a null of Parquet is read.
    pub fn is_null(&self, at: usize) -> bool {
        self.cells.get(at).is_none_or(|range| range.is_empty() && self.bytes[..range.start].last() != Some(&b'"'))
    }

    /// Number of cells.
    pub fn width(&self) -> usize {
        self.cells.len()
    }

    /// Returns the row without its line end, with an apostrophe before each cell that a spreadsheet would run as a formula, within its
    /// quotes if it has some; `None` if there is no such cell.
    pub fn without_formulas(&self, dialect: Dialect) -> Option<Vec<u8>> {
        let content = self.content();
        let (mut safe, mut at) = (Vec::new(), 0);
        for Cell { range, .. } in Splitter::of_line(Some(dialect), content).cells {
            let cell = &content[range.clone()];
            if is_formula(cell) {
                // Behind quotes that are characters of the cell: they still hold its lines together.
                let start = range.start + cell.iter().take_while(|byte| **byte == b'"').count();
                safe.extend(&content[at..start]);
                safe.push(b'\'');
                at = start;
            }
        }
        (!safe.is_empty()).then(|| [&safe, &content[at..]].concat())
    }

    /// Returns true if the row has blanks at most.
    pub fn is_blank(&self) -> bool {
        self.content().trim_ascii().is_empty()
    }
}

/// The rows of a text, which end with `\n`, `\r\n` or `\r` outside quoted cells.
///
/// A quote opens a cell at its beginning, and closes it before a delimiter or line end, blanks between or not; behind blanks it
/// opens one that is closed on its line. Any other quote is a character of its cell. Where a quoted cell would reach over what looks like
/// another quoted cell, its quote is a character too, and the row ends with its line. So it does where the quoted cell makes the row
/// wider or narrower than the header, and each of the lines that it joins is as wide as the header.
pub struct Records {
    path: PathBuf,
    reader: Reader,
    dialect: Option<Dialect>,
    /// Number of cells of the header, if there is one.
    width: Option<usize>,
    /// Number of lines that follow, each of which is a row whatever its quotes.
    apart: u64,
    limit: u64,
    buffer: Vec<u8>,
    at: usize,
    is_ended: bool,
    line: u64,
}

impl Records {
    pub(crate) fn new(path: &Path, reader: Reader, dialect: Option<Dialect>, limit: u64) -> Self {
        let (path, buffer) = (path.to_owned(), Vec::new());
        Self { path, reader, dialect, width: None, apart: 0, limit, buffer, at: 0, is_ended: false, line: 1 }
    }

    /// Returns the rows of a text in memory.
    pub fn of_bytes(text: &[u8], dialect: Option<Dialect>) -> Self {
        let reader = Box::new(std::io::Cursor::new(text.to_vec()));
        Self::new(Path::new("memory"), reader, dialect, u64::MAX)
    }

    /// Sets the dialect of the rows that follow.
    pub(crate) fn set_dialect(&mut self, dialect: Dialect) {
        self.dialect = Some(dialect);
    }

    /// Sets the number of cells that the rows that follow are expected to have.
    pub(crate) fn set_width(&mut self, width: usize) {
        self.width = Some(width);
    }

    /// Reads the next row.
    ///
    /// # Errors
    /// If the row is too long, the file ends within a quoted cell of it, or cannot be read.
    pub fn read(&mut self) -> Result<Option<Record>, Error> {
        let Some((mut length, mut end)) = self.line_from(0, false)? else { return Ok(None) };
        let first = (length, end);
        if self.apart > 0 {
            self.apart -= 1;
            return Ok(Some(self.take_line(first)));
        }
        let mut splitter = Splitter { dialect: self.dialect, ..Splitter::default() };
        while !splitter.split(&self.buffer[self.at..self.at + length]) {
            match self.line_from(length + end, true)? {
                Some(next) => (length, end) = next,
                None if splitter.quoted.is_none() => splitter.is_last = true,
                None if splitter.has_tabs() => splitter.give_up(),
                None => {
                    let error = Error::at(ErrorKind::Syntax, &self.path, self.line, "a quote that is never closed");
                    return Err(error.with_hint("close the quote, or fetch the file again if it is cut off"));
                }
            }
        }
        if splitter.is_cut {
            // The row ends with the line on which the quote stands that is never closed.
            let row = &self.buffer[self.at..self.at + length];
            if let Some(first) = memchr2(b'\n', b'\r', &row[splitter.literal..]) {
                length = splitter.literal + first;
                end = line_end(&self.buffer[self.at + length..]).len();
            }
        } else if length > first.0 && self.joins_rows(length) {
            if self.width != Some(splitter.cells.len()) {
                self.apart = count_line_ends(&self.buffer[self.at..self.at + length]);
                let has_open_quote = memchr(b'"', &self.buffer[self.at..self.at + first.0]).is_some();
                return Ok(Some(Record { has_open_quote, ..self.take_line(first) }));
            }
            return Ok(Some(Record { joins_rows: true, ..self.take(length, end, splitter) }));
        }
        Ok(Some(self.take(length, end, splitter)))
    }

    /// Takes a line as a row, whatever its quotes.
    fn take_line(&mut self, (length, end): (usize, usize)) -> Record {
        let splitter = Splitter::of_line(self.dialect, &self.buffer[self.at..self.at + length]);
        self.take(length, end, splitter)
    }

    /// Returns true if each line of a row is as wide as the header.
    fn joins_rows(&self, length: usize) -> bool {
        let lines = self.buffer[self.at..self.at + length].split(|byte| matches!(byte, b'\n' | b'\r'));
        let mut lines = lines.filter(|line| !line.is_empty());
        let is_row = |line: &[u8], width| Splitter::of_line(self.dialect, line).cells.len() == width;
        self.width.is_some_and(|width| width > 1 && lines.all(|line| is_row(line, width)))
    }

    /// Reads the next row that is not empty or, without a dialect, not blank. Such lines are passed over as fast as they can
    /// be read.
    ///
    /// # Errors
    /// As [`Records::read`].
    pub fn read_filled(&mut self) -> Result<Option<Record>, Error> {
        loop {
            let rest = &self.buffer[self.at..];
            let is_blank =
                |byte: &u8| matches!(byte, b'\n' | b'\r') || (self.dialect.is_none() && matches!(byte, b' ' | b'\t'));
            let blank = rest.iter().take_while(|byte| is_blank(byte)).count();
            let whole = memchr::memrchr(b'\n', &rest[..blank]).map_or(0, |last| last + 1);
            self.line += count_line_ends(&rest[..whole]);
            self.at += whole;
            if whole == 0 || !self.buffer[self.at..].is_empty() {
                match self.read()? {
                    Some(record) if record.content().is_empty() || (self.dialect.is_none() && record.is_blank()) => {}
                    record => return Ok(record),
                }
            } else if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Returns the length of a row up to the end of the line that begins `from` bytes after the row, and that of the line
    /// end; `None` where the file has no such line.
    fn line_from(&mut self, from: usize, in_quotes: bool) -> Result<Option<(usize, usize)>, Error> {
        let mut searched = from;
        loop {
            let row = &self.buffer[self.at..];
            let found = memchr2(b'\n', b'\r', &row[searched.min(row.len())..]).map(|at| searched + at);
            let length = found.unwrap_or(row.len());
            if length as u64 > self.limit {
                let question = if in_quotes { "is a quote never closed? " } else { "" };
                return Err(too_long(&self.path, Some(self.line), LineFault::TooLong(self.limit), question));
            }
            match found {
                // The line feed that belongs to a carriage return may come later.
                Some(at) if self.is_ended || row[at] == b'\n' || at + 1 < row.len() => {
                    return Ok(Some((at, line_end(&row[at..]).len())));
                }
                None if self.is_ended => return Ok((row.len() > from).then_some((row.len(), 0))),
                _ => searched = length,
            }
            self.fill()?;
        }
    }

    /// Reads further bytes. Returns whether there were some.
    fn fill(&mut self) -> Result<bool, Error> {
        if self.at > 0 && self.at >= self.buffer.len() / 2 {
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        let filled = self.buffer.len();
        // Long rows are read in pieces that grow, so that each byte is moved a few times at most.
        self.buffer.resize(filled + CHUNK.max(filled - self.at), 0);
        let read = loop {
            match self.reader.read(&mut self.buffer[filled..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let read = read.map_err(|error| error::read(&self.path, Some(self.line), error));
        self.buffer.truncate(filled + *read.as_ref().unwrap_or(&0));
        self.is_ended = read? == 0;
        Ok(!self.is_ended)
    }

    fn take(&mut self, length: usize, end: usize, splitter: Splitter) -> Record {
        let row = &self.buffer[self.at..self.at + length];
        let Splitter { cells, has_open_quote, has_stray_quote, dialect, .. } = splitter;
        let mut bytes = Vec::with_capacity(length + cells.iter().filter(|cell| cell.is_rewritten).count() * 32);
        bytes.extend_from_slice(row);
        let mut ranges = Vec::with_capacity(cells.len());
        for cell in cells {
            ranges.push(match cell.is_rewritten {
                true => rewrite(&mut bytes, cell.range, dialect),
                false => cell.range,
            });
        }
        let line = self.line;
        let line_end = line_end(&self.buffer[self.at + length..self.at + length + end]);
        self.line += count_line_ends(row) + u64::from(end > 0);
        self.at += length + end;
        Record { bytes, length, cells: ranges, line_end, line, has_open_quote, joins_rows: false, has_stray_quote }
    }
}

fn line_end(bytes: &[u8]) -> &'static [u8] {
    match bytes {
        [b'\r', b'\n', ..] => b"\r\n",
        [b'\r', ..] => b"\r",
        [b'\n', ..] => b"\n",
        _ => b"",
    }
}

/// Counts `\n`, `\r\n` and `\r`.
fn count_line_ends(bytes: &[u8]) -> u64 {
    let alone = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
    (memchr_iter(b'\n', bytes).count() + memchr_iter(b'\r', bytes).filter(alone).count()) as u64
}

/// Appends the value of a cell that is written with escapes, and returns its place.
fn rewrite(bytes: &mut Vec<u8>, cell: Range<usize>, dialect: Option<Dialect>) -> Range<usize> {
    let (start, mut at) = (bytes.len(), cell.start);
    let is_escaped = dialect.is_some_and(|dialect| dialect.quoting == Quoting::Escaped);
    let delimiter = dialect.map_or(b',', |dialect| dialect.delimiter);
    while at < cell.end {
        let (byte, next) = (bytes[at], bytes[..cell.end].get(at + 1).copied());
        let skips = match (byte, next) {
            (b'"', Some(b'"')) => true,
            (b'\\', Some(next)) => is_escaped && (matches!(next, b'"' | b'\\' | b'\n' | b'\r') || next == delimiter),
            _ => false,
        };
        at += usize::from(skips);
        bytes.push(bytes[at]);
        at += 1;
    }
    start..bytes.len()
}

struct Cell {
    range: Range<usize>,
    /// True if the value is not what the file has there.
    is_rewritten: bool,
}

/// A quoted cell that is being read.
#[derive(Clone, Copy)]
struct QuotedCell {
    /// Place of the quote that opens it.
    open: usize,
    /// Quotes within it that neither close it nor are written as escapes.
    strays: usize,
    /// True if the first of them would close it, but for what follows.
    closes_early: bool,
    is_rewritten: bool,
}

/// Finds the cells of a row that is handed over line by line.
#[derive(Default)]
struct Splitter {
    dialect: Option<Dialect>,
    cells: Vec<Cell>,
    /// Beginning of the cell that is being read.
    start: usize,
    at: usize,
    quoted: Option<QuotedCell>,
    /// Quotes up to this place open nothing.
    literal: usize,
    has_open_quote: bool,
    has_stray_quote: bool,
    /// True if the row ends with the line of a quote that is never closed.
    is_cut: bool,
    /// True if the row has no further line, whatever ends the last.
    is_last: bool,
}

impl Splitter {
    /// Splits a line that is a row, whatever its quotes.
    fn of_line(dialect: Option<Dialect>, line: &[u8]) -> Self {
        let mut splitter = Self { dialect, is_last: true, ..Self::default() };
        while !splitter.split(line) {
            splitter.give_up();
        }
        splitter
    }

    /// Reads on in a row, the lines of which so far are `lines`. Returns false if a further line belongs to it.
    fn split(&mut self, lines: &[u8]) -> bool {
        let Some(Dialect { delimiter, quoting }) = self.dialect else {
            self.push(0..lines.len(), false, lines.len() + 1);
            return true;
        };
        loop {
            let row = self.row(lines);
            if let Some(quoted) = self.quoted {
                if !self.read_quoted(row, quoted, delimiter, quoting) {
                    if quoted.open > self.start {
                        self.take_literally(quoted);
                    } else if self.is_cut {
                        self.give_up();
                    } else {
                        return false;
                    }
                }
            } else if self.start > row.len() {
                return true;
            } else {
                let blanks = row[self.start..].iter().take_while(|byte| is_blank(**byte, delimiter)).count();
                let open = self.start + blanks;
                if quoting != Quoting::None && open >= self.literal && row.get(open) == Some(&b'"') {
                    self.quoted = Some(QuotedCell { open, strays: 0, closes_early: false, is_rewritten: false });
                    self.at = open + 1;
                } else if !self.read_plain(row, delimiter, quoting) {
                    return false;
                }
            }
        }
    }

    /// Returns the lines that belong to the row as far as it is known.
    fn row<'r>(&self, lines: &'r [u8]) -> &'r [u8] {
        let end = if self.is_cut { memchr2(b'\n', b'\r', &lines[self.literal..]) } else { None };
        end.map_or(lines, |end| &lines[..self.literal + end])
    }

    /// Returns true if cells are separated by tabs; such tables are written without quotes too.
    fn has_tabs(&self) -> bool {
        self.dialect.is_some_and(|dialect| dialect.delimiter == b'\t')
    }

    /// Takes the quote of the cell that is being read for a character.
    fn give_up(&mut self) {
        if let Some(quoted) = self.quoted {
            self.take_literally(quoted);
            self.is_cut = true;
        }
    }

    fn take_literally(&mut self, quoted: QuotedCell) {
        self.literal = quoted.open + 1;
        self.quoted = None;
    }

    /// Reads a cell without quotes. Returns false if it goes on after the last line, whose end is escaped.
    fn read_plain(&mut self, row: &[u8], delimiter: u8, quoting: Quoting) -> bool {
        let is_escaped = quoting == Quoting::Escaped;
        let mut at = self.start;
        let end = loop {
            let found = memchr(delimiter, &row[at..]).map_or(row.len(), |found| at + found);
            let backslashes = || row[self.start..found].iter().rev().take_while(|byte| **byte == b'\\').count();
            if !is_escaped || backslashes() % 2 == 0 {
                break found;
            }
            if found == row.len() {
                if self.is_last || self.is_cut {
                    break found;
                }
                return false;
            }
            at = found + 1;
        };
        let cell = &row[self.start..end];
        let is_literal = self.start + 1 == self.literal && !self.has_tabs();
        self.has_open_quote |= is_literal && memchr_iter(b'"', cell).count() % 2 == 1;
        self.push(self.start..end, is_escaped && memchr(b'\\', cell).is_some(), end + 1);
        true
    }

    /// Reads on in a quoted cell. Returns false if it goes on after the last line.
    fn read_quoted(&mut self, row: &[u8], mut quoted: QuotedCell, delimiter: u8, quoting: Quoting) -> bool {
        while let Some(&byte) = row.get(self.at) {
            let next = row.get(self.at + 1).copied();
            match byte {
                b'\\' if quoting == Quoting::Escaped => {
                    quoted.is_rewritten = true;
                    self.at += 1;
                }
                b'"' if next == Some(b'"') => {
                    quoted.is_rewritten = true;
                    self.at += 1;
                }
                b'"' => {
                    let after = &row[self.at + 1..];
                    let blanks = after.iter().take_while(|byte| is_blank(**byte, delimiter)).count();
                    if after.get(blanks).is_none_or(|byte| *byte == delimiter || matches!(byte, b'\n' | b'\r')) {
                        self.close(quoted, self.at + 1 + blanks);
                        return true;
                    }
                    let before = row[self.at - 1];
                    if before == delimiter || matches!(before, b'\n' | b'\r') {
                        return self.reopen(quoted, row);
                    }
                    quoted.closes_early |= quoted.strays == 0 && blanks > 0 && !is_blank(before, delimiter);
                    quoted.strays += 1;
                }
                byte if byte == delimiter && (delimiter == b'\t' || quoted.strays > 0) => {
                    return self.reopen(quoted, row);
                }
                b'\n' | b'\r' if quoted.strays > 0 => return self.reopen(quoted, row),
                _ => {}
            }
            self.at += 1;
        }
        self.quoted = Some(quoted);
        false
    }

    fn close(&mut self, quoted: QuotedCell, end: usize) {
        let QuotedCell { open, strays, closes_early, is_rewritten } = quoted;
        self.quoted = None;
        self.has_stray_quote |= strays > 0;
        if closes_early && strays % 2 == 0 {
            // `"a" and "b"`: the quotes belong to two words.
            self.push(open..end, false, end + 1);
        } else {
            self.push(open + 1..self.at, is_rewritten, end + 1);
        }
    }

    /// Reads a cell again, with its quote as a character.
    fn reopen(&mut self, quoted: QuotedCell, row: &[u8]) -> bool {
        let spans_lines = memchr2(b'\n', b'\r', &row[quoted.open..=self.at]).is_some();
        self.take_literally(quoted);
        self.is_cut |= spans_lines;
        true
    }

    fn push(&mut self, range: Range<usize>, is_rewritten: bool, start: usize) {
        self.cells.push(Cell { range, is_rewritten });
        self.start = start;
        self.at = start;
    }
}

fn is_blank(byte: u8, delimiter: u8) -> bool {
    byte == b' ' || (byte == b'\t' && delimiter != b'\t')
}
