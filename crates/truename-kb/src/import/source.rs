//! A file to import: decompressed, decoded, its bytes counted.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::bufread::MultiGzDecoder;

use super::ImportOptions;
use super::collector::Collector;
use crate::{Error, Progress};

/// How many bytes of a file tell its format.
const BEGINNING: usize = 16 << 10;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(super) struct Source {
    pub(super) path: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    beginning: Vec<u8>,
}

impl Source {
    pub(super) fn open(path: &Path, options: &ImportOptions) -> Result<Self, Error> {
        let file = File::open(path).map_err(|source| Error::io("open", path, source))?;
        let counted = Counted { inner: file, progress: Arc::clone(&options.progress) };
        Self::of_reader(path, Box::new(counted), options)
    }

    pub(super) fn of_bytes(path: &Path, bytes: Vec<u8>, options: &ImportOptions) -> Result<Self, Error> {
        Self::of_reader(path, Box::new(Cursor::new(bytes)), options)
    }

    fn of_reader(path: &Path, raw: Box<dyn Read + Send>, options: &ImportOptions) -> Result<Self, Error> {
        let mut raw = BufReader::with_capacity(1 << 18, raw);
        let compressed = raw.fill_buf().map_err(|source| Error::io("read", path, source))?.starts_with(&GZIP_MAGIC);
        let plain: Box<dyn Read + Send> = if compressed { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
        let encoding = match options.encoding.as_deref() {
            None => None,
            Some(label) => Some(encoding_rs::Encoding::for_label(label.as_bytes()).ok_or_else(|| {
                Error::syntax(path, None, format!("\"{label}\" is no known encoding"))
                    .with_hint("use a WHATWG label such as utf-8, windows-1252, utf-16le")
            })?),
        };
        let decoded = DecodeReaderBytesBuilder::new()
            .encoding(encoding)
            .utf8_passthru(true)
            .strip_bom(true)
            .bom_override(true)
            .build(plain);
        Ok(Self {
            path: path.to_owned(),
            reader: BufReader::with_capacity(1 << 18, Box::new(decoded)),
            beginning: Vec::new(),
        })
    }

    /// The first bytes, which are still to be read.
    pub(super) fn beginning(&mut self) -> Result<&[u8], Error> {
        let (path, mut first) = (&self.path, Vec::with_capacity(BEGINNING));
        let read = (&mut self.reader).take(BEGINNING as u64).read_to_end(&mut first);
        read.map_err(|source| Error::io("read", path, source))?;
        self.beginning = first;
        Ok(&self.beginning)
    }

    /// The whole text.
    pub(super) fn reader(&mut self) -> impl BufRead + '_ {
        let first = std::mem::take(&mut self.beginning);
        Cursor::new(first).chain(&mut self.reader)
    }

    /// Hands each line to `visit` with its number from 1 and without its end.
    pub(super) fn for_each_line(
        &mut self,
        collector: &mut Collector<'_>,
        mut visit: impl FnMut(u64, &str, &mut Collector<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let path = self.path.clone();
        let mut reader = self.reader();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(|source| Error::io("read", &path, source))? == 0 {
                break;
            }
            let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
            match std::str::from_utf8(&line[..end]) {
                Ok(text) => visit(number, text, collector)?,
                Err(_) => collector.not_utf8(number, &line[..end])?,
            }
        }
        Ok(())
    }
}

struct Counted {
    inner: File,
    progress: Arc<Progress>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.bytes_read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
