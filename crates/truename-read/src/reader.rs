//! Readers of bytes: unpacked, counted, with line feeds.

use std::io::{self, Read};
use std::sync::Arc;

use crate::error::Damage;

pub(crate) type Reader = Box<dyn Read + Send>;

/// Makes each `\r` and each `\r\n` a `\n`.
pub(crate) struct LineFeeds<R> {
    pub(crate) inner: R,
    pub(crate) after_return: bool,
}

impl<R: Read> Read for LineFeeds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let (read, mut kept) = (self.inner.read(buffer)?, 0);
            for at in 0..read {
                let byte = buffer[at];
                if byte != b'\n' || !self.after_return {
                    buffer[kept] = if byte == b'\r' { b'\n' } else { byte };
                    kept += 1;
                }
                self.after_return = byte == b'\r';
            }
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}

pub(crate) fn cut_off() -> io::Error {
    let message = "the compressed data end too early; the file is cut off".to_owned();
    io::Error::new(io::ErrorKind::UnexpectedEof, Damage(message))
}

/// A decompressor whose faults are told in words.
pub(crate) struct Unpacker<R> {
    pub(crate) inner: R,
}

impl<R: Read> Read for Unpacker<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| {
            let message = match error.kind() {
                io::ErrorKind::UnexpectedEof => return cut_off(),
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => {
                    format!("the compressed data are damaged ({error})")
                }
                _ => return error,
            };
            io::Error::new(error.kind(), Damage(message))
        })
    }
}

/// A reader that failed. Asked again, a decompressor might report the end of the data.
pub(crate) struct FailedReader(pub(crate) Option<io::Error>);

impl Read for FailedReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.take().unwrap_or_else(|| io::Error::other("the file cannot be read")))
    }
}

/// A reader that tells how many bytes it has read.
pub(crate) struct CountingReader {
    pub(crate) inner: Reader,
    pub(crate) on_read: Arc<dyn Fn(u64) + Send + Sync>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        (self.on_read)(read as u64);
        Ok(read)
    }
}
