use std::fmt;

/// The message about bytes that are no text; `place` names the first of them.
pub(crate) fn not_utf8(place: impl fmt::Display) -> String {
    format!("{place} is not UTF-8 (say --encoding, as in --encoding windows-1252)")
}

/// The message about a line, text or document that has more bytes than [`ReadOptions`](crate::ReadOptions) allow.
pub(crate) fn too_long(what: &str, limit: usize) -> String {
    format!("{what} is longer than {limit} bytes (--max-line-bytes reads longer ones)")
}
