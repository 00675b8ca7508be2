use std::fmt;
use std::path::{Path, PathBuf};

use crate::import::Problem;

/// What went wrong with a knowledge base or a file that was to become one.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    Storage { path: Option<PathBuf>, source: heed::Error },
    Record { source: postcard::Error },
    Automaton { source: fst::Error },
    NotAStore { path: PathBuf, reason: String },
    OtherFormat { path: PathBuf, found: u32, known: u32 },
    Exists { path: PathBuf },
    NotEmpty { path: PathBuf },
    Syntax { path: PathBuf, line: Option<u64>, message: String, hint: Option<String> },
    Refused(Problem),
    UnknownFormat { path: PathBuf },
    NoConcepts { paths: Vec<PathBuf>, first: String, hint: &'static str },
    UnknownConcept { id: String },
    InvalidId { value: String, reason: &'static str },
    Interrupted,
}

impl Error {
    /// Whether the file, folder or concept asked for is not there.
    pub fn is_not_found(&self) -> bool {
        match &*self.0 {
            Kind::Io { source, .. } => source.kind() == std::io::ErrorKind::NotFound,
            Kind::UnknownConcept { .. } => true,
            _ => false,
        }
    }

    /// Whether a store of another version of Truename was refused.
    pub fn is_other_format(&self) -> bool {
        matches!(*self.0, Kind::OtherFormat { .. })
    }

    /// Whether the work was stopped on request; nothing was committed.
    pub fn is_interrupted(&self) -> bool {
        matches!(*self.0, Kind::Interrupted)
    }

    /// A way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        match &*self.0 {
            Kind::NotAStore { .. } => Some("make a knowledge base with `truename kb import FILE --out DIR`".into()),
            Kind::OtherFormat { found, known, .. } if found > known => {
                Some("update truename, or import the sources again with this version".into())
            }
            Kind::OtherFormat { .. } => {
                Some("import the sources again with this version: `truename kb import --force`".into())
            }
            Kind::Exists { path } => {
                Some(format!("add to it with `truename kb update`, or replace it with `--force`: {}", path.display()))
            }
            Kind::NotEmpty { .. } => Some("name a new folder, or an empty one".into()),
            Kind::Refused(_) => Some("without --strict such rows are skipped, counted and listed".into()),
            Kind::UnknownFormat { .. } => Some(format!("name it with --format, one of {}", crate::Format::names())),
            Kind::NoConcepts { hint, .. } => Some((*hint).into()),
            Kind::Syntax { hint, .. } => hint.clone(),
            Kind::Storage { source: heed::Error::Io(source), .. } if is_full(source) => {
                Some("free some disk space; the store is as it was before".into())
            }
            _ => None,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Kind::Io { action, path: path.to_owned(), source }.into()
    }

    pub(crate) fn storage(path: &Path, source: heed::Error) -> Self {
        Kind::Storage { path: Some(path.to_owned()), source }.into()
    }

    pub(crate) fn not_a_store(path: &Path, reason: impl Into<String>) -> Self {
        Kind::NotAStore { path: path.to_owned(), reason: reason.into() }.into()
    }

    pub(crate) fn other_format(path: &Path, found: u32, known: u32) -> Self {
        Kind::OtherFormat { path: path.to_owned(), found, known }.into()
    }

    /// The refusal to write where something is already.
    pub fn exists(path: &Path) -> Self {
        Kind::Exists { path: path.to_owned() }.into()
    }

    /// The refusal to write a knowledge base among other files.
    pub fn not_empty(path: &Path) -> Self {
        Kind::NotEmpty { path: path.to_owned() }.into()
    }

    pub(crate) fn syntax(path: &Path, line: Option<u64>, message: impl fmt::Display) -> Self {
        Kind::Syntax { path: path.to_owned(), line, message: printable(&message.to_string()), hint: None }.into()
    }

    pub(crate) fn with_hint(mut self, advice: impl Into<String>) -> Self {
        if let Kind::Syntax { hint, .. } = &mut *self.0 {
            *hint = Some(advice.into());
        }
        self
    }

    pub(crate) fn refused(problem: Problem) -> Self {
        Kind::Refused(problem).into()
    }

    pub(crate) fn unknown_format(path: &Path) -> Self {
        Kind::UnknownFormat { path: path.to_owned() }.into()
    }

    pub(crate) fn no_concepts(paths: Vec<PathBuf>, first: String, hint: &'static str) -> Self {
        Kind::NoConcepts { paths, first, hint }.into()
    }

    pub(crate) fn unknown_concept(id: &str) -> Self {
        Kind::UnknownConcept { id: id.to_owned() }.into()
    }

    pub(crate) fn invalid_id(value: &str, reason: &'static str) -> Self {
        Kind::InvalidId { value: shorten(value), reason }.into()
    }

    /// The end of work that was stopped on request.
    pub fn interrupted() -> Self {
        Kind::Interrupted.into()
    }
}

/// A value as messages show it: its first characters, control characters escaped.
pub(crate) fn shorten(value: &str) -> String {
    const SHOWN: usize = 80;
    let shown: String = value.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if value.chars().nth(SHOWN).is_some() { format!("{shown}…") } else { shown }
}

/// A sentence with what a file put in it: control characters escaped, so that none reaches a terminal.
pub(crate) fn printable(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for character in message.chars() {
        if character.is_control() { shown.extend(character.escape_debug()) } else { shown.push(character) }
    }
    shown
}

fn is_full(source: &std::io::Error) -> bool {
    source.kind() == std::io::ErrorKind::StorageFull
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::Storage { path: Some(path), .. } => write!(f, "the store {} failed", path.display()),
            Kind::Storage { path: None, .. } => f.write_str("the store failed"),
            Kind::Record { .. } => f.write_str("the store holds a record that cannot be read"),
            Kind::Automaton { .. } => f.write_str("the store holds forms of names that cannot be read"),
            Kind::NotAStore { path, reason } => write!(f, "{} is not a knowledge base: {reason}", path.display()),
            Kind::OtherFormat { path, found, known } => {
                write!(f, "{} has store format {found}; this version of truename reads format {known}", path.display())
            }
            Kind::Exists { path } => write!(f, "{} exists already", path.display()),
            Kind::NotEmpty { path } => write!(f, "{} holds other files and no knowledge base", path.display()),
            Kind::Syntax { path, line: Some(line), message, .. } => write!(f, "{}:{line}: {message}", path.display()),
            Kind::Syntax { path, line: None, message, .. } => write!(f, "{}: {message}", path.display()),
            Kind::Refused(problem) => write!(f, "{problem}"),
            Kind::UnknownFormat { path } => write!(f, "cannot tell the format of {}", path.display()),
            Kind::NoConcepts { paths, first, .. } => {
                let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                write!(f, "no concept was found in {}{first}", shown.join(", "))
            }
            Kind::UnknownConcept { id } => write!(f, "no concept has the id {:?}", shorten(id)),
            Kind::InvalidId { value, reason } => write!(f, "\"{value}\" is no concept id: {reason}"),
            Kind::Interrupted => f.write_str("interrupted; nothing was written"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Kind::Io { source, .. } => Some(source),
            Kind::Storage { source, .. } => Some(source),
            Kind::Record { source } => Some(source),
            Kind::Automaton { source } => Some(source),
            _ => None,
        }
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

impl From<heed::Error> for Error {
    fn from(source: heed::Error) -> Self {
        Kind::Storage { path: None, source }.into()
    }
}

impl From<postcard::Error> for Error {
    fn from(source: postcard::Error) -> Self {
        Kind::Record { source }.into()
    }
}

impl From<fst::Error> for Error {
    fn from(source: fst::Error) -> Self {
        Kind::Automaton { source }.into()
    }
}
