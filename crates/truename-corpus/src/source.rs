//! A file to read: decompressed and decoded.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use encoding_rs::Encoding;
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::bufread::MultiGzDecoder;

use crate::wrong::Wrong;
use crate::wrong::{not_utf8, too_long};
use crate::{Error, ReadOptions};

/// Bytes from the beginning of a text by which its format and its line ends are detected.
const BEGINNING: usize = 16 << 10;
/// Largest XML declaration, in bytes.
const DECLARATION: usize = 1 << 10;
const BUFFER: usize = 1 << 16;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

type Reader = Box<dyn Read + Send>;

pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// The encoding that the text was translated from; none where the file is read as UTF-8.
    pub(crate) encoding: Option<&'static Encoding>,
    limit: usize,
    beginning: Vec<u8>,
    rest: Reader,
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
        Self::decoded(path, Box::new(raw), options, true)
    }

    /// Returns a text that begins where its file does: to brat, a byte order mark is the first character.
    pub(crate) fn open_with_mark(path: &Path, options: &ReadOptions) -> Result<Self, Error> {
        let file = File::open(path).map_err(|source| Error::io("open", path, source))?;
        Self::decoded(path, Box::new(file), options, false)
    }

    fn decoded(path: &Path, raw: Reader, options: &ReadOptions, strip_mark: bool) -> Result<Self, Error> {
        let unread = |source| Error::io("read", path, source);
        let (magic, raw) = with_beginning(raw, GZIP_MAGIC.len()).map_err(unread)?;
        if magic.len() < GZIP_MAGIC.len() && is_gz(path) {
            return Err(Error::cut_off(path));
        }
        let plain: Reader = match magic == GZIP_MAGIC {
            true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, raw))),
            false => raw,
        };
        let (first, plain) = with_beginning(plain, DECLARATION).map_err(unread)?;
        let named = options.encoding.as_deref().map(|label| named(path, label)).transpose()?;
        let encoding = named.or_else(|| declared(&first));
        let decoded = DecodeReaderBytesBuilder::new()
            .encoding(encoding)
            .utf8_passthru(true)
            .strip_bom(strip_mark)
            .bom_override(true)
            .build(BufReader::with_capacity(BUFFER, plain));
        let (beginning, rest) = with_beginning(decoded, BEGINNING).map_err(unread)?;
        let marked = Encoding::for_bom(&first).map(|(encoding, _)| encoding);
        let encoding = marked.or(encoding).filter(|encoding| *encoding != encoding_rs::UTF_8);
        Ok(Self { path: path.to_owned(), encoding, limit: options.max_line_bytes, beginning, rest })
    }

    /// Returns the first bytes, which are still to be read.
    pub(crate) fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    /// Returns the whole file.
    pub(crate) fn into_reader(self) -> impl BufRead {
        BufReader::with_capacity(BUFFER, self.rest)
    }

    /// Returns the file as text; the inner error is a problem with its content.
    pub(crate) fn into_text(self) -> Result<Result<String, Wrong>, Error> {
        let (path, limit, mut bytes) = (self.path.clone(), self.limit, Vec::new());
        let read = self.into_reader().take((limit as u64).saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|source| Error::io("read", &path, source))?;
        if bytes.len() > limit {
            return Ok(Err(Wrong { line: None, message: too_long("the text", limit) }));
        }
        Ok(String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + count_newlines(&error.as_bytes()[..valid]);
            Wrong::at(line, not_utf8(format_args!("byte {} of the file", valid + 1)))
        }))
    }

    /// Returns the lines, which end with `\n` or `\r\n`, or with `\r` where the file begins with such lines.
    pub(crate) fn into_lines(self) -> Lines {
        let (path, limit) = (self.path.clone(), self.limit);
        let returns = self.beginning.contains(&b'\r') && !self.beginning.contains(&b'\n');
        let reader: Box<dyn BufRead> = match returns {
            true => Box::new(BufReader::with_capacity(BUFFER, LineFeeds { inner: self.rest, after_return: false })),
            false => Box::new(self.into_reader()),
        };
        Lines { path, limit, reader, number: 0, line: Vec::new() }
    }
}

/// Returns the first bytes of a reader, and a reader of all bytes.
///
/// A pipe may hand over fewer bytes at once than detection needs.
fn with_beginning(mut reader: impl Read + Send + 'static, length: usize) -> io::Result<(Vec<u8>, Reader)> {
    let mut first = Vec::with_capacity(length);
    (&mut reader).take(length as u64).read_to_end(&mut first)?;
    let whole = Cursor::new(first.clone()).chain(reader);
    Ok((first, Box::new(whole)))
}

fn named(path: &Path, label: &str) -> Result<&'static Encoding, Error> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| {
        let message = format!("\"{label}\" is no known encoding");
        Error::refused(Some(path), message, "use a WHATWG label such as utf-8, windows-1252, utf-16le")
    })
}

/// Returns the encoding that an XML file has by its first bytes or its declaration (XML 1.0, appendix F), unless it is
/// UTF-8 or the ASCII that XML tools write for it.
fn declared(beginning: &[u8]) -> Option<&'static Encoding> {
    match beginning {
        [b'<', 0, b'?', 0, ..] => return Some(encoding_rs::UTF_16LE),
        [0, b'<', 0, b'?', ..] => return Some(encoding_rs::UTF_16BE),
        _ => {}
    }
    let declaration = beginning.strip_prefix(b"<?xml")?;
    let declaration = std::str::from_utf8(&declaration[..declaration.iter().position(|byte| *byte == b'>')?]).ok()?;
    let label = declaration.split_once("encoding")?.1.trim_start_matches([' ', '=', '"', '\'']);
    let label = label.split(['"', '\'']).next()?;
    let ascii = label.to_ascii_lowercase().contains("ascii");
    // A declaration that can be read byte by byte is not UTF-16, whatever it says.
    let wide = [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE];
    Encoding::for_label(label.as_bytes())
        .filter(|encoding| !ascii && *encoding != encoding_rs::UTF_8 && !wide.contains(encoding))
}

/// Makes each `\r` and each `\r\n` a `\n`.
struct LineFeeds<R> {
    inner: R,
    after_return: bool,
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

/// The lines of a file, with numbers from 1 and without their ends.
pub(crate) struct Lines {
    path: PathBuf,
    limit: usize,
    reader: Box<dyn BufRead>,
    number: u64,
    line: Vec<u8>,
}

pub(crate) struct Line<'l> {
    pub(crate) number: u64,
    /// Its bytes or, where it is too long, the first of them.
    pub(crate) bytes: &'l [u8],
    /// True where the line has an end; the last line may have none.
    pub(crate) is_ended: bool,
    limit: usize,
}

impl Line<'_> {
    /// Returns the line as text, or its problem.
    pub(crate) fn text(&self) -> Result<&str, String> {
        if self.bytes.len() > self.limit {
            return Err(too_long("the line", self.limit));
        }
        let not_utf8 = |at| not_utf8(format_args!("byte {at} of the line"));
        std::str::from_utf8(self.bytes).map_err(|error| not_utf8(error.valid_up_to() + 1))
    }
}

impl Lines {
    pub(crate) fn next(&mut self) -> Result<Option<Line<'_>>, Error> {
        const LONGEST_END: u64 = 2;
        let unread = |source| Error::io("read", &self.path, source);
        self.line.clear();
        let most = (self.limit as u64).saturating_add(LONGEST_END);
        if (&mut self.reader).take(most).read_until(b'\n', &mut self.line).map_err(unread)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let is_ended = self.line.ends_with(b"\n");
        if !is_ended && self.line.len() as u64 == most {
            self.reader.skip_until(b'\n').map_err(unread)?;
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let bytes = line.strip_suffix(b"\r").unwrap_or(line);
        Ok(Some(Line { number: self.number, bytes, is_ended, limit: self.limit }))
    }
}

pub(crate) fn count_newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn is_gz(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// Returns a path without `.gz`.
pub(crate) fn without_gz(path: &Path) -> PathBuf {
    if is_gz(path) { path.with_extension("") } else { path.to_owned() }
}

/// Returns the name of a file without its extension, for documents that have no other id.
pub(crate) fn stem(path: &Path) -> String {
    without_gz(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &'static [u8], encoding: Option<&str>) -> String {
        let options = ReadOptions::default().encoding(encoding.map(str::to_owned));
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
        // Tools that write XML into a string of two-byte units say so even where the file is UTF-8.
        assert!(text(b"<?xml version='1.0' encoding='UTF-16'?>na\xC3\xAFve", None).ends_with("naïve"));
        // Without a mark, the first bytes of XML tell that it is UTF-16.
        assert_eq!(text(b"<\0?\0x\0\xEF\0", None), "<?xï");
        assert_eq!(text(b"\0<\0?\0x\0\xEF", None), "<?xï");
    }

    #[test]
    fn an_unknown_encoding_is_refused() {
        let options = ReadOptions::default().encoding(Some("klingon".into()));
        let error = Source::of_reader(Path::new("memory"), &b""[..], &options).err().unwrap();
        assert_eq!(error.to_string(), "memory: \"klingon\" is no known encoding");
        assert_eq!(error.hint().as_deref(), Some("use a WHATWG label such as utf-8, windows-1252, utf-16le"));
    }

    #[test]
    fn lines_lose_their_ends_only() {
        let source = Source::of_reader(Path::new("memory"), &b"a \r\n\r\r\n\nb"[..], &ReadOptions::default()).unwrap();
        let (mut lines, mut found) = (source.into_lines(), Vec::new());
        while let Some(line) = lines.next().unwrap() {
            found.push((line.number, line.text().unwrap().to_owned(), line.is_ended));
        }
        let wanted = [(1, "a ", true), (2, "\r", true), (3, "", true), (4, "b", false)];
        assert_eq!(found, wanted.map(|(number, line, is_ended)| (number, line.to_owned(), is_ended)));
    }

    fn lines(bytes: &[u8], limit: usize) -> Vec<(u64, Result<String, String>)> {
        let options = ReadOptions::default().max_line_bytes(limit);
        let source = Source::of_reader(Path::new("memory"), Cursor::new(bytes.to_vec()), &options).unwrap();
        let (mut lines, mut found) = (source.into_lines(), Vec::new());
        while let Some(line) = lines.next().unwrap() {
            found.push((line.number, line.text().map(str::to_owned)));
        }
        found
    }

    #[test]
    fn carriage_returns_end_lines_where_there_are_no_line_feeds() {
        let wanted = [(1, Ok("a".to_owned())), (2, Ok("b c".into())), (3, Ok(String::new())), (4, Ok("d".into()))];
        assert_eq!(lines(b"a\rb c\r\rd\r", 100), wanted);
        assert_eq!(lines(b"a\rb c\r\rd", 100), wanted);
        // Beyond the first bytes all ends may come.
        let long = "x".repeat(BEGINNING);
        let found = lines(format!("a\r{long}\rb\r\nc\nd").as_bytes(), BEGINNING);
        let texts: Vec<String> = found.into_iter().map(|(_, line)| line.unwrap()).collect();
        assert_eq!(texts, ["a", &*long, "b", "c", "d"]);
    }

    #[test]
    fn long_lines_are_passed_over() {
        let message = "the line is longer than 4 bytes (--max-line-bytes reads longer ones)".to_owned();
        for end in ["\n", "\r\n", "\r"] {
            for long in ["12345", "123456", "1234567", "12345678901234567890"] {
                let found = lines(["1234", long, "", "abcd"].join(end).as_bytes(), 4);
                let wanted = [Ok("1234".to_owned()), Err(message.clone()), Ok(String::new()), Ok("abcd".into())];
                assert_eq!(found, (1..).zip(wanted).collect::<Vec<_>>(), "{end:?} {long}");
            }
        }
        assert_eq!(lines(b"12345", 4), [(1, Err(message))]);
    }

    /// Hands over one byte at a time, as a slow pipe does.
    struct OneByOne(&'static [u8]);

    impl Read for OneByOne {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            (buffer[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    #[test]
    fn a_slow_pipe_is_read_as_a_file() {
        let text = |bytes| {
            let source = Source::of_reader(Path::new("-"), OneByOne(bytes), &ReadOptions::default()).unwrap();
            source.into_text().unwrap().unwrap_or_else(|wrong| panic!("{}", wrong.message))
        };
        assert!(text(b"<?xml version='1.0' encoding='ISO-8859-1'?>na\xEFve").ends_with("naïve"));
        assert_eq!(text(b"\xFF\xFEn\0a\0"), "na");
        // python: gzip.compress(b"cold", mtime=0)
        assert_eq!(text(b"\x1f\x8b\x08\0\0\0\0\0\x02\x03K\xce\xcfI\x01\0\x06\x8a\xcb\xc8\x04\0\0\0"), "cold");
    }

    #[test]
    fn names_of_files_name_documents() {
        for (path, name) in [("in/a.b.txt", "a.b"), ("a.txt.gz", "a"), ("-", "-"), ("a", "a")] {
            assert_eq!(stem(Path::new(path)), name);
        }
    }
}
