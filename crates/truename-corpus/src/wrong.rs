use std::fmt;
use std::path::Path;

use crate::Problem;

/// End of a message about a problem that ends the reading.
pub(crate) const REST: &str = "the rest of the file is not read";

/// The problem of a document, with its line where the format has lines.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) line: Option<u64>,
    pub(crate) message: String,
}

impl Wrong {
    pub(crate) fn at(line: u64, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    /// Names the file and, where it is known, the document.
    pub(crate) fn in_file(self, path: &Path, document: Option<&str>) -> Problem {
        Problem::new(path, self.line, self.message).in_document(document.map(str::to_owned))
    }
}

/// Returns the message about bytes that are no text; `place` names the first of them.
pub(crate) fn not_utf8(place: impl fmt::Display) -> String {
    format!("{place} is not UTF-8 (say --encoding, as in --encoding windows-1252)")
}

/// Returns the message about a line, text or document that has more bytes than [`ReadOptions`](crate::ReadOptions) allow.
pub(crate) fn too_long(what: &str, limit: u64) -> String {
    format!("{what} is longer than {limit} bytes (--max-line-bytes reads longer ones)")
}
