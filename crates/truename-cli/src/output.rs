//! Where results go: stdout, or a file that appears when it is whole.

use std::io::{BufWriter, StdoutLock, Write};
use std::path::Path;

use anyhow::Context;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::atomic_file::AtomicFile;

pub enum Output {
    Stdout(BufWriter<StdoutLock<'static>>),
    File(AtomicFile),
    Gzip(GzEncoder<AtomicFile>),
}

impl Output {
    /// Opens stdout, or a file, which is gzipped where its name ends in `.gz`.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        Ok(match path {
            None => Self::Stdout(BufWriter::with_capacity(1 << 16, std::io::stdout().lock())),
            Some(path) if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) => {
                Self::Gzip(GzEncoder::new(AtomicFile::create(path)?, Compression::default()))
            }
            Some(path) => Self::File(AtomicFile::create(path)?),
        })
    }

    pub fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.write_all(bytes).context("cannot write the results")
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(mut stdout) => stdout.flush().context("cannot write the results"),
            Self::File(file) => file.finish(),
            Self::Gzip(packed) => packed.finish().context("cannot write the results")?.finish(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::File(file) => file.write(bytes),
            Self::Gzip(packed) => packed.write(bytes),
        }
    }

    /// Results of a piece of work reach a reader of the pipe at once; a file is written when it is full.
    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::File(_) | Self::Gzip(_) => Ok(()),
        }
    }
}
