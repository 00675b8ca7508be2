//! A file to read: decompressed and decoded.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use encoding_rs::Encoding;
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::bufread::MultiGzDecoder;

use crate::output::Wrong;
use crate::problem::not_utf8;
use crate::{Error, ReadOptions};

/// How many bytes of a file tell its format.
const BEGINNING: usize = 16 << 10;
const BUFFER: usize = 1 << 16;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(crate) struct Source {
    pub(crate) path: PathBuf,
    beginning: Cursor<Vec<u8>>,
    rest: BufReader<Box<dyn Read + Send>>,
}

impl Source {
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Self, Error> {
        let file = File::open(path).map_err(|source| Error::io("open", path, source))?;
        Self::of_reader(path, file, options)
    }

    pub(crate) fn of_reader(
        path: &Path,
        raw: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let raw: BufReader<Box<dyn Read + Send>> = BufReader::with_capacity(BUFFER, Box::new(raw));
        Self::decoded(path, raw, options, true)
    }

    /// A text that begins where its file does: to brat, a byte order mark is the first character.
    pub(crate) fn open_with_mark(path: &Path, options: &ReadOptions) -> Result<Self, Error> {
        let file = File::open(path).map_err(|source| Error::io("open", path, source))?;
        Self::decoded(path, BufReader::with_capacity(BUFFER, Box::new(file)), options, false)
    }

    fn decoded(
        path: &Path,
        mut raw: BufReader<Box<dyn Read + Send>>,
        options: &ReadOptions,
        strip_mark: bool,
    ) -> Result<Self, Error> {
        let unread = |source| Error::io("read", path, source);
        let compressed = raw.fill_buf().map_err(unread)?.starts_with(&GZIP_MAGIC);
        let plain: Box<dyn Read + Send> = if compressed { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
        let mut plain = BufReader::with_capacity(BUFFER, plain);
        let encoding = match options.encoding.as_deref() {
            Some(label) => Some(named(path, label)?),
            None => declared(plain.fill_buf().map_err(unread)?),
        };
        let decoded = DecodeReaderBytesBuilder::new()
            .encoding(encoding)
            .utf8_passthru(true)
            .strip_bom(strip_mark)
            .bom_override(true)
            .build(plain);
        let rest: Box<dyn Read + Send> = Box::new(decoded);
        Ok(Self { path: path.to_owned(), beginning: Cursor::default(), rest: BufReader::with_capacity(BUFFER, rest) })
    }

    /// The first bytes, which are still to be read.
    pub(crate) fn beginning(&mut self) -> Result<&[u8], Error> {
        let mut first = Vec::with_capacity(BEGINNING);
        let read = (&mut self.rest).take(BEGINNING as u64).read_to_end(&mut first);
        read.map_err(|source| Error::io("read", &self.path, source))?;
        self.beginning = Cursor::new(first);
        Ok(self.beginning.get_ref())
    }

    /// The whole file.
    pub(crate) fn into_reader(self) -> impl BufRead {
        self.beginning.chain(self.rest)
    }

    /// The file as text; in the inner result, why it is none.
    pub(crate) fn into_text(self) -> Result<Result<String, Wrong>, Error> {
        let (path, mut bytes) = (self.path.clone(), Vec::new());
        self.into_reader().read_to_end(&mut bytes).map_err(|source| Error::io("read", &path, source))?;
        Ok(String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + count_newlines(&error.as_bytes()[..valid]);
            Wrong::at(line, not_utf8(format_args!("byte {} of the file", valid + 1)))
        }))
    }

    pub(crate) fn into_lines(self) -> Lines {
        let path = self.path.clone();
        Lines { path, reader: Box::new(self.into_reader()), number: 0, line: Vec::new() }
    }
}

fn named(path: &Path, label: &str) -> Result<&'static Encoding, Error> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| {
        let message = format!("\"{label}\" is no known encoding");
        Error::refused(Some(path), message, "use a WHATWG label such as utf-8, windows-1252, utf-16le")
    })
}

/// The encoding that an XML declaration names, unless it is UTF-8 or the ASCII that XML tools write for it.
fn declared(beginning: &[u8]) -> Option<&'static Encoding> {
    let declaration = beginning.strip_prefix(b"<?xml")?;
    let declaration = std::str::from_utf8(&declaration[..declaration.iter().position(|byte| *byte == b'>')?]).ok()?;
    let label = declaration.split_once("encoding")?.1.trim_start_matches([' ', '=', '"', '\'']);
    let label = label.split(['"', '\'']).next()?;
    let ascii = label.to_ascii_lowercase().contains("ascii");
    Encoding::for_label(label.as_bytes()).filter(|encoding| !ascii && *encoding != encoding_rs::UTF_8)
}

/// The lines of a file, with numbers from 1 and without their ends.
pub(crate) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    number: u64,
    line: Vec<u8>,
}

impl Lines {
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &[u8])>, Error> {
        self.line.clear();
        let read = self.reader.read_until(b'\n', &mut self.line);
        if read.map_err(|source| Error::io("read", &self.path, source))? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        Ok(Some((self.number, line.strip_suffix(b"\r").unwrap_or(line))))
    }
}

/// A line as text, or why it is none.
pub(crate) fn line_text(line: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(line).map_err(|error| not_utf8(format_args!("byte {} of the line", error.valid_up_to() + 1)))
}

pub(crate) fn count_newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// A path without `.gz`.
pub(crate) fn without_gz(path: &Path) -> PathBuf {
    let compressed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    if compressed { path.with_extension("") } else { path.to_owned() }
}

/// The name of a file without its extension, for documents that have no other id.
pub(crate) fn stem(path: &Path) -> String {
    without_gz(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &'static [u8], encoding: Option<&str>) -> String {
        let options = ReadOptions { encoding: encoding.map(str::to_owned), ..ReadOptions::default() };
        let source = Source::of_reader(Path::new("memory"), bytes, &options).unwrap();
        source.into_text().unwrap().unwrap_or_else(|wrong| panic!("{}", wrong.message))
    }

    #[test]
    fn encodings_are_told_by_mark_label_and_declaration() {
        assert_eq!(text(b"\xEF\xBB\xBFna\xC3\xAFve", None), "naïve");
        assert_eq!(text(b"\xFF\xFEn\0a\0\xEF\0v\0e\0", None), "naïve");
        assert_eq!(text(b"na\xEFve", Some("windows-1252")), "naïve");
        let declared = b"<?xml version='1.0' encoding='ISO-8859-1'?>na\xEFve";
        assert!(text(declared, None).ends_with("naïve"));
        assert!(text(b"<?xml version=\"1.0\" encoding=\"US-ASCII\"?>na\xC3\xAFve", None).ends_with("naïve"));
    }

    #[test]
    fn an_unknown_encoding_is_refused() {
        let options = ReadOptions { encoding: Some("klingon".into()), ..ReadOptions::default() };
        let error = Source::of_reader(Path::new("memory"), &b""[..], &options).err().unwrap();
        assert_eq!(error.to_string(), "memory: \"klingon\" is no known encoding");
        assert_eq!(error.hint().as_deref(), Some("use a WHATWG label such as utf-8, windows-1252, utf-16le"));
    }

    #[test]
    fn lines_lose_their_ends_only() {
        let source = Source::of_reader(Path::new("memory"), &b"a \r\n\r\r\n\nb"[..], &ReadOptions::default()).unwrap();
        let (mut lines, mut found) = (source.into_lines(), Vec::new());
        while let Some((number, line)) = lines.next().unwrap() {
            found.push((number, String::from_utf8_lossy(line).into_owned()));
        }
        assert_eq!(found, [(1, "a ".into()), (2, "\r".into()), (3, String::new()), (4, "b".into())]);
    }

    #[test]
    fn names_of_files_name_documents() {
        for (path, name) in [("in/a.b.txt", "a.b"), ("a.txt.gz", "a"), ("-", "-"), ("a", "a")] {
            assert_eq!(stem(Path::new(path)), name);
        }
    }
}
