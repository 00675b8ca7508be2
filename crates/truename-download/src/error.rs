use std::error::Error as Cause;
use std::fmt;
use std::path::Path;

/// Failure of a pull. No message contains a password or token.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn Cause + Send + Sync>>,
}

/// Kinds of errors that callers distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Missing,
    Refused { status: u16, is_missing: bool },
    Unreachable,
    Offline,
    Interrupted,
    Other,
}

impl Error {
    /// Returns whether the package, repository, version or revision does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self.0.kind, Kind::Missing | Kind::Refused { is_missing: true, .. })
    }

    /// Returns whether the pull was stopped on request; nothing was kept.
    pub fn is_interrupted(&self) -> bool {
        self.0.kind == Kind::Interrupted
    }

    /// Returns whether no server answered: the network, a name, a proxy or a certificate failed.
    pub fn is_unreachable(&self) -> bool {
        self.0.kind == Kind::Unreachable
    }

    /// Returns whether a setting forbids the network.
    pub(crate) fn is_offline(&self) -> bool {
        self.0.kind == Kind::Offline
    }

    /// Returns the HTTP status of a refusal.
    pub fn status(&self) -> Option<u16> {
        if let Kind::Refused { status, .. } = self.0.kind { Some(status) } else { None }
    }

    /// Returns advice, if there is any.
    pub fn hint(&self) -> Option<String> {
        self.0.hint.clone()
    }

    pub(crate) fn of(kind: Kind, message: String) -> Self {
        Self(Box::new(Inner { kind, message, hint: None, source: None }))
    }

    /// Creates an error without a kind of its own.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::of(Kind::Other, message.into())
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    pub(crate) fn with_source(mut self, source: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn io(action: &str, path: &Path, source: std::io::Error) -> Self {
        let is_full = source.kind() == std::io::ErrorKind::StorageFull;
        let error = Self::new(format!("cannot {action} {}", path.display())).with_source(source);
        if is_full { error.with_hint("free some disk space; the partial download was removed") } else { error }
    }

    pub(crate) fn setting(name: &str, value: &str, reason: &str) -> Self {
        Self::new(format!("the setting {name}=\"{}\" {reason}", shorten(value)))
    }

    pub(crate) fn unreachable(url: &str, source: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        Self::of(Kind::Unreachable, format!("cannot fetch {url}"))
            .with_source(source)
            .with_hint("check the network and HTTPS_PROXY; SSL_CERT_FILE names the certificates of a private server")
    }

    pub(crate) fn unreadable(url: &str, source: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        Self::new(format!("the answer of {url} cannot be read")).with_source(source)
    }

    pub(crate) fn differs(name: &str, what: &str, stated: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self::new(format!("{name} has another {what} than stated: {found}, not {stated}"))
            .with_hint("pull again; if it stays so, the server or a proxy alters what it sends")
    }

    pub(crate) fn offline(what: impl fmt::Display, setting: &str) -> Self {
        Self::of(Kind::Offline, format!("{what} is not in the cache, and {setting} forbids the network"))
            .with_hint("pull it once with the network, or copy the cache from a machine that has it")
    }
}

/// Returns the first characters of a value, with control characters escaped.
pub(crate) fn shorten(value: &str) -> String {
    const MAX_SHOWN: usize = 80;
    let shown: String = value.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if value.chars().nth(MAX_SHOWN).is_some() { format!("{shown}…") } else { shown }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl Cause for Error {
    fn source(&self) -> Option<&(dyn Cause + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn Cause + 'static))
    }
}
