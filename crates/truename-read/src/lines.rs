//! Lines of a text, numbered, whole and bounded in length.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, read, too_long, undecodable};
use crate::reader::Reader;

/// The lines of a text, with numbers from 1 and without their ends.
pub struct Lines {
    path: PathBuf,
    limit: u64,
    reader: BufReader<Reader>,
    number: u64,
    line: Vec<u8>,
    ends_in_blanks: bool,
    /// Bytes of the block so far; none where no block was begun.
    block: Cell<Option<u64>>,
}

/// A line of a text.
pub struct Line<'l> {
    /// Its number, from 1.
    pub number: u64,
    /// Its bytes or, where it is too long, the first of them.
    pub bytes: &'l [u8],
    /// True where the line has an end; the last line may have none.
    pub is_ended: bool,
    limit: u64,
    block: &'l Cell<Option<u64>>,
}

/// The fault of a line that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// It is longer than so many bytes, the limit.
    TooLong(u64),
    /// Its block is longer than so many bytes, the limit.
    BlockTooLong(u64),
    /// The byte at this place, from 1, is not UTF-8.
    NotUtf8(usize),
}

impl LineFault {
    /// Returns the fault as an error of a file.
    pub fn at(self, path: &Path, line: u64) -> Error {
        match self {
            Self::NotUtf8(_) => undecodable(path, Some(line), self),
            Self::TooLong(_) | Self::BlockTooLong(_) => too_long(path, Some(line), self, ""),
        }
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(limit) => write!(f, "a line or value of more than {limit} bytes"),
            Self::BlockTooLong(limit) => write!(f, "lines of more than {limit} bytes together"),
            Self::NotUtf8(at) => write!(f, "byte {at} of the line is not UTF-8"),
        }
    }
}

impl Line<'_> {
    /// Returns the line as text.
    ///
    /// # Errors
    /// If it is too long or not UTF-8.
    pub fn text(&self) -> Result<&str, LineFault> {
        if self.bytes.len() as u64 > self.limit {
            return Err(LineFault::TooLong(self.limit));
        }
        std::str::from_utf8(self.bytes).map_err(|error| LineFault::NotUtf8(error.valid_up_to() + 1))
    }

    /// Begins a block with this line: lines up to the next block, such as those of a document, may be as long as one together.
    pub fn begin_block(&self) {
        self.block.set(Some(self.bytes.len() as u64));
    }

    /// Checks the length of the block up to this line.
    ///
    /// # Errors
    /// If it is too long.
    pub fn check_block(&self) -> Result<(), LineFault> {
        match self.block.get() {
            Some(bytes) if bytes > self.limit => Err(LineFault::BlockTooLong(self.limit)),
            _ => Ok(()),
        }
    }
}

impl Lines {
    pub(crate) fn new(path: &Path, reader: BufReader<Reader>, limit: u64) -> Self {
        Self {
            path: path.to_owned(),
            limit,
            reader,
            number: 0,
            line: Vec::new(),
            ends_in_blanks: false,
            block: Cell::new(None),
        }
    }

    /// Reads the next line.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(&mut self) -> Result<Option<Line<'_>>, Error> {
        let most = self.limit.saturating_add(b"\r\n".len() as u64);
        self.line.clear();
        let read = self.read_line(most).map_err(|error| read(&self.path, Some(self.number + 1), error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let line = self.last();
        line.block.set(line.block.get().map(|bytes| bytes + line.bytes.len() as u64));
        Ok(Some(line))
    }

    /// Returns the number of the last line if [`Lines::read_filled`] passed over it and it has blanks but no end.
    pub fn blank_end(&self) -> Option<u64> {
        self.ends_in_blanks.then_some(self.number)
    }

    /// Reads the next line that is not blank. Blank lines are passed over as fast as they can be read.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_filled(&mut self) -> Result<Option<Line<'_>>, Error> {
        loop {
            self.skip_blank().map_err(|error| read(&self.path, Some(self.number + 1), error))?;
            // The borrow of a line that is given back conditionally would last for the loop.
            if self.read()?.is_none() {
                return Ok(None);
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(self.last()));
            }
            self.ends_in_blanks = !self.line.ends_with(b"\n");
        }
    }

    /// Returns the line read last.
    fn last(&self) -> Line<'_> {
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let (bytes, is_ended) = (line.strip_suffix(b"\r").unwrap_or(line), self.line.ends_with(b"\n"));
        Line { number: self.number, bytes, is_ended, limit: self.limit, block: &self.block }
    }

    fn read_line(&mut self, most: u64) -> io::Result<usize> {
        let read = (&mut self.reader).take(most).read_until(b'\n', &mut self.line)?;
        if read as u64 == most && !self.line.ends_with(b"\n") {
            self.reader.skip_until(b'\n')?;
        }
        Ok(read)
    }

    fn skip_blank(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            let blank = buffer.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(buffer.len());
            let Some(last) = memchr::memrchr(b'\n', &buffer[..blank]) else { return Ok(()) };
            self.number += memchr::memchr_iter(b'\n', &buffer[..=last]).count() as u64;
            self.reader.consume(last + 1);
        }
    }
}
