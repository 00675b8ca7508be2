//! Bytes that a table too large for the memory leaves in a temporary file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Deref;

use memmap2::Mmap;

use crate::{Error, io_error};

/// Bytes that are written one behind the other: in memory, and all of them in an unnamed temporary file once they are more than a bound.
#[derive(Debug)]
pub struct ScratchWriter {
    memory: Vec<u8>,
    file: Option<BufWriter<File>>,
    length: u64,
    most: usize,
}

/// Bytes in memory, or mapped from a temporary file that nobody else knows.
#[derive(Debug)]
pub struct ScratchBytes(Place);

#[derive(Debug)]
enum Place {
    Memory(Vec<u8>),
    File(Mmap),
}

impl ScratchWriter {
    /// Creates a writer that keeps up to `most` bytes in memory.
    pub fn new(most: usize) -> Self {
        Self { memory: Vec::new(), file: None, length: 0, most }
    }

    /// Returns the number of bytes written.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// If the temporary file cannot be made or written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.length += bytes.len() as u64;
        if self.file.is_none() && self.memory.len() + bytes.len() > self.most {
            let mut file = BufWriter::new(tempfile::tempfile().map_err(failed)?);
            file.write_all(&std::mem::take(&mut self.memory)).map_err(failed)?;
            self.file = Some(file);
        }
        match &mut self.file {
            Some(file) => file.write_all(bytes).map_err(failed),
            None => {
                self.memory.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Returns the bytes to be read.
    ///
    /// # Errors
    /// If the temporary file cannot be written or mapped.
    #[allow(unsafe_code)]
    pub fn finish(self) -> Result<ScratchBytes, Error> {
        let Some(file) = self.file else { return Ok(ScratchBytes(Place::Memory(self.memory))) };
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        // SAFETY: the file has no name, so nobody else can change it.
        let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
        Ok(ScratchBytes(Place::File(map)))
    }
}

impl Deref for ScratchBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Place::Memory(bytes) => bytes,
            Place::File(map) => map,
        }
    }
}

fn failed(source: std::io::Error) -> Error {
    io_error("write a temporary file in", &std::env::temp_dir(), source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_were_written() {
        for most in [0, 5, 100] {
            let mut writer = ScratchWriter::new(most);
            for part in ["abc", "", "defg", "h"] {
                writer.write(part.as_bytes()).unwrap();
            }
            assert_eq!(writer.length(), 8);
            let bytes = writer.finish().unwrap();
            assert_eq!((&*bytes, matches!(bytes.0, Place::File(_))), (&b"abcdefgh"[..], most < 100), "{most}");
        }
        assert!(ScratchWriter::new(0).finish().unwrap().is_empty());
    }
}
