//! Errors of files that several modules report.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;

pub use truename_error::Error;
use truename_error::{ErrorKind, Hint, HintPart, hint};

const FETCH_AGAIN: &str = "fetch or copy the file again";

/// The error of a reader that failed at a line.
pub(crate) fn read(path: &Path, line: Option<u64>, source: io::Error) -> Error {
    match source.get_ref().and_then(|inner| inner.downcast_ref::<Damage>()) {
        Some(Damage(message)) => Error::at(ErrorKind::Damaged, path, line, message).with_hint(FETCH_AGAIN),
        None => Error::io("read", path, source),
    }
}

/// The error of a file that ends too early.
pub(crate) fn cut_off(path: &Path, line: Option<u64>, message: impl Display) -> Error {
    let message = format_args!("{message}; it is cut off");
    Error::at(ErrorKind::Damaged, path, line, message).with_hint(FETCH_AGAIN)
}

/// The error of a line, row or value that is longer than the limit; `question` is asked before the way out.
pub(crate) fn too_long(path: &Path, line: Option<u64>, message: impl Display, question: &str) -> Error {
    let advice = hint![question, HintPart::setting("max_line_bytes"), " reads longer rows"];
    Error::at(ErrorKind::TooLong, path, line, message).with_hint(advice)
}

/// The error of bytes that are not in the encoding of the file.
pub(crate) fn undecodable(path: &Path, line: Option<u64>, message: impl Display) -> Error {
    Error::at(ErrorKind::Undecodable, path, line, message).with_hint(encoding_hint())
}

/// Returns advice on bytes that are not in the encoding of their file.
pub fn encoding_hint() -> Hint {
    let encoding = HintPart::setting("encoding");
    hint!["say ", encoding.clone(), ", as in ", encoding.value("windows-1252")]
}

/// Damage of compressed data, within an error of the system.
#[derive(Debug)]
pub(crate) struct Damage(pub(crate) String);

impl Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Damage {}
