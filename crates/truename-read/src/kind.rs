//! Files that are not text, told by their first bytes.

const AS_CSV: &str = "save the sheet as CSV";
const FROM_FRAME: &str =
    "convert it to CSV: `python -c \"import pandas; pandas.read_feather('FILE').to_csv('FILE.csv', index=False)\"`";
const UNPACK: &str = "unpack it, or pack it with gzip";
pub(crate) const GZIP: &[u8] = b"\x1f\x8b";
pub(crate) const ZSTD: &[u8] = b"\x28\xB5\x2F\xFD";
const ZIP: &[u8] = b"PK\x03\x04";

/// First bytes, kind and advice.
const REFUSED: [(&[u8], &str, &str); 14] = [
    (ZIP, "a zip archive", "unpack it"),
    (b"\xD0\xCF\x11\xE0", "an Excel 97 workbook or another old Office file", AS_CSV),
    (b"%PDF", "a PDF", "take its text out, as `pdftotext FILE` does; a table is copied into a sheet and saved as CSV"),
    (b"{\\rtf", "RTF", "save it as plain text"),
    (b"BZh91AY&SY", "packed with bzip2", UNPACK),
    (b"\xFD7zXZ", "packed with xz", UNPACK),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive", UNPACK),
    (GZIP, "packed twice", "unpack it once"),
    (ZSTD, "packed twice", "unpack it once"),
    (b"ARROW1\0\0", "an Arrow or Feather file", FROM_FRAME),
    (b"FEA1", "a Feather file", FROM_FRAME),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"\xFF\xFE\0\0", "UTF-32", "convert it to UTF-8"),
    (b"\0\0\xFE\xFF", "UTF-32", "convert it to UTF-8"),
];

/// Bytes by which a Parquet table is told.
pub(crate) const PARQUET_BYTES: usize = 5;

/// Returns whether a file is a Parquet table. No text has a control character behind the letters.
pub(crate) fn is_parquet(beginning: &[u8]) -> bool {
    beginning.starts_with(b"PAR1") && beginning.get(4).is_some_and(|byte| *byte < 0x20 && !byte.is_ascii_whitespace())
}

/// Returns the kind of a file that is not text, with advice.
pub(crate) fn not_text(beginning: &[u8]) -> Option<(&'static str, &'static str)> {
    let contains = |part: &[u8]| memchr::memmem::find(beginning, part).is_some();
    if is_parquet(beginning) {
        return Some((
            "a Parquet table",
            "give it as a plain file, neither packed nor piped, where a table is read; or save it as CSV",
        ));
    }
    let (magic, kind, hint) = REFUSED.into_iter().find(|(magic, ..)| beginning.starts_with(magic))?;
    Some(match magic {
        ZIP if contains(b"word/") || contains(b"opendocument.text") => ("a text document", "save it as plain text"),
        ZIP if contains(b"xl/") || contains(b"[Content_Types].xml") => ("an Excel workbook", AS_CSV),
        ZIP if contains(b"opendocument.spreadsheet") => ("an OpenDocument sheet", AS_CSV),
        _ => (kind, hint),
    })
}

/// Returns the kind of a text that is neither a list nor a table, with advice.
pub(crate) fn no_table(beginning: &[u8]) -> Option<(&'static str, &'static str)> {
    // A single NUL is a damaged cell.
    let zeros = beginning.iter().filter(|byte| **byte == 0).count();
    if zeros > 0 && 4 * zeros >= beginning.len() {
        return Some(("binary, for it has NUL bytes", "save it as CSV"));
    }
    let text = beginning.trim_ascii_start();
    let lower = text[..text.len().min(20)].to_ascii_lowercase();
    let is_markup = [&b"<?xml"[..], b"<!doctype", b"<html", b"<table"].iter().any(|start| lower.starts_with(start));
    is_markup.then_some(("XML or HTML", "save its table as CSV"))
}
