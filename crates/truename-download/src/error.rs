use std::error::Error as Cause;
use std::fmt;
use std::path::Path;

/// Failure of a pull. No message contains a password or token.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn Cause + Send + Sync>>,
}

/// Kinds of errors that callers distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Missing,
    Unreachable,
    Interrupted,
    Other,
}

impl Error {
    /// Returns whether the package, repository, version or revision does not exist.
    pub fn is_not_found(&self) -> bool {
        self.kind == Kind::Missing
    }

    /// Returns whether the pull was stopped on request; nothing was kept.
    pub fn is_interrupted(&self) -> bool {
        self.kind == Kind::Interrupted
    }

    /// Returns whether no server answered: the network, a name, a proxy or a certificate failed, or a setting forbids it.
    pub fn is_unreachable(&self) -> bool {
        self.kind == Kind::Unreachable
    }

    /// Returns advice, if there is any.
    pub fn hint(&self) -> Option<String> {
        self.hint.clone()
    }

    pub(crate) fn of(kind: Kind, message: String) -> Self {
        Self { kind, message, hint: None, source: None }
    }

    /// Creates an error without a kind of its own.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::of(Kind::Other, message.into())
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn with_source(mut self, source: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    pub(crate) fn io(action: &str, path: &Path, source: std::io::Error) -> Self {
        let is_full = source.kind() == std::io::ErrorKind::StorageFull;
        let error = Self::new(format!("cannot {action} {}", path.display())).with_source(source);
        if is_full { error.with_hint("free some disk space; the partial download was removed") } else { error }
    }

    pub(crate) fn differs(name: &str, what: &str, stated: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self::new(format!("{name} has another {what} than stated: {found}, not {stated}"))
            .with_hint("pull again; if it stays so, the server or a proxy alters what it sends")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Cause for Error {
    fn source(&self) -> Option<&(dyn Cause + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Cause + 'static))
    }
}
