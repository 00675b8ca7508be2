//! Errors of an index that several modules report.

pub use truename_error::Error;
use truename_error::ErrorKind;

/// The error of a store that lacks an index.
pub(crate) fn missing() -> Error {
    Error::new(ErrorKind::Other, "the store lacks one of its indexes").with_hint("import the sources again")
}

/// The error of an index that contradicts itself: its file was changed from outside.
pub(crate) fn damaged(part: &str) -> Error {
    truename_storage::damaged(format_args!("the index is damaged: {part}"))
}
