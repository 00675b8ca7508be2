use std::fmt;
use std::path::{Path, PathBuf};
use truename_error::ErrorKind;

/// An error in a file of judgements or predictions.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    Read(truename_read::Error),
    Malformed { path: PathBuf, line: u64, message: String, hint: &'static str },
    Different { name: String, left: PathBuf, right: PathBuf },
}

impl Error {
    pub(crate) fn malformed(path: &Path, line: u64, message: impl Into<String>, hint: &'static str) -> Self {
        Self(Kind::Malformed { path: path.to_owned(), line, message: message.into(), hint })
    }

    /// Reports a row of texts with labels that cannot be used.
    pub fn malformed_texts(path: &Path, line: u64, message: impl Into<String>) -> Self {
        crate::texts::KIND.malformed(path, line, message)
    }

    /// Reports two files of predictions that are not of the same names.
    pub fn different(name: &str, left: &Path, right: &Path) -> Self {
        Self(Kind::Different { name: name.to_owned(), left: left.to_owned(), right: right.to_owned() })
    }

    /// Returns true where a file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(&self.0, Kind::Read(source) if source.is_not_found())
    }

    /// Returns the error of the reader of a file, where it is one.
    pub fn as_read(&self) -> Option<&truename_read::Error> {
        if let Kind::Read(source) = &self.0 { Some(source) } else { None }
    }

    /// Returns a way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        match &self.0 {
            Kind::Malformed { hint, .. } => Some((*hint).into()),
            Kind::Different { .. } => Some("make both with --predictions from the same gold file".into()),
            Kind::Read(source) => source.hint().map(str::to_owned),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Read(source) => write!(f, "{source}"),
            Kind::Malformed { path, line, message, .. } => write!(f, "{}:{line}: {message}", path.display()),
            Kind::Different { name, left, right } => {
                write!(
                    f,
                    "{} and {} differ in their names or judgements at \"{name}\"",
                    left.display(),
                    right.display()
                )
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Read(source) => source.source(),
            _ => None,
        }
    }
}

impl From<truename_read::Error> for Error {
    fn from(source: truename_read::Error) -> Self {
        Self(Kind::Read(source))
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
