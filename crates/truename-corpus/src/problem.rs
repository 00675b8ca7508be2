use std::fmt;
use std::path::PathBuf;

/// The reason for which a document was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1, where the format has lines.
    pub line: Option<u64>,
    /// The id of the document, where it is known.
    pub document: Option<String>,
    /// The reason, with the value, and a way out where one is known.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if let Some(document) = &self.document {
            write!(f, " document {}:", shorten(document))?;
        }
        write!(f, " {}", self.message)
    }
}

/// A value as messages show it: its first characters, control characters escaped.
pub(crate) fn shorten(value: &str) -> String {
    const SHOWN: usize = 80;
    let shown: String = value.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if value.chars().nth(SHOWN).is_some() { format!("{shown}…") } else { shown }
}

/// The message about bytes that are no text; `place` names the first of them.
pub(crate) fn not_utf8(place: impl fmt::Display) -> String {
    format!("{place} is not UTF-8 (say --encoding, as in --encoding windows-1252)")
}

/// The message about a line, text or document that has more bytes than [`ReadOptions`](crate::ReadOptions) allow.
pub(crate) fn too_long(what: &str, limit: usize) -> String {
    format!("{what} is longer than {limit} bytes (--max-line-bytes reads longer ones)")
}
