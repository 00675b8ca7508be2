//! Text of a file while a parser reads it: counted, bounded, its failure kept.

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, BufReader, Chain, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::Error;

const FETCH_AGAIN: &str = "fetch or copy the file again";

/// The state of a file that a parser reads.
pub(super) struct Watch {
    pub(super) path: PathBuf,
    compressed: bool,
    limit: u64,
    line: Cell<u64>,
    bytes: Cell<u64>,
    value_start: Cell<u64>,
    last: Cell<u8>,
    failure: RefCell<Option<Error>>,
}

impl Watch {
    pub(super) fn new(path: &Path, compressed: bool, limit: u64) -> Self {
        Self {
            path: path.to_owned(),
            compressed,
            limit,
            line: Cell::new(1),
            bytes: Cell::new(0),
            value_start: Cell::new(0),
            last: Cell::new(b'\n'),
            failure: RefCell::new(None),
        }
    }

    /// Returns the line that is being read, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line.get()
    }

    /// Bytes of text read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Returns true if the last byte read is not a line end.
    pub(super) fn ends_within_a_line(&self) -> bool {
        self.last.get() != b'\n'
    }

    /// Begins a line or value, whose bytes count towards the limit.
    pub(super) fn begin_value(&self) {
        self.value_start.set(self.bytes.get());
    }

    /// Refuses a value of `bytes` on the line that is being read, if that is too long.
    pub(super) fn check(&self, bytes: u64) -> Result<(), Error> {
        self.check_line(self.line(), bytes)
    }

    /// Refuses a line or row of `bytes`, if that is too long.
    pub(super) fn check_line(&self, line: u64, bytes: u64) -> Result<(), Error> {
        if bytes <= self.limit {
            return Ok(());
        }
        let message = format!("a line or value of more than {} bytes", self.limit);
        Err(Error::syntax(&self.path, Some(line), message)
            .with_hint("if the file is meant to have it, raise the limit with --max-line-bytes BYTES"))
    }

    /// Returns the failure of the reader, or the error of `parser` where the reader did not fail.
    pub(super) fn failure_or(&self, parser: impl FnOnce() -> Error) -> Error {
        self.failure.take().unwrap_or_else(parser)
    }

    /// Keeps a failure that a parser would pass on as a kind and a text alone.
    pub(super) fn fail(&self, error: Error) -> io::Error {
        self.failure.borrow_mut().get_or_insert(error);
        io::Error::other("the file cannot be read")
    }

    fn unreadable(&self, error: io::Error) -> Error {
        let damaged = matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput);
        let message = if self.compressed && error.kind() == ErrorKind::UnexpectedEof {
            "the compressed data end too early; the file is cut off".to_owned()
        } else if self.compressed && damaged {
            format!("the compressed data are damaged ({error})")
        } else {
            return Error::io("read", &self.path, error);
        };
        self.error(message).with_hint(FETCH_AGAIN)
    }

    /// Creates an error about the line that is being read.
    pub(super) fn error(&self, message: impl std::fmt::Display) -> Error {
        Error::syntax(&self.path, Some(self.line()), message)
    }

    /// Creates the error of a file that ends too early.
    pub(super) fn ends_early(&self, message: &str) -> Error {
        self.error(format_args!("{message}; it is cut off")).with_hint(FETCH_AGAIN)
    }
}

/// The text of a file, watched.
pub(super) struct Watched<'source> {
    pub(super) inner: Chain<Cursor<Vec<u8>>, &'source mut BufReader<Box<dyn Read>>>,
    pub(super) watch: Rc<Watch>,
}

impl BufRead for Watched<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let watch = &self.watch;
        watch.check(watch.bytes.get() - watch.value_start.get()).map_err(|error| watch.fail(error))?;
        if let Err(error) = self.inner.fill_buf() {
            return Err(watch.fail(watch.unreadable(error)));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if amount > 0
            && let Ok(buffer) = self.inner.fill_buf()
        {
            let consumed = &buffer[..amount.min(buffer.len())];
            let newlines = consumed.iter().filter(|byte| **byte == b'\n').count() as u64;
            self.watch.line.set(self.watch.line.get() + newlines);
            self.watch.bytes.set(self.watch.bytes.get() + consumed.len() as u64);
            self.watch.last.set(consumed.last().copied().unwrap_or(b'\n'));
        }
        self.inner.consume(amount);
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let amount = available.len().min(buffer.len());
        buffer[..amount].copy_from_slice(&available[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}
