use std::fmt;
use std::path::{Path, PathBuf};
use truename_error::ErrorKind;

use crate::Problem;

/// An error in a file of documents.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    Refused { path: Option<PathBuf>, message: String, hint: String },
    Problem(Problem),
    Read(truename_read::Error),
}

impl Error {
    /// Returns true where the file or folder does not exist.
    pub fn is_not_found(&self) -> bool {
        match &*self.0 {
            Kind::Io { source, .. } => source.kind() == std::io::ErrorKind::NotFound,
            Kind::Read(source) => source.is_not_found(),
            _ => false,
        }
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
            Kind::Read(source) => source.hint().map(str::to_owned),
            _ => None,
        }
    }

    /// Returns the problem of a file among others.
    pub(crate) fn into_problem(self, file: &Path) -> Problem {
        let hint = self.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
        let mut problem = match *self.0 {
            Kind::Problem(problem) => problem,
            Kind::Refused { message, .. } => Problem::new(file, None, message),
            Kind::Io { action, source, .. } => Problem::new(file, None, format!("cannot {action} it: {source}")),
            Kind::Read(error) => error.into_problem().unwrap_or_else(|error| {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                Problem::new(file, None, format!("it cannot be read{cause}"))
            }),
        };
        problem.reason += &hint;
        problem
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self(Box::new(Kind::Io { action, path: path.to_owned(), source }))
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
            Kind::Read(source) => write!(f, "{source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Kind::Io { source, .. } => Some(source),
            Kind::Read(source) => source.source(),
            _ => None,
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self(Box::new(Kind::Problem(problem)))
    }
}

impl From<truename_read::Error> for Error {
    fn from(source: truename_read::Error) -> Self {
        Self(Box::new(Kind::Read(source)))
    }
}

impl From<Error> for truename_error::Error {
    fn from(source: Error) -> Self {
        let kind = if source.is_not_found() { ErrorKind::NotFound } else { ErrorKind::Syntax };
        let hint = source.hint();
        let error = Self::other(source).of_kind(kind);
        hint.into_iter().fold(error, Self::with_hint)
    }
}
