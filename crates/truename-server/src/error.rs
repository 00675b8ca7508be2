use std::fmt;
use std::path::{Path, PathBuf};

use truename_files::{IRREGULAR_HINT, is_irregular};

/// Error of opening or running a server.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    Keys { path: PathBuf, line: usize, what: String },
    Judgements { path: PathBuf, line: usize, what: String },
    Name(String),
    Truename(Box<truename::Error>),
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self(Kind::Io { action, path: path.to_owned(), source })
    }

    /// Reports a line of a file of keys; line 0 is the whole.
    pub(crate) fn keys(path: &Path, line: usize, what: &str) -> Self {
        Self(Kind::Keys { path: path.to_owned(), line, what: what.to_owned() })
    }

    pub(crate) fn judgements(path: &Path, line: usize, what: impl fmt::Display) -> Self {
        Self(Kind::Judgements { path: path.to_owned(), line, what: what.to_string() })
    }

    pub(crate) fn name(name: &str) -> Self {
        Self(Kind::Name(name.to_owned()))
    }

    /// Returns advice.
    pub fn hint(&self) -> Option<String> {
        match &self.0 {
            Kind::Truename(source) => source.hint(),
            Kind::Io { source, .. } if is_irregular(source) => Some(IRREGULAR_HINT.into()),
            Kind::Keys { .. } => Some("write a line for each user: NAME KEY".into()),
            Kind::Name(_) => Some("write `--kb NAME=DIR`, each name once, of letters, digits, -, _ and .".into()),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::Keys { path, line: 0, what } => write!(f, "{} {what}", path.display()),
            Kind::Keys { path, line, what } => write!(f, "{}: line {line} {what}", path.display()),
            Kind::Judgements { path, line, what } => write!(f, "{}:{line}: {what}", path.display()),
            Kind::Name(name) => write!(f, "\"{name}\" cannot be the name of a knowledge base here"),
            Kind::Truename(source) => source.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Io { source, .. } => Some(source),
            // The message above is the source's own; the chain continues with its cause.
            Kind::Truename(source) => source.source(),
            _ => None,
        }
    }
}

impl From<truename::Error> for Error {
    fn from(source: truename::Error) -> Self {
        Self(Kind::Truename(Box::new(source)))
    }
}
