//! Errors that several modules report.

use std::io;
use std::path::Path;

pub use truename::Error;
use truename::{ErrorKind, HintPart};
use truename_error::hint;
use truename_files::{IRREGULAR_HINT, is_irregular};

/// Error of a system call.
pub(crate) fn io(action: &str, path: &Path, source: io::Error) -> Error {
    let is_irregular = is_irregular(&source);
    let error = Error::io(action, path, source);
    if is_irregular { error.with_hint(IRREGULAR_HINT) } else { error }
}

/// Error of a file of keys, or of a line of it.
pub(crate) fn keys(message: String) -> Error {
    Error::new(ErrorKind::Syntax, message).with_hint("write a line for each user: NAME KEY")
}

/// Error of a name that no knowledge base can have here.
pub(crate) fn name(name: &str) -> Error {
    let kb = HintPart::setting("kb").value("NAME=DIR");
    let advice = hint!["write ", kb, ", each name once, of letters, digits, -, _ and ."];
    Error::new(ErrorKind::Choice, format!("\"{name}\" cannot be the name of a knowledge base here")).with_hint(advice)
}
