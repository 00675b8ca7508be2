//! File with the names: opens and decompresses it, and detects its format.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use anyhow::Context;
use flate2::bufread::MultiGzDecoder;
use indicatif::ProgressBar;

use super::encoding::Codec;
use crate::arguments::{InputFormat, Match};
use crate::bars::bytes_bar;
use crate::exit_code::{Advised, ExitCode};

/// Bytes read to detect format, delimiter and encoding.
const BEGINNING: usize = 16 << 10;
const BUFFER: usize = 1 << 16;
const GZIP: &[u8] = b"\x1f\x8b";
const PARQUET: &[u8] = b"PAR1";
const AS_CSV: &str = "save the sheet as CSV";
const UNPACK: &str = "unpack it, or pack it with gzip";

/// Signatures of files that are not text: first bytes, kind and advice.
const REFUSED: [(&[u8], &str, &str); 14] = [
    (b"PK\x03\x04", "a zip archive", "unpack it"),
    (b"\xD0\xCF\x11\xE0", "an Excel 97 workbook or another old Office file", AS_CSV),
    (b"%PDF", "a PDF", "copy its table into a sheet and save it as CSV"),
    (b"{\\rtf", "RTF", "save it as plain text"),
    (b"BZh91AY&SY", "packed with bzip2", UNPACK),
    (b"\xFD7zXZ", "packed with xz", UNPACK),
    (b"\x28\xB5\x2F\xFD", "packed with zstd", UNPACK),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive", UNPACK),
    (GZIP, "gzipped twice", "unpack it once"),
    (PARQUET, "a Parquet table", "give it as a plain file, with --input-format parquet"),
    (b"ARROW1", "an Arrow file", "convert it to Parquet"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"\xFF\xFE\0\0", "UTF-32", "convert it to UTF-8"),
    (b"\0\0\xFE\xFF", "UTF-32", "convert it to UTF-8"),
];

/// Bytes of a file or of stdin, decompressed.
pub struct Source {
    reader: Box<dyn BufRead>,
    /// First bytes; reading returns them again.
    pub beginning: Vec<u8>,
    pub is_whole: bool,
    /// True if the input can be read a second time.
    pub is_file: bool,
    pub bar: ProgressBar,
}

impl Source {
    /// Opens the input.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(path: &Path, quiet: bool) -> anyhow::Result<Self> {
        let failed = || format!("cannot read {}", path.display());
        let (raw, total): (Box<dyn Read>, _) = if path == Path::new("-") {
            (Box::new(std::io::stdin()), None)
        } else {
            let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
            let metadata = file.metadata().with_context(failed)?;
            anyhow::ensure!(!metadata.is_dir(), "cannot read {}: it is a folder", path.display());
            (Box::new(file), metadata.is_file().then_some(metadata.len()))
        };
        let bar = bytes_bar(total, quiet);
        let mut raw = BufReader::with_capacity(BUFFER, bar.wrap_read(raw));
        let mut reader: Box<dyn BufRead> = if raw.fill_buf().with_context(failed)?.starts_with(GZIP) {
            Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(raw)))
        } else {
            Box::new(raw)
        };
        let mut beginning = Vec::with_capacity(BEGINNING);
        reader.by_ref().take(BEGINNING as u64).read_to_end(&mut beginning).with_context(failed)?;
        let is_whole = beginning.len() < BEGINNING;
        Ok(Self { reader, beginning, is_whole, is_file: total.is_some(), bar })
    }

    /// Returns the whole text, decoded as [`Codec::reader`] does.
    pub fn into_text(self, codec: Codec) -> std::io::Result<Box<dyn BufRead>> {
        codec.reader(Cursor::new(self.beginning).chain(self.reader))
    }

    /// Returns whether the content is a Parquet table.
    pub fn is_parquet(&self) -> bool {
        self.beginning.starts_with(PARQUET) && self.is_file
    }

    /// Returns the user's format, else the format of the extension or the content.
    pub fn format(&self, arguments: &Match) -> InputFormat {
        let is_table = arguments.column.is_some() || arguments.delimiter.is_some();
        self.format_of(&arguments.file, arguments.input_format, is_table)
    }

    /// Returns the format asked for, else that of the extension or the content; `is_table` where text has columns.
    pub fn format_of(&self, path: &Path, asked: Option<InputFormat>, is_table: bool) -> InputFormat {
        let is_object = self.beginning.trim_ascii_start().strip_prefix(b"{").is_some_and(|rest| {
            let rest = rest.trim_ascii_start();
            rest.starts_with(b"\"") || rest.starts_with(b"}")
        });
        let by_content = || match () {
            () if self.is_parquet() => Some(InputFormat::Parquet),
            () if is_object => Some(InputFormat::Jsonl),
            () => is_table.then_some(InputFormat::Csv),
        };
        asked.or_else(|| by_extension(path)).or_else(by_content).unwrap_or(InputFormat::Text)
    }

    /// Refuses content that is not text.
    ///
    /// # Errors
    /// If the content is not text.
    pub fn check_text(&self, path: &Path, codec: Codec) -> anyhow::Result<()> {
        let Some((kind, hint)) = no_text(&self.beginning, codec) else { return Ok(()) };
        let message = format!("cannot read {}: it is {kind}", path.display());
        Err(Advised { message, hint: hint.into(), code: ExitCode::Failure }.into())
    }
}

/// Returns the format of a file's extension; `.gz` is ignored.
pub fn by_extension(path: &Path) -> Option<InputFormat> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let (_, extension) = name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?;
    match extension {
        "csv" => Some(InputFormat::Csv),
        "tsv" | "tab" => Some(InputFormat::Tsv),
        "jsonl" | "ndjson" => Some(InputFormat::Jsonl),
        "parquet" | "pq" => Some(InputFormat::Parquet),
        _ => None,
    }
}

/// Returns the kind of a file that is not text, with advice.
fn no_text(beginning: &[u8], codec: Codec) -> Option<(&'static str, &'static str)> {
    let contains = |part: &[u8]| beginning.windows(part.len()).any(|window| window == part);
    if let Some((magic, kind, hint)) = REFUSED.into_iter().find(|(magic, ..)| beginning.starts_with(magic)) {
        return Some(match magic {
            b"PK\x03\x04" if contains(b"xl/") || contains(b"[Content_Types].xml") => ("an Excel workbook", AS_CSV),
            b"PK\x03\x04" if contains(b"opendocument.spreadsheet") => ("an OpenDocument sheet", AS_CSV),
            _ => (kind, hint),
        });
    }
    if !codec.is_utf16() && beginning.contains(&0) {
        // Texts of UTF-16 have them in one of two places; a fourth of the bytes leaves room for letters beyond Latin-1.
        let is_wide = 4 * beginning.iter().filter(|byte| **byte == 0).count() >= beginning.len();
        return Some(match zeros(beginning) {
            _ if !is_wide => ("no clean text, for it has NUL bytes", "remove them: tr -d '\\0' < FILE"),
            (even, 0) if even > 0 => ("UTF-16 without a byte order mark", "say --encoding utf-16be"),
            (0, _) => ("UTF-16 without a byte order mark", "say --encoding utf-16le"),
            _ => ("binary, for it has NUL bytes", "save it as CSV"),
        });
    }
    let text = codec.preview(beginning);
    let text = text.trim_ascii_start();
    if let Some(rest) = text.strip_prefix(b"[") {
        let is_array = matches!(rest.trim_ascii_start().first(), Some(b'{' | b'"'));
        return is_array.then_some(("a JSON array", "write one object a line: jq -c '.[]' FILE > FILE.jsonl"));
    }
    let lower = text[..text.len().min(20)].to_ascii_lowercase();
    let is_markup = [&b"<?xml"[..], b"<!doctype", b"<html", b"<table"].iter().any(|start| lower.starts_with(start));
    is_markup.then_some(("XML or HTML", "save its table as CSV"))
}

/// Counts NUL bytes at even and at odd positions.
fn zeros(bytes: &[u8]) -> (usize, usize) {
    let count = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    (count(0), count(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_extension() {
        let told = |path: &str| by_extension(Path::new(path));
        assert_eq!(told("a.b/X.CSV"), Some(InputFormat::Csv));
        assert_eq!(told("x.tsv.gz"), Some(InputFormat::Tsv));
        assert_eq!(told("x.ndjson"), Some(InputFormat::Jsonl));
        assert_eq!((told("x.txt"), told("csv"), told("-"), told("x.gz")), (None, None, None, None));
    }

    #[test]
    fn files_that_hold_no_text_are_told_apart() {
        let kind = |bytes: &[u8]| no_text(bytes, Codec::of(None, bytes).unwrap()).map(|(kind, _)| kind);
        let wide: Vec<u8> = "name\nköln\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let other: Vec<u8> = "name\nköln\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(no_text(&wide, Codec::of(None, &wide).unwrap()).unwrap().1, "say --encoding utf-16le");
        assert_eq!(no_text(&other, Codec::of(None, &other).unwrap()).unwrap().1, "say --encoding utf-16be");
        assert_eq!(kind(&[b"\xFF\xFE", &wide[..]].concat()), None);
        assert_eq!(kind(b"name,note\nasp\0irin,a\n"), Some("no clean text, for it has NUL bytes"));
        assert_eq!(kind(b"name\0\0\0x"), Some("binary, for it has NUL bytes"));
        assert_eq!(kind(b"PK\x03\x04....[Content_Types].xml"), Some("an Excel workbook"));
        assert_eq!(kind(b"PK\x03\x04...."), Some("a zip archive"));
        assert_eq!(kind(b"\xEF\xBB\xBF [\n {\"name\": 1}]"), Some("a JSON array"));
        assert_eq!(kind(b"<!DOCTYPE html>"), Some("XML or HTML"));
        assert_eq!((kind(b"[18F]FDG\n"), kind(b"<name>\n"), kind(b"PKU\n"), kind(b"")), (None, None, None, None));
    }
}
