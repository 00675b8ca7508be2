//! The text of a file while a parser reads it: counted, bounded, its failure kept.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use truename_error::ErrorKind;

use crate::error::{Error, cut_off, read, too_long};
use crate::lines::LineFault;
use crate::reader::Reader;

/// The state of a text that a parser reads.
#[derive(Default)]
pub struct Watch {
    path: PathBuf,
    limit: u64,
    line: Cell<u64>,
    bytes: Cell<u64>,
    value_start: Cell<u64>,
    failure: RefCell<Option<Error>>,
}

impl Watch {
    /// The path, as messages name it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the line that is being read, from 1.
    pub fn line(&self) -> u64 {
        self.line.get()
    }

    /// Returns the number of bytes of text read.
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Begins a value, whose bytes count towards the limit.
    pub fn begin_value(&self) {
        self.value_start.set(self.bytes.get());
    }

    /// Refuses a value of `bytes` on the line that is being read, if that is too long.
    ///
    /// # Errors
    /// If the value is too long.
    pub fn check(&self, bytes: u64) -> Result<(), Error> {
        if bytes <= self.limit {
            return Ok(());
        }
        Err(too_long(&self.path, Some(self.line()), LineFault::TooLong(self.limit), ""))
    }

    /// Returns the failure of the reader, or the error of `parser` where the reader did not fail.
    pub fn failure_or<E: From<Error>>(&self, parser: impl FnOnce() -> E) -> E {
        self.failure.take().map_or_else(parser, E::from)
    }

    /// Keeps a failure that a parser would pass on as a kind and a text alone.
    pub(crate) fn fail(&self, error: Error) -> io::Error {
        self.failure.borrow_mut().get_or_insert(error);
        io::Error::other("the file cannot be read")
    }

    /// Creates an error about the syntax on the line that is being read.
    pub fn error(&self, message: impl fmt::Display) -> Error {
        Error::at(ErrorKind::Syntax, &self.path, self.line(), message)
    }

    /// Creates the error of a file that ends too early.
    pub fn ends_early(&self, message: &str) -> Error {
        cut_off(&self.path, Some(self.line()), message)
    }
}

/// The text of a file, watched.
pub struct Text {
    inner: BufReader<Reader>,
    watch: Rc<Watch>,
}

impl Text {
    pub(crate) fn new(path: &Path, inner: BufReader<Reader>, limit: u64) -> Self {
        let watch = Watch { path: path.to_owned(), limit, line: Cell::new(1), ..Watch::default() };
        Self { inner, watch: Rc::new(watch) }
    }

    /// Returns the counts of the text, and its failure.
    pub fn watch(&self) -> Rc<Watch> {
        Rc::clone(&self.watch)
    }
}

impl BufRead for Text {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let watch = &self.watch;
        watch.check(watch.bytes.get() - watch.value_start.get()).map_err(|error| watch.fail(error))?;
        if let Err(error) = self.inner.fill_buf() {
            return Err(watch.fail(read(&watch.path, Some(watch.line()), error)));
        }
        Ok(self.inner.buffer())
    }

    fn consume(&mut self, amount: usize) {
        let consumed = &self.inner.buffer()[..amount];
        self.watch.line.set(self.watch.line.get() + memchr::memchr_iter(b'\n', consumed).count() as u64);
        self.watch.bytes.set(self.watch.bytes.get() + amount as u64);
        self.inner.consume(amount);
    }
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let amount = available.len().min(buffer.len());
        buffer[..amount].copy_from_slice(&available[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}
