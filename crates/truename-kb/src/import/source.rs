//! A file to import: decompressed, decoded, its bytes and lines counted, its lines and values bounded.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use encoding_rs::Encoding;
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::bufread::MultiGzDecoder;

use super::collector::Collector;
use super::options::ImportOptions;
use super::watch::{Watch, Watched};
use crate::{Error, Progress};

/// Bytes from the beginning of a file by which its format is detected.
const BEGINNING: usize = 16 << 10;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(super) struct Source {
    pub(super) path: PathBuf,
    reader: BufReader<Box<dyn Read>>,
    beginning: Vec<u8>,
    watch: Rc<Watch>,
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

    fn of_reader(path: &Path, raw: Box<dyn Read>, options: &ImportOptions) -> Result<Self, Error> {
        let asked = options.encoding.as_deref().map(|label| known_encoding(path, label)).transpose()?;
        let mut raw = BufReader::with_capacity(1 << 18, raw);
        let compressed = raw.fill_buf().map_err(|source| Error::io("read", path, source))?.starts_with(&GZIP_MAGIC);
        let plain: Box<dyn Read> = if compressed { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
        let (first, rest) = peek(plain);
        let encoding = match asked {
            Some(encoding) => Some(encoding),
            None => declared_encoding(path, &first)?,
        };
        let decoded = DecodeReaderBytesBuilder::new()
            .encoding(encoding)
            .utf8_passthru(true)
            .strip_bom(true)
            .bom_override(true)
            .build(Cursor::new(first).chain(rest));
        let (mut beginning, mut rest) = peek(Box::new(decoded));
        if has_old_line_ends(&beginning) {
            replace_carriage_returns(&mut beginning);
            rest = Box::new(OldLineEnds(rest));
        }
        let limit = options.max_line_bytes.unwrap_or(ImportOptions::MAX_LINE_BYTES);
        Ok(Self {
            path: path.to_owned(),
            reader: BufReader::with_capacity(1 << 18, rest),
            beginning,
            watch: Rc::new(Watch::new(path, compressed, limit)),
        })
    }

    /// Returns the first bytes, which are still to be read.
    pub(super) fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    /// Returns the counts of [`Source::reader`], and its failure.
    pub(super) fn watch(&self) -> Rc<Watch> {
        Rc::clone(&self.watch)
    }

    /// Returns the whole text.
    pub(super) fn reader(&mut self) -> Watched<'_> {
        let first = std::mem::take(&mut self.beginning);
        Watched { inner: Cursor::new(first).chain(&mut self.reader), watch: Rc::clone(&self.watch) }
    }

    /// Hands each line to `visit` with its number from 1 and without its end. Every line shows by itself that it is
    /// whole, as a JSON object does.
    pub(super) fn for_each_line(
        &mut self,
        collector: &mut Collector<'_>,
        mut visit: impl FnMut(u64, &str, &mut Collector<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let watch = self.watch();
        let mut reader = self.reader();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            watch.begin_value();
            if let Err(error) = reader.read_until(b'\n', &mut line) {
                return Err(watch.failure_or(|| Error::io("read", &watch.path, error)));
            }
            if line.is_empty() {
                break;
            }
            watch.check_line(number, line.len() as u64)?;
            let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
            match std::str::from_utf8(&line[..end]) {
                Ok(text) => visit(number, text, collector)?,
                Err(_) => collector.not_utf8(number, &line[..end])?,
            }
        }
        Ok(())
    }

    /// As [`Source::for_each_line`], for formats in which a part of a line may look whole: a last line without a line end
    /// is listed as a problem, unless it is listed already.
    pub(super) fn for_each_row(
        &mut self,
        collector: &mut Collector<'_>,
        mut visit: impl FnMut(u64, &str, &mut Collector<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let watch = self.watch();
        let (mut last, mut listed) = (None, collector.problem_count());
        self.for_each_line(collector, |number, line, collector| {
            listed = collector.problem_count();
            last = watch.ends_within_a_line().then(|| (number, line.to_owned()));
            visit(number, line, collector)
        })?;
        match last {
            Some((number, line)) if collector.problem_count() == listed => collector.cut_off(number, &line),
            _ => Ok(()),
        }
    }
}

fn known_encoding(path: &Path, label: &str) -> Result<&'static Encoding, Error> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| {
        Error::syntax(path, None, format!("\"{}\" is no known encoding", truename_text::excerpt(label)))
            .with_hint("name it with --encoding, by a WHATWG label such as utf-8, windows-1252, utf-16le")
    })
}

/// Returns the encoding that an XML declaration names (XML 1.0, appendix F).
fn declared_encoding(path: &Path, first: &[u8]) -> Result<Option<&'static Encoding>, Error> {
    if first.starts_with(b"<\0?\0") {
        return Ok(Some(encoding_rs::UTF_16LE));
    }
    if first.starts_with(b"\0<\0?") {
        return Ok(Some(encoding_rs::UTF_16BE));
    }
    let Some(declaration) = first.strip_prefix(b"<?xml") else { return Ok(None) };
    let end = declaration.iter().position(|byte| *byte == b'>').unwrap_or(declaration.len());
    let declaration = String::from_utf8_lossy(&declaration[..end]);
    let Some((_, value)) = declaration.split_once("encoding") else { return Ok(None) };
    let value = value.trim_start().trim_start_matches('=').trim_start();
    let label = value.get(1..).and_then(|rest| rest.split(['"', '\'']).next()).unwrap_or_default();
    match known_encoding(path, label)? {
        // A file of UTF-16 has a byte order mark; the declaration was left behind when the file was turned to UTF-8.
        encoding if encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE => Ok(None),
        encoding => Ok(Some(encoding).filter(|encoding| *encoding != encoding_rs::UTF_8)),
    }
}

/// Returns the first bytes of a reader, and the rest; a failure comes where it came.
fn peek(mut reader: Box<dyn Read>) -> (Vec<u8>, Box<dyn Read>) {
    let mut first = Vec::with_capacity(BEGINNING);
    match (&mut reader).take(BEGINNING as u64).read_to_end(&mut first) {
        Ok(_) => (first, reader),
        Err(error) => (first, Box::new(Failing(error))),
    }
}

/// Returns true if carriage returns alone end the lines, as on the first Macs.
fn has_old_line_ends(beginning: &[u8]) -> bool {
    // The line feed that belongs to the last byte may come after it.
    let before_last = &beginning[..beginning.len().saturating_sub(usize::from(beginning.len() == BEGINNING))];
    before_last.contains(&b'\r') && !beginning.contains(&b'\n')
}

fn replace_carriage_returns(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
}

struct OldLineEnds(Box<dyn Read>);

impl Read for OldLineEnds {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        replace_carriage_returns(&mut buffer[..read]);
        Ok(read)
    }
}

/// A reader that failed. Asked again, a decompressor might report the end of the data.
struct Failing(io::Error);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(self.0.kind(), self.0.to_string()))
    }
}

struct Counted {
    inner: File,
    progress: Arc<Progress>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.bytes_read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
