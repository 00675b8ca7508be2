//! Output of results to stdout, or to a file that appears when it is whole.

use std::io::{BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;

use anyhow::Context;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::atomic_file::AtomicFile;
use crate::harmless::HarmlessWriter;
use crate::interrupt;
use crate::resumable_file::ResumableFile;

pub enum Output {
    Stdout(BufWriter<StdoutLock<'static>>),
    /// Stdout on a terminal; data must not control the terminal.
    Terminal(BufWriter<HarmlessWriter<StdoutLock<'static>>>),
    File(AtomicFile),
    Gzip(GzEncoder<AtomicFile>),
    Resumable(ResumableFile),
}

/// Opens stdout for data.
pub fn stdout() -> Output {
    if std::io::stdout().is_terminal() {
        return Output::Terminal(BufWriter::with_capacity(1 << 16, HarmlessWriter::new(std::io::stdout().lock())));
    }
    Output::styled()
}

impl Output {
    /// Opens stdout or a file; the file is gzipped if its name ends in `.gz`.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        Ok(match path {
            None => stdout(),
            Some(path) if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) => {
                Self::Gzip(GzEncoder::new(AtomicFile::create(path)?, Compression::default()))
            }
            Some(path) => Self::File(AtomicFile::create(path)?),
        })
    }

    /// As [`Output::open`], but where a file is given that a later run can go on with, it is the output.
    pub fn open_or(resumable: Option<&ResumableFile>, path: Option<&Path>) -> anyhow::Result<Self> {
        resumable.map_or_else(|| Self::open(path), |file| Ok(Self::Resumable(file.clone())))
    }

    /// Opens stdout for text with our own styles.
    pub fn styled() -> Self {
        Self::Stdout(BufWriter::with_capacity(1 << 16, std::io::stdout().lock()))
    }

    pub fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.write_all(bytes).context("cannot write the results")
    }

    pub fn finish(mut self) -> anyhow::Result<()> {
        match self {
            Self::File(file) => file.finish(),
            Self::Gzip(packed) => packed.finish().context("cannot write the results")?.finish(),
            Self::Resumable(file) => file.finish(),
            _ => self.flush().context("cannot write the results"),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if matches!(self, Self::Stdout(_) | Self::Terminal(_)) {
            interrupt::has_printed();
        }
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Terminal(stdout) => stdout.write(bytes),
            Self::File(file) => file.write(bytes),
            Self::Gzip(packed) => packed.write(bytes),
            Self::Resumable(file) => file.write(bytes),
        }
    }

    /// Flushes a pipe, so that its reader gets results at once; a file is flushed when its buffer is full.
    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Terminal(stdout) => stdout.flush(),
            Self::File(_) | Self::Gzip(_) | Self::Resumable(_) => Ok(()),
        }
    }
}
