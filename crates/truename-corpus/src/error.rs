use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::Problem;

/// An error in a file of documents.
#[derive(Debug)]
pub struct Error(Box<Kind>);

/// Advice on a file that is cut off.
const AGAIN: &str = "fetch or make the file again";

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    Refused { path: Option<PathBuf>, message: String, hint: String },
    Problem(Problem),
}

impl Error {
    /// Returns true where the file or folder does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(&*self.0, Kind::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }

    /// Returns the problem that ended [`read_all`](crate::read_all), where it was one.
    pub fn problem(&self) -> Option<&Problem> {
        match &*self.0 {
            Kind::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// Returns a way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        match &*self.0 {
            Kind::Refused { hint, .. } => Some(hint.clone()),
            _ => None,
        }
    }

    /// Returns an error of the system, or a refusal of the file where its compressed data is cut off or damaged.
    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        match source.kind() {
            ErrorKind::UnexpectedEof => Self::cut_off(path),
            ErrorKind::InvalidInput | ErrorKind::InvalidData if action == "read" => {
                Self::refused(Some(path), format!("the compressed data is damaged: {source}"), AGAIN)
            }
            _ => Self(Box::new(Kind::Io { action, path: path.to_owned(), source })),
        }
    }

    /// Refuses a compressed file without its end.
    pub(crate) fn cut_off(path: &Path) -> Self {
        Self::refused(Some(path), "the compressed data ends too early: the file is cut off", AGAIN)
    }

    /// Refuses a file or, where `path` is none, a request.
    pub(crate) fn refused(path: Option<&Path>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (path, message, hint) = (path.map(Path::to_owned), message.into(), hint.into());
        Self(Box::new(Kind::Refused { path, message, hint }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::Refused { path: Some(path), message, .. } => write!(f, "{}: {message}", path.display()),
            Kind::Refused { path: None, message, .. } => f.write_str(message),
            Kind::Problem(problem) => write!(f, "{problem}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Kind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self(Box::new(Kind::Problem(problem)))
    }
}
