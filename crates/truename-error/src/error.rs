//! The error and its kinds.

use std::error::Error as Cause;
use std::fmt::{self, Display};
use std::io;
use std::path::Path;

use crate::{Hint, Problem};

/// Failure of a part of Truename, displayed as its message. Its source is the cause that the system or another library reported.
#[derive(Debug)]
pub struct Error(Box<Report>);

#[derive(Debug)]
struct Report {
    kind: ErrorKind,
    message: String,
    problem: Option<Problem>,
    hint: Option<Hint>,
    source: Option<Box<dyn Cause + Send + Sync>>,
    /// True if the message is that of the source, so that the chain goes on with the source's own cause.
    is_shown: bool,
}

/// Kinds of errors that a caller may have to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file, folder, concept or model asked for does not exist.
    NotFound,
    /// The target exists already.
    Exists,
    /// The system failed otherwise.
    Io,
    /// There is no room left on the disk or in the store.
    Full,
    /// The work was stopped on request.
    Interrupted,
    /// A knowledge base, model or compressed file is damaged: changed or cut off from outside.
    Damaged,
    /// A knowledge base or run is of another version of Truename.
    OtherVersion,
    /// A line, row or value is longer than the limit.
    TooLong,
    /// The label of an encoding is unknown.
    UnknownEncoding,
    /// Bytes are not in the encoding of the file.
    Undecodable,
    /// The file is no text.
    NotText,
    /// The content of a file is not what it should be.
    Syntax,
    /// An option has a value that it cannot have, such as a type that no concept has.
    Choice,
    /// A table lacks a column that an option names.
    NoColumn,
    /// A recipe has a key or value that it cannot have, or lacks one.
    Recipe,
    /// There is too little to learn from or to evaluate on.
    TooFew,
    /// A model in the folder of a knowledge base is missing or was changed.
    ModelChanged,
    /// The vectors are not there, or another encoder made them.
    EncoderMismatch,
    /// A model returned a number that is not finite.
    NotFinite,
    /// A network or server could not be reached, or refused.
    Unreachable,
    /// Another failure.
    Other,
}

impl Error {
    /// Creates an error.
    pub fn new(kind: ErrorKind, message: impl Display) -> Self {
        let message = message.to_string();
        Self(Box::new(Report { kind, message, problem: None, hint: None, source: None, is_shown: false }))
    }

    /// Creates the error of a system call: `cannot ACTION PATH`.
    pub fn io(action: &str, path: &Path, source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::StorageFull => ErrorKind::Full,
            _ => ErrorKind::Io,
        };
        Self::new(kind, format_args!("cannot {action} {}", path.display())).with_source(source)
    }

    /// Creates the error of content at a line of a file, or of the whole of it.
    pub fn at(kind: ErrorKind, path: &Path, line: impl Into<Option<u64>>, message: impl Display) -> Self {
        Self::of_problem(kind, Problem::new(path, line, message.to_string()))
    }

    /// Creates the error of a place in a file, with the problem's advice.
    pub fn of_problem(kind: ErrorKind, mut problem: Problem) -> Self {
        let mut error = Self::new(kind, &problem);
        error.0.hint = problem.hint.take().map(|hint| *hint);
        error.0.problem = Some(problem);
        error
    }

    /// Returns the problem of a file that this is, with the advice.
    ///
    /// # Errors
    /// This error, where it is of no place in a file.
    pub fn into_problem(mut self) -> Result<Problem, Self> {
        let hint = self.0.hint.clone().map(Box::new);
        self.0.problem.take().map(|problem| Problem { hint, ..problem }).ok_or(self)
    }

    /// Wraps the error of a part outside Truename; its message is that error's.
    pub fn other(cause: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        match cause.into().downcast::<Self>() {
            Ok(own) => *own,
            Err(cause) => {
                let mut error = Self::new(ErrorKind::Other, &cause).with_source(cause);
                error.0.is_shown = true;
                error
            }
        }
    }

    /// Sets the kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Hint>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns advice, where there is some.
    pub fn hint(&self) -> Option<&Hint> {
        self.0.hint.as_ref()
    }

    /// Returns the place in a file, where there is one.
    pub fn problem(&self) -> Option<&Problem> {
        self.0.problem.as_ref()
    }

    /// Returns true if the file, folder, concept or model asked for does not exist.
    pub fn is_not_found(&self) -> bool {
        self.kind() == ErrorKind::NotFound
    }

    /// Returns true if the work was stopped on request.
    pub fn is_interrupted(&self) -> bool {
        self.kind() == ErrorKind::Interrupted
    }

    /// Returns true if something is damaged: changed or cut off from outside.
    pub fn is_damaged(&self) -> bool {
        self.kind() == ErrorKind::Damaged
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl Cause for Error {
    fn source(&self) -> Option<&(dyn Cause + 'static)> {
        let source = self.0.source.as_deref().map(|source| source as &(dyn Cause + 'static));
        if self.0.is_shown { source.and_then(Cause::source) } else { source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_places_and_causes_are_kept() {
        let missing = Error::io("open", Path::new("a.csv"), io::Error::from(io::ErrorKind::NotFound));
        assert!(missing.is_not_found() && missing.source().is_some());
        assert_eq!(missing.to_string(), "cannot open a.csv");
        let row = Error::of_problem(ErrorKind::Syntax, Problem::new("a.csv", 3, "an empty name")).with_hint("fill it");
        assert_eq!((row.to_string().as_str(), row.problem().unwrap().line), ("a.csv:3: an empty name", Some(3)));
        assert_eq!(row.hint().unwrap().to_string(), "fill it");
        let problem = row.into_problem().unwrap();
        assert_eq!(problem.hint.as_ref().unwrap().to_string(), "fill it");
        assert_eq!(Error::of_problem(ErrorKind::Syntax, problem).hint().unwrap().to_string(), "fill it");
        assert!(missing.into_problem().unwrap_err().is_not_found());
    }

    #[test]
    fn an_error_of_another_library_speaks_for_itself() {
        let cause = Error::new(ErrorKind::Damaged, "weights are gone").with_source(io::Error::other("bad sector"));
        let own = Error::other(cause);
        assert!(own.is_damaged(), "an error of ours stays what it is");
        let foreign = Error::other(Box::<dyn Cause + Send + Sync>::from("no room"));
        assert_eq!((foreign.to_string().as_str(), foreign.kind()), ("no room", ErrorKind::Other));
        assert!(foreign.source().is_none());
    }
}
