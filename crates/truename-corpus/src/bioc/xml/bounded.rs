use std::io::{self, BufRead, Read};

use crate::bioc::TooLong;
use crate::source::count_newlines;

/// Counts the lines that were consumed and the bytes since the last document, and fails where they are too many.
pub(crate) struct Bounded<R> {
    pub(crate) inner: R,
    pub(crate) line: u64,
    pub(crate) since: usize,
    pub(crate) limit: usize,
}

impl<R: BufRead> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let read = available.len().min(buffer.len());
        buffer[..read].copy_from_slice(&available[..read]);
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Bounded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.since > self.limit {
            return Err(TooLong { limit: self.limit }.into_error());
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if amount > 0
            && let Ok(buffer) = self.inner.fill_buf()
        {
            self.line += count_newlines(&buffer[..amount.min(buffer.len())]);
        }
        self.since += amount;
        self.inner.consume(amount);
    }
}
