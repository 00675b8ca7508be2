use std::fmt;
use std::path::{Path, PathBuf};

use crate::Problem;

/// What went wrong with a file of documents.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    Refused { path: Option<PathBuf>, message: String, hint: String },
    Problem(Problem),
}

impl Error {
    /// Whether the file or folder asked for is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(&*self.0, Kind::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }

    /// The malformed document, where [`read_all`](crate::read_all) met one.
    pub fn problem(&self) -> Option<&Problem> {
        match &*self.0 {
            Kind::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// A way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        match &*self.0 {
            Kind::Refused { hint, .. } => Some(hint.clone()),
            _ => None,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self(Box::new(Kind::Io { action, path: path.to_owned(), source }))
    }

    /// What cannot be done with a file or, where there is none, at all.
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
