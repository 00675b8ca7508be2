//! Errors of a knowledge base that several modules report.

use std::fmt::Display;
use std::path::Path;

pub use truename_error::Error;
use truename_error::{ErrorKind, HintPart, excerpt, hint};
pub(crate) use truename_storage::io_error as io;
use truename_storage::unreadable;

/// The error of a record that cannot be read.
pub(crate) fn record(source: postcard::Error) -> Error {
    unreadable("a record", source)
}

/// The error of an automaton that cannot be read.
pub(crate) fn automaton(source: fst::Error) -> Error {
    unreadable("its forms of names", source)
}

/// The error of a store that another process, or this one, has open.
pub(crate) fn in_use(folder: &Path, process: Option<u32>) -> Error {
    let who = process.map_or("another process".to_owned(), |process| format!("process {process}"));
    Error::new(ErrorKind::Other, format_args!("{who} has knowledge base {} open", folder.display()))
        .with_hint("stop what uses it, and run the command again")
}

/// The error of a store whose checksums are missing, or older than its last commit.
pub(crate) fn without_sums(folder: &Path) -> Error {
    let compact = HintPart::action("kb compact").with("kb", folder.display());
    let message = format!("{} has no checksums of its last commit", folder.display());
    Error::new(ErrorKind::Other, message).with_hint(hint![compact, " makes them, and so does any change"])
}

/// The error of a folder without a store.
pub(crate) fn not_a_store(path: &Path, reason: &str) -> Error {
    let import = HintPart::action("kb import").value("FILE").with("out", "DIR");
    Error::new(ErrorKind::NotFound, format_args!("{} is not a knowledge base: {reason}", path.display()))
        .with_hint(hint!["make a knowledge base with ", import])
}

/// Creates the error of a target that exists already.
pub fn exists(path: &Path) -> Error {
    let advice =
        hint!["add to it with ", HintPart::action("kb update"), ", or replace it with ", HintPart::setting("force"),];
    Error::new(ErrorKind::Exists, format_args!("{} exists already", path.display())).with_hint(advice)
}

/// The error of content at a line of an imported file.
pub(crate) fn syntax(path: &Path, line: Option<u64>, message: impl Display) -> Error {
    Error::at(ErrorKind::Syntax, path, line, message)
}

/// The error of an id, or a number, that no concept has.
pub(crate) fn unknown_concept(id: &str) -> Error {
    Error::new(ErrorKind::NotFound, format_args!("no concept has the id \"{}\"", excerpt(id)))
}

/// The error of work that was stopped on request.
pub(crate) fn interrupted() -> Error {
    Error::new(ErrorKind::Interrupted, "interrupted; nothing was written")
}
