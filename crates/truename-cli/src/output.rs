//! Where results go: stdout, or a file that appears when it is whole.

use std::io::{BufWriter, StdoutLock, Write};
use std::path::Path;

use anyhow::Context;

use crate::atomic_file::AtomicFile;

pub enum Output {
    Stdout(BufWriter<StdoutLock<'static>>),
    File(AtomicFile),
}

impl Output {
    pub fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        Ok(match path {
            None => Self::Stdout(BufWriter::with_capacity(1 << 16, std::io::stdout().lock())),
            Some(path) => Self::File(AtomicFile::create(path)?),
        })
    }

    pub fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.write_all(bytes),
            Self::File(file) => file.write_all(bytes),
        }
        .context("cannot write the results")
    }

    /// Results of a piece of work reach a reader of the pipe at once.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush().context("cannot write the results"),
            Self::File(_) => Ok(()),
        }
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(mut stdout) => stdout.flush().context("cannot write the results"),
            Self::File(file) => file.finish(),
        }
    }
}
