use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use truename_error::{ErrorKind, Hint, HintPart, hint};

use truename_text::Problem;

/// An error of a file that a user gave.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: io::Error },
    Content { problem: Problem, cause: Cause, hint: Option<String> },
}

/// The reason for which content was refused, for callers that add advice of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A line, row or value is longer than [`SourceOptions::max_line_bytes`](crate::SourceOptions::max_line_bytes).
    TooLong,
    /// The label of an encoding is unknown.
    UnknownEncoding,
    /// Bytes are not in the encoding of the file.
    Undecodable,
    /// The file is no text.
    NotText,
    /// The file ends too early, or its compressed data are damaged.
    Damaged,
    /// The syntax is broken.
    Syntax,
}

const FETCH_AGAIN: &str = "fetch or copy the file again";

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self(Box::new(Kind::Io { action, path: path.to_owned(), source }))
    }

    /// Creates the error of a reader that failed at a line.
    pub(crate) fn read(path: &Path, line: Option<u64>, source: io::Error) -> Self {
        match source.get_ref().and_then(|inner| inner.downcast_ref::<Damage>()) {
            Some(damage) => Self::content(path, line, Cause::Damaged, &damage.0).with_hint(FETCH_AGAIN),
            None => Self::io("read", path, source),
        }
    }

    /// Creates the error of content at a line.
    pub fn content(path: &Path, line: Option<u64>, cause: Cause, message: impl fmt::Display) -> Self {
        let problem = Problem::new(path, line, printable(&message.to_string()));
        Self(Box::new(Kind::Content { problem, cause, hint: None }))
    }

    /// Creates the error of a file that ends too early.
    pub(crate) fn cut_off(path: &Path, line: Option<u64>, message: impl fmt::Display) -> Self {
        Self::content(path, line, Cause::Damaged, format_args!("{message}; it is cut off")).with_hint(FETCH_AGAIN)
    }

    /// Adds advice.
    #[must_use]
    pub fn with_hint(mut self, advice: impl Into<String>) -> Self {
        if let Kind::Content { hint, .. } = &mut *self.0 {
            *hint = Some(advice.into());
        }
        self
    }

    /// Returns true if the file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(&*self.0, Kind::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Returns the reason for which content was refused; none where the file could not be opened or read.
    pub fn cause(&self) -> Option<Cause> {
        match &*self.0 {
            Kind::Io { .. } => None,
            Kind::Content { cause, .. } => Some(*cause),
        }
    }

    /// Returns a way out, where one is known.
    pub fn hint(&self) -> Option<&str> {
        match &*self.0 {
            Kind::Io { .. } => None,
            Kind::Content { hint, .. } => hint.as_deref(),
        }
    }

    /// Returns the place and the reason of refused content; else the error of the system.
    pub fn into_problem(self) -> Result<Problem, Self> {
        match *self.0 {
            Kind::Content { problem, .. } => Ok(problem),
            Kind::Io { .. } => Err(self),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::Content { problem, .. } => write!(f, "{problem}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Kind::Io { source, .. } => Some(source),
            Kind::Content { .. } => None,
        }
    }
}

/// Damage of compressed data, within an error of the system.
#[derive(Debug)]
pub(crate) struct Damage(pub(crate) String);

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Damage {}

/// Returns a message with its control characters escaped, so that none reaches a terminal.
fn printable(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for character in message.chars() {
        if character.is_control() { shown.extend(character.escape_debug()) } else { shown.push(character) }
    }
    shown
}

impl From<Error> for truename_error::Error {
    fn from(source: Error) -> Self {
        let kind = match source.cause() {
            None if source.is_not_found() => ErrorKind::NotFound,
            None => ErrorKind::Io,
            Some(Cause::TooLong) => ErrorKind::TooLong,
            Some(Cause::UnknownEncoding) => ErrorKind::UnknownEncoding,
            Some(Cause::Undecodable) => ErrorKind::Undecodable,
            Some(Cause::NotText) => ErrorKind::NotText,
            Some(Cause::Damaged) => ErrorKind::Damaged,
            Some(Cause::Syntax) => ErrorKind::Syntax,
        };
        let (encoding, own) = (HintPart::setting("encoding"), source.hint().map(str::to_owned));
        let hint = match (kind, own) {
            (ErrorKind::TooLong, own) => {
                let question = own.map(|own| own + " ").unwrap_or_default();
                Some(hint![question, HintPart::setting("max_line_bytes"), " reads longer rows"])
            }
            (ErrorKind::Undecodable, _) => {
                Some(hint!["say ", encoding.clone(), ", as in ", encoding.value("windows-1252")])
            }
            (ErrorKind::UnknownEncoding, Some(own)) => Some(hint![encoding, ": ", own]),
            (_, own) => own.map(Hint::from),
        };
        let error = match source.into_problem() {
            Ok(problem) => Self::of_problem(kind, problem),
            Err(source) => Self::other(source).of_kind(kind),
        };
        hint.into_iter().fold(error, Self::with_hint)
    }
}
