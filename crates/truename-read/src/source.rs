//! Sources: files, pipes and stdin, unpacked, with their encoding told and all that they hand over bounded.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;

use crate::encoding::Encoding;
use truename_error::{ErrorKind, HintPart, hint};

use crate::error::{Error, read, too_long, undecodable};
use crate::json::{self, Objects};
use crate::kind::{self, GZIP, ZSTD};
use crate::lines::Lines;
use crate::options::SourceOptions;
use crate::parquet;
use crate::pipe::{BEGINS, Patience, Pipe};
use crate::reader::{CountingReader, FailedReader, LineFeeds, Reader, Unpacker, cut_off};
use crate::record::{Dialect, Records};
use crate::text::Text;

/// Bytes from the beginning of a text by which its format, dialect, encoding and line ends are told.
const BEGINNING: usize = 16 << 10;
const BUFFER: usize = 1 << 17;

/// A file, a pipe or bytes in memory that a user gave: unpacked, its encoding told.
pub struct Source {
    path: PathBuf,
    encoding: Encoding,
    is_file: bool,
    is_whole: bool,
    /// For each column of a Parquet table, true if its values are numbers or booleans.
    literals: Option<Vec<bool>>,
    /// Time that a read of a pipe waits; `None` for a file.
    patience: Option<Patience>,
    /// First bytes of the text.
    beginning: Vec<u8>,
    /// The text from its first byte.
    reader: Reader,
    max_line_bytes: u64,
}

/// The form in which a text is handed over.
#[derive(Clone, Copy)]
enum Form {
    Utf8 {
        keeps_mark: bool,
    },
    /// In the bytes of the file, but for UTF-16.
    Raw,
}

impl Source {
    /// Opens a file, or stdin where the path is `-`, as UTF-8.
    ///
    /// # Errors
    /// If the file cannot be opened or its beginning cannot be read, it is no text, or the encoding is unknown.
    pub fn open(path: &Path, options: &SourceOptions) -> Result<Self, Error> {
        Self::of_file(path, options, Form::Utf8 { keeps_mark: false })
    }

    /// Opens a text whose byte order mark is a character of it, as brat counts.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_with_mark(path: &Path, options: &SourceOptions) -> Result<Self, Error> {
        Self::of_file(path, options, Form::Utf8 { keeps_mark: true })
    }

    /// Opens a table or list whose rows are handed over in the bytes of the file. Only UTF-16 becomes UTF-8, since its line
    /// feeds and delimiters have two bytes; cells are decoded with [`Source::encoding`].
    ///
    /// # Errors
    /// As [`Source::open_table`].
    pub fn open_raw(path: &Path, options: &SourceOptions) -> Result<Self, Error> {
        Self::of_table(path, options, Form::Raw)
    }

    /// As [`Source::open`], but a Parquet table is opened too: the text is that of its rows as CSV, and a null is an empty cell
    /// without quotes.
    ///
    /// # Errors
    /// As [`Source::open`], or if a Parquet table is packed or damaged, or the build has no feature `parquet`.
    pub fn open_table(path: &Path, options: &SourceOptions) -> Result<Self, Error> {
        Self::of_table(path, options, Form::Utf8 { keeps_mark: false })
    }

    /// Reads from a reader; `name` stands for the file in messages.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn of_reader(name: &Path, reader: impl Read + Send + 'static, options: &SourceOptions) -> Result<Self, Error> {
        Self::of(name, Box::new(reader), options, Form::Utf8 { keeps_mark: false })
    }

    /// Reads from a pipe; `name` stands for the file in messages. The lines that came before it is idle are its [beginning](Self::beginning).
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn of_pipe(name: &Path, pipe: impl Read + Send + 'static, options: &SourceOptions) -> Result<Self, Error> {
        Self::of_stream(name, pipe, options, Form::Utf8 { keeps_mark: false })
    }

    fn of_file(path: &Path, options: &SourceOptions, form: Form) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Self::of_stream(path, io::stdin(), options, form);
        }
        let file = File::open(path).map_err(|source| Error::io("open", path, source))?;
        let metadata = file.metadata().map_err(|source| Error::io("read", path, source))?;
        if metadata.is_dir() {
            return Err(Error::io("read", path, io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")));
        }
        match metadata.is_file() {
            true => Ok(Self { is_file: true, ..Self::of(path, Box::new(file), options, form)? }),
            false => Self::of_stream(path, file, options, form),
        }
    }

    fn of_stream(
        path: &Path,
        stream: impl Read + Send + 'static,
        options: &SourceOptions,
        form: Form,
    ) -> Result<Self, Error> {
        let patience = Patience::of(BEGINS);
        let pipe = Pipe::new(stream, patience.clone(), options.on_idle.clone());
        let source = Self::of(path, Box::new(pipe), options, form)?;
        patience.end();
        Ok(Self { patience: Some(patience), ..source })
    }

    fn of_table(path: &Path, options: &SourceOptions, form: Form) -> Result<Self, Error> {
        let text = || match &options.row_range {
            None => Self::of_file(path, options, form),
            Some(rows) => Err(Error::at(
                ErrorKind::Choice,
                path,
                None,
                format_args!("this is no Parquet table, of which rows {rows:?} can be read"),
            )),
        };
        let is_file = path != Path::new("-") && path.is_file();
        let Some(file) = is_file.then(|| File::open(path).ok()).flatten() else { return text() };
        let mut beginning = Vec::with_capacity(kind::PARQUET_BYTES);
        let read = (&file).take(kind::PARQUET_BYTES as u64).read_to_end(&mut beginning);
        if read.is_err() || !kind::is_parquet(&beginning) {
            return text();
        }
        let (rows, literals) = parquet::open(path, file, options)?;
        let plain = SourceOptions { encoding: None, on_read: None, ..options.clone() };
        Ok(Self { is_file: true, literals: Some(literals), ..Self::of(path, rows, &plain, form)? })
    }

    fn of(path: &Path, raw: Reader, options: &SourceOptions, form: Form) -> Result<Self, Error> {
        let asked = options.encoding.as_deref().map(|label| {
            let unknown = || {
                let message = format!("\"{}\" is no known encoding", truename_text::excerpt(label));
                let labels = ": use a WHATWG label such as utf-8, windows-1252, utf-16le";
                Error::at(ErrorKind::UnknownEncoding, path, None, message)
                    .with_hint(hint![HintPart::setting("encoding"), labels])
            };
            Encoding::of_label(label).ok_or_else(unknown)
        });
        let asked = asked.transpose()?;
        let counted: Reader = match &options.on_read {
            Some(on_read) => Box::new(CountingReader { inner: raw, on_read: Arc::clone(on_read) }),
            None => raw,
        };
        let raw = Beginning::of(unpacked(path, counted)?);
        if let Some((kind, hint)) = kind::not_text(&raw.bytes) {
            return Err(not_text(path, kind, hint));
        }
        let encoding = Encoding::tell(asked, &raw.bytes);
        let is_kept = encoding.is_utf8() || (matches!(form, Form::Raw) && !encoding.is_utf16());
        let (text, mark) = match form {
            _ if !is_kept => (Beginning::of(encoding.decoded(raw.reader)), Encoding::MARK),
            Form::Utf8 { keeps_mark: true } => (raw, &b""[..]),
            _ => (raw, encoding.mark()),
        };
        let Beginning { bytes, is_whole, reader } = text.without_marks(mark);
        Ok(Self {
            path: path.to_owned(),
            encoding,
            is_file: false,
            is_whole,
            literals: None,
            patience: None,
            beginning: bytes,
            reader,
            max_line_bytes: options.max_line_bytes,
        })
    }

    /// The path, as messages name it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The encoding of the file.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// True if the source is a file, which can be read a second time.
    pub fn is_file(&self) -> bool {
        self.is_file
    }

    /// True if [`Source::beginning`] is the whole text.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// True if the source is a Parquet table.
    pub fn is_parquet(&self) -> bool {
        self.literals.is_some()
    }

    /// For each column of a Parquet table, true if its values are numbers or booleans.
    pub(crate) fn literals(&self) -> &[bool] {
        self.literals.as_deref().unwrap_or_default()
    }

    /// The patience of a pipe.
    pub(crate) fn patience(&self) -> Option<&Patience> {
        self.patience.as_ref()
    }

    /// Returns the first bytes of the text, which are still to be read.
    pub fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    /// Returns the first bytes as text, all line ends of which are line feeds where carriage returns alone end lines.
    pub fn beginning_text(&self) -> String {
        let text = String::from_utf8_lossy(&self.beginning);
        let text = text.trim_start_matches('\u{FEFF}');
        if has_old_line_ends(&self.beginning) { text.replace('\r', "\n") } else { text.to_owned() }
    }

    /// Refuses what is neither a list nor a table of text.
    ///
    /// # Errors
    /// If a quarter of it is NUL bytes, or it is markup.
    pub fn check_table(&self) -> Result<(), Error> {
        match kind::no_table(&self.beginning).filter(|_| !self.is_parquet()) {
            Some((kind, hint)) => Err(not_text(&self.path, kind, hint)),
            None => Ok(()),
        }
    }

    /// Returns the text with positions and bounds, for a parser.
    pub fn into_text(self) -> Text {
        let (path, limit) = (self.path.clone(), self.max_line_bytes);
        Text::new(&path, BufReader::with_capacity(BUFFER, self.into_lf()), limit)
    }

    /// Returns the lines, which end with `\n` or `\r\n`, or with `\r` where the text begins with such lines.
    pub fn into_lines(self) -> Lines {
        let (path, limit) = (self.path.clone(), self.max_line_bytes);
        Lines::new(&path, BufReader::with_capacity(BUFFER, self.into_lf()), limit)
    }

    /// Returns the rows of a table; without a dialect each line is a row of one cell.
    pub fn into_records(self, dialect: Option<Dialect>) -> Records {
        let (path, limit) = (self.path.clone(), self.max_line_bytes);
        Records::new(&path, self.into_reader(), dialect, limit)
    }

    /// Returns the JSON values of a file: one a line, or those of an array.
    pub fn into_objects(self) -> Objects {
        let (path, limit) = (self.path.clone(), self.max_line_bytes);
        // The line ends of rows are kept.
        let is_spread = json::is_spread(&self.beginning);
        let reader = if is_spread { self.into_lf() } else { self.into_reader() };
        Objects::new(&path, reader, is_spread, limit)
    }

    /// Returns the whole text, which may be as long as a line.
    ///
    /// # Errors
    /// If it cannot be read, is too long or is not UTF-8.
    pub fn into_string(self) -> Result<String, Error> {
        let (path, limit, mut bytes) = (self.path.clone(), self.max_line_bytes, Vec::new());
        let read = self.into_reader().take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|source| self::read(&path, None, source))?;
        if bytes.len() as u64 > limit {
            return Err(too_long(&path, None, format_args!("a text of more than {limit} bytes"), ""));
        }
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + memchr::memchr_iter(b'\n', &error.as_bytes()[..valid]).count() as u64;
            undecodable(&path, Some(line), format_args!("byte {} of the file is not UTF-8", valid + 1))
        })
    }

    fn into_reader(self) -> Reader {
        self.reader
    }

    fn into_lf(self) -> Reader {
        match has_old_line_ends(&self.beginning) {
            true => Box::new(LineFeeds { inner: self.into_reader(), after_return: false }),
            false => self.into_reader(),
        }
    }
}

fn not_text(path: &Path, kind: &str, hint: &str) -> Error {
    Error::at(ErrorKind::NotText, path, None, format_args!("this is {kind}")).with_hint(hint)
}

/// Returns true if a file has this extension, in capitals or not, packed or not.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    without_packing(path).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Returns a path without the extension of a compressor.
pub fn without_packing(path: &Path) -> PathBuf {
    if is_packed(path) { path.with_extension("") } else { path.to_owned() }
}

fn is_packed(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["gz", "zst", "zstd"].iter().any(|packed| extension.eq_ignore_ascii_case(packed))
}

fn unpacked(path: &Path, raw: Reader) -> Result<Reader, Error> {
    let mut raw = BufReader::with_capacity(BUFFER, raw);
    let mut magic = Vec::with_capacity(ZSTD.len());
    let unread = |source| Error::io("read", path, source);
    read_first(&mut raw, ZSTD.len(), &mut magic).map_err(unread)?;
    if magic.len() < GZIP.len() && is_packed(path) {
        return Err(read(path, None, cut_off()));
    }
    let (is_gzip, is_zstd) = (magic.starts_with(GZIP), magic == ZSTD);
    let raw = BufReader::with_capacity(BUFFER, Cursor::new(magic).chain(raw));
    Ok(match (is_gzip, is_zstd) {
        (true, _) => Box::new(Unpacker { inner: MultiGzDecoder::new(raw) }),
        (_, true) => Box::new(Unpacker { inner: zstd::Decoder::with_buffer(raw).map_err(unread)? }),
        _ => Box::new(raw),
    })
}

/// The first bytes of a reader, and a reader of all bytes.
struct Beginning {
    bytes: Vec<u8>,
    is_whole: bool,
    reader: Reader,
}

impl Beginning {
    /// Reads the first bytes. A failure comes where it came.
    fn of(mut reader: Reader) -> Self {
        let mut bytes = Vec::with_capacity(BEGINNING);
        let (is_whole, rest): (_, Reader) = match read_first(&mut reader, BEGINNING, &mut bytes) {
            Ok(is_whole) => (is_whole, reader),
            Err(error) => (false, Box::new(FailedReader(Some(error)))),
        };
        Self { reader: Box::new(Cursor::new(bytes.clone()).chain(rest)), bytes, is_whole }
    }

    /// Passes over the marks with which the bytes begin: a program that adds one to a marked file leaves two.
    fn without_marks(mut self, mark: &[u8]) -> Self {
        while !mark.is_empty() && self.bytes.starts_with(mark) {
            // It was read already.
            let _ = io::copy(&mut (&mut self.reader).take(mark.len() as u64), &mut io::sink());
            self.bytes.drain(..mark.len());
        }
        self
    }
}

/// Reads the first bytes: `most` of them, or fewer where the text ends or a pipe is idle behind a line. Returns true if the text ends.
///
/// A pipe may hand over fewer bytes at once than detection needs.
fn read_first(mut reader: impl Read, most: usize, first: &mut Vec<u8>) -> io::Result<bool> {
    loop {
        let missing = most - first.len();
        match (&mut reader).take(missing as u64).read_to_end(first) {
            Ok(_) => return Ok(first.len() < most),
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            // Of a line in UTF-16, too.
            Err(_) if first.ends_with(b"\n") || first.ends_with(b"\n\0") => return Ok(false),
            Err(_) => {}
        }
    }
}

/// Returns true if carriage returns alone end the lines, as on the first Macs.
fn has_old_line_ends(beginning: &[u8]) -> bool {
    // The line feed that belongs to the last byte may come after it.
    let before_last = &beginning[..beginning.len().saturating_sub(usize::from(beginning.len() == BEGINNING))];
    before_last.contains(&b'\r') && !beginning.contains(&b'\n')
}
