use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use truename_error::ErrorKind as Kinds;

use truename_files::{IRREGULAR_HINT, is_irregular};
use truename_read::Cause;
use truename_text::{Problem, excerpt};

use crate::free_space::{full_disk, is_short_write};
use crate::import::ENCODING_HINT;
use crate::open_folders::only_open_folder;

/// An error of a knowledge base or of an imported file.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    Storage { path: Option<PathBuf>, source: truename_storage::Error },
    Record { path: Option<PathBuf>, source: postcard::Error },
    Automaton { path: Option<PathBuf>, source: fst::Error },
    NotAStore { path: PathBuf, reason: String },
    Damaged { path: Option<PathBuf>, what: String },
    UnreadableSums { path: PathBuf },
    NotWritable { path: PathBuf, source: std::io::Error },
    InUse { path: PathBuf, process: Option<u32> },
    Replaced { path: PathBuf },
    HardLinked { path: PathBuf, name: &'static str },
    OtherFormat { path: PathBuf, found: u32, known: u32 },
    Exists { path: PathBuf },
    NotEmpty { path: PathBuf },
    Syntax { path: PathBuf, line: Option<u64>, message: String, hint: Option<String> },
    Refused(Problem),
    Read(truename_read::Error),
    UnknownFormat { path: PathBuf, known: String },
    NoConcepts { paths: Vec<PathBuf>, first: String, hint: &'static str },
    UnknownConcept { id: String },
    InvalidId { value: String, reason: &'static str },
    Interrupted,
}

impl Kind {
    /// Returns the error of the system, if a file could not be read or written.
    fn io_source(&self) -> Option<&std::io::Error> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Storage { source, .. } => source.io(),
            _ => None,
        }
    }
}

impl Error {
    /// Returns true if the file, folder or concept asked for is not there.
    pub fn is_not_found(&self) -> bool {
        match &*self.0 {
            Kind::Io { source, .. } => source.kind() == std::io::ErrorKind::NotFound,
            Kind::Read(source) => source.is_not_found(),
            Kind::UnknownConcept { .. } => true,
            _ => false,
        }
    }

    /// Returns true if a store of another version of Truename was refused.
    pub fn is_other_format(&self) -> bool {
        matches!(*self.0, Kind::OtherFormat { .. })
    }

    /// Returns true where a store's file was changed or cut off from outside.
    pub fn is_damaged(&self) -> bool {
        match &*self.0 {
            Kind::Damaged { .. } | Kind::UnreadableSums { .. } | Kind::Record { .. } | Kind::Automaton { .. } => true,
            Kind::Storage { source, .. } => source.is_damaged(),
            _ => false,
        }
    }

    pub(crate) fn is_unreadable_sums(&self) -> bool {
        matches!(*self.0, Kind::UnreadableSums { .. })
    }

    /// Returns true if the work was stopped on request; nothing was committed.
    pub fn is_interrupted(&self) -> bool {
        matches!(*self.0, Kind::Interrupted)
    }

    /// Returns a way out, where one is known.
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
            Kind::UnknownFormat { known, .. } => Some(format!("name it with --format, one of {known}")),
            Kind::NoConcepts { hint, .. } => Some((*hint).into()),
            Kind::Syntax { hint, .. } => hint.clone(),
            Kind::Read(source) => match source.cause() {
                Some(Cause::TooLong) => {
                    let question = source.hint().map(|hint| format!("{hint} ")).unwrap_or_default();
                    Some(format!(
                        "{question}if the file is meant to have it, raise the limit with --max-line-bytes BYTES"
                    ))
                }
                Some(Cause::Undecodable) => Some(ENCODING_HINT.into()),
                Some(Cause::UnknownEncoding) => source.hint().map(|hint| format!("--encoding: {hint}")),
                _ => source.hint().map(str::to_owned),
            },
            Kind::Damaged { path, .. } => Some(format!(
                "restore a copy of the folder, or import the sources again: `truename kb import FILE --out {} --force`",
                shown(path.as_deref())
            )),
            Kind::Record { path, .. } | Kind::Automaton { path, .. } => Some(look(path.as_deref())),
            Kind::Storage { path, source } if source.is_damaged() => Some(look(path.as_deref())),
            Kind::UnreadableSums { path } => Some(format!(
                "remove {}; `truename kb check` then reads every record, and the next write makes new checksums",
                path.display()
            )),
            Kind::Storage { source, .. } if source.is_full() => Some(
                "raise the limit of the address space (`ulimit -v`); without one, a store holds 64 GiB at most. The \
                 store is as it was before"
                    .into(),
            ),
            Kind::Io { source, .. } if source.kind() == ErrorKind::OutOfMemory => {
                Some("raise the limit of the address space (`ulimit -v`)".into())
            }
            Kind::Storage { source, .. } if source.is_resized() => Some("run the command again".into()),
            Kind::Replaced { .. } => Some("run the command again".into()),
            Kind::HardLinked { path, .. } => {
                Some(format!("`truename kb compact --kb {}` gives it files of its own", path.display()))
            }
            Kind::Io { source, .. } if is_irregular(source) => Some(IRREGULAR_HINT.into()),
            Kind::InUse { .. } => Some("stop what uses it, and run the command again".into()),
            kind if kind.io_source().is_some_and(is_full) => {
                Some("free some disk space; the store is as it was before".into())
            }
            _ => None,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Kind::Io { action, path: path.to_owned(), source }.into()
    }

    pub(crate) fn storage(path: &Path, source: truename_storage::Error) -> Self {
        let source = match or_full(path, source).into_io() {
            Ok(source) if matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
                return Kind::NotWritable { path: path.to_owned(), source }.into();
            }
            Ok(source) => source.into(),
            Err(source) => source,
        };
        Kind::Storage { path: Some(path.to_owned()), source }.into()
    }

    /// Creates the error of a record that cannot be read.
    pub(crate) fn record(source: postcard::Error) -> Self {
        Kind::Record { path: only_open_folder(), source }.into()
    }

    /// Creates the error of an automaton that cannot be read.
    pub(crate) fn automaton(source: fst::Error) -> Self {
        Kind::Automaton { path: only_open_folder(), source }.into()
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Kind::Damaged { path: Some(path.to_owned()), what: what.into() }.into()
    }

    /// Creates the error of a damaged record. Names the store if it is the only one open.
    pub fn damaged_record(what: impl Into<String>) -> Self {
        Kind::Damaged { path: only_open_folder(), what: what.into() }.into()
    }

    pub(crate) fn unreadable_sums(path: &Path) -> Self {
        Kind::UnreadableSums { path: path.to_owned() }.into()
    }

    pub(crate) fn replaced(path: &Path) -> Self {
        Kind::Replaced { path: path.to_owned() }.into()
    }

    pub(crate) fn hard_linked(path: &Path, name: &'static str) -> Self {
        Kind::HardLinked { path: path.to_owned(), name }.into()
    }

    pub(crate) fn in_use(path: &Path, process: Option<u32>) -> Self {
        Kind::InUse { path: path.to_owned(), process }.into()
    }

    pub(crate) fn not_a_store(path: &Path, reason: impl Into<String>) -> Self {
        Kind::NotAStore { path: path.to_owned(), reason: reason.into() }.into()
    }

    pub(crate) fn other_format(path: &Path, found: u32, known: u32) -> Self {
        Kind::OtherFormat { path: path.to_owned(), found, known }.into()
    }

    /// Creates the error of a target that exists already.
    pub fn exists(path: &Path) -> Self {
        Kind::Exists { path: path.to_owned() }.into()
    }

    /// Creates the error of a target folder that holds other files.
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

    pub(crate) fn unknown_format(path: &Path, known: String) -> Self {
        Kind::UnknownFormat { path: path.to_owned(), known }.into()
    }

    pub(crate) fn no_concepts(paths: Vec<PathBuf>, first: String, hint: &'static str) -> Self {
        Kind::NoConcepts { paths, first, hint }.into()
    }

    pub(crate) fn unknown_concept(id: &str) -> Self {
        Kind::UnknownConcept { id: id.to_owned() }.into()
    }

    pub(crate) fn invalid_id(value: &str, reason: &'static str) -> Self {
        Kind::InvalidId { value: excerpt(value), reason }.into()
    }

    /// Creates the error of work that was stopped on request.
    pub fn interrupted() -> Self {
        Kind::Interrupted.into()
    }
}

/// Returns a message with its control characters escaped, so that none reaches a terminal.
pub(crate) fn printable(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for character in message.chars() {
        if character.is_control() { shown.extend(character.escape_debug()) } else { shown.push(character) }
    }
    shown
}

fn is_full(source: &std::io::Error) -> bool {
    source.kind() == ErrorKind::StorageFull
}

fn look(folder: Option<&Path>) -> String {
    format!("run `truename kb check --kb {}`", shown(folder))
}

fn knowledge_base(folder: Option<&Path>) -> String {
    folder.map_or("the knowledge base".into(), |folder| format!("knowledge base {}", folder.display()))
}

fn shown(folder: Option<&Path>) -> String {
    folder.map_or("DIR".into(), |folder| folder.display().to_string())
}

/// Replaces the input/output error that LMDB reports where a full disk cut a write short.
fn or_full(path: &Path, source: truename_storage::Error) -> truename_storage::Error {
    match source.io() {
        Some(cause) if is_short_write(cause) => full_disk(path).map_or(source, Into::into),
        _ => source,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::Storage { path, source } => {
                let which = knowledge_base(path.as_deref());
                match source {
                    source if source.is_damaged() => write!(f, "{which} is damaged"),
                    source if source.is_full() => write!(f, "no room is left in {which}"),
                    source if source.is_resized() => {
                        write!(f, "another process made {which} larger than this one can read")
                    }
                    _ => write!(f, "cannot read or write {which}"),
                }
            }
            Kind::Damaged { path, what } => {
                write!(f, "{} is damaged: {what}", knowledge_base(path.as_deref()))
            }
            Kind::UnreadableSums { path } => {
                write!(f, "{} is damaged, so that data.mdb beside it cannot be checked", path.display())
            }
            Kind::NotWritable { path, .. } => write!(f, "cannot write to knowledge base {}", path.display()),
            Kind::InUse { path, process: Some(process) } => {
                write!(f, "process {process} has knowledge base {} open", path.display())
            }
            Kind::Replaced { path } => {
                write!(f, "the file of knowledge base {} was replaced since it was opened", path.display())
            }
            Kind::HardLinked { path, name } => write!(
                f,
                "{} has another name (hard link), under which a change would appear too",
                path.join(name).display()
            ),
            Kind::InUse { path, process: None } => {
                write!(f, "another process has knowledge base {} open", path.display())
            }
            Kind::Record { path, .. } => {
                write!(f, "{} is damaged: a record cannot be read", knowledge_base(path.as_deref()))
            }
            Kind::Automaton { path, .. } => {
                write!(f, "{} is damaged: its forms of names cannot be read", knowledge_base(path.as_deref()))
            }
            Kind::NotAStore { path, reason } => write!(f, "{} is not a knowledge base: {reason}", path.display()),
            Kind::OtherFormat { path, found, known } => {
                write!(f, "{} has store format {found}; this version of truename reads format {known}", path.display())
            }
            Kind::Exists { path } => write!(f, "{} exists already", path.display()),
            Kind::NotEmpty { path } => write!(f, "{} holds other files and no knowledge base", path.display()),
            Kind::Syntax { path, line: Some(line), message, .. } => write!(f, "{}:{line}: {message}", path.display()),
            Kind::Syntax { path, line: None, message, .. } => write!(f, "{}: {message}", path.display()),
            Kind::Refused(problem) => write!(f, "{problem}"),
            Kind::Read(source) => write!(f, "{source}"),
            Kind::UnknownFormat { path, .. } => write!(f, "cannot tell the format of {}", path.display()),
            Kind::NoConcepts { paths, first, .. } => {
                let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                write!(f, "no concept was found in {}{first}", shown.join(", "))
            }
            Kind::UnknownConcept { id } => write!(f, "no concept has the id {:?}", excerpt(id)),
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
            Kind::Read(source) => source.source(),
            Kind::Record { source, .. } => Some(source),
            Kind::Automaton { source, .. } => Some(source),
            Kind::NotWritable { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

impl From<truename_read::Error> for Error {
    fn from(source: truename_read::Error) -> Self {
        Kind::Read(source).into()
    }
}

impl From<truename_storage::Error> for Error {
    fn from(source: truename_storage::Error) -> Self {
        match only_open_folder() {
            Some(folder) => Self::storage(&folder, source),
            None => Kind::Storage { path: None, source }.into(),
        }
    }
}

impl From<Error> for truename_error::Error {
    fn from(source: Error) -> Self {
        let kind = match &source {
            source if source.is_not_found() => Kinds::NotFound,
            source if source.is_damaged() => Kinds::Damaged,
            source if source.is_interrupted() => Kinds::Interrupted,
            source if source.is_other_format() => Kinds::OtherVersion,
            _ => Kinds::Other,
        };
        let hint = source.hint();
        let error = Self::other(source).of_kind(kind);
        hint.into_iter().fold(error, Self::with_hint)
    }
}
