//! Errors of a store, which name its folder.
//!
//! LMDB names no file, and a record does not know where it lies: an error without a place names the only store that this process
//! has open.

use std::fmt::Display;
use std::io;
use std::io::ErrorKind::{OutOfMemory, PermissionDenied, ReadOnlyFilesystem, StorageFull};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use heed::MdbError;
pub use truename_error::Error;
use truename_error::{ErrorKind, Hint, HintPart, hint};
use truename_files::{IRREGULAR_HINT, is_irregular};

use crate::free_space::{full_disk, is_short_write};

const FREE_SPACE: &str = "free some disk space; the store is as it was before";

static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Entry of an open folder in the list, until it is dropped.
pub(crate) struct OpenFolder(PathBuf);

impl OpenFolder {
    pub(crate) fn new(folder: &Path) -> Self {
        open().push(folder.to_owned());
        Self(folder.to_owned())
    }
}

impl Drop for OpenFolder {
    fn drop(&mut self) {
        let mut open = open();
        if let Some(at) = open.iter().position(|folder| *folder == self.0) {
            open.swap_remove(at);
        }
    }
}

fn open() -> MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the folder that this process has open, if it is one.
fn only_open_folder() -> Option<PathBuf> {
    if let [folder] = open().as_slice() { Some(folder.clone()) } else { None }
}

/// Creates the error of a store that contradicts itself: it was changed from outside. Names the store if it is the only one open.
pub fn damaged(what: impl Display) -> Error {
    damaged_at(only_open_folder().as_deref(), what)
}

/// Creates the error of a store that was changed or cut off from outside.
pub fn damaged_in(folder: &Path, what: impl Display) -> Error {
    damaged_at(Some(folder), what)
}

fn damaged_at(folder: Option<&Path>, what: impl Display) -> Error {
    let import = HintPart::action("kb import").value("FILE").with("out", shown(folder)).with("force", "");
    Error::new(ErrorKind::Damaged, format_args!("{} is damaged: {what}", knowledge_base(folder)))
        .with_hint(hint!["restore a copy of the folder, or import the sources again: ", import])
}

/// Creates the error of a system call on a file of a store: `cannot ACTION PATH`.
pub fn io_error(action: &str, path: &Path, source: io::Error) -> Error {
    let advice = match source.kind() {
        _ if is_irregular(&source) => Some(IRREGULAR_HINT),
        OutOfMemory => Some("raise the limit of the address space (`ulimit -v`)"),
        StorageFull => Some(FREE_SPACE),
        _ => None,
    };
    advice.into_iter().fold(Error::io(action, path, source), Error::with_hint)
}

/// Creates the error of records that cannot be read. Names the store if it is the only one open.
pub fn unreadable(what: &str, source: impl std::error::Error + Send + Sync + 'static) -> Error {
    let folder = only_open_folder();
    let message = format!("{} is damaged: {what} cannot be read", knowledge_base(folder.as_deref()));
    Error::new(ErrorKind::Damaged, message).with_source(source).with_hint(look(folder.as_deref()))
}

/// The error of an environment that cannot be opened.
pub(crate) fn unopened(folder: &Path, source: heed::Error) -> Error {
    match source {
        heed::Error::Io(source) => io_error("open", &folder.join("data.mdb"), source),
        heed::Error::EnvAlreadyOpened => failed(Some(folder), source),
        _ => damaged_in(folder, format_args!("data.mdb cannot be opened ({source})")),
    }
}

/// The error of LMDB in an open environment; a temporary one has no folder.
pub(crate) fn failed(folder: Option<&Path>, source: heed::Error) -> Error {
    use MdbError::{Corrupted, CursorFull, Incompatible, Invalid, MapFull, MapResized, PageNotFound, Panic};
    let which = folder.map_or("a temporary store".to_owned(), |folder| knowledge_base(Some(folder)));
    let source = match source {
        heed::Error::Io(source) if is_short_write(&source) => {
            heed::Error::Io(folder.and_then(full_disk).unwrap_or(source))
        }
        source => source,
    };
    let (kind, message, advice) = match &source {
        heed::Error::Io(source) if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem) => {
            (ErrorKind::Io, format!("cannot write to {which}"), None)
        }
        heed::Error::Io(source) if source.kind() == StorageFull => {
            (ErrorKind::Full, format!("cannot read or write {which}"), Some(FREE_SPACE.into()))
        }
        heed::Error::Mdb(Corrupted | CursorFull | Incompatible | Invalid | PageNotFound | Panic)
        | heed::Error::Decoding(_) => (ErrorKind::Damaged, format!("{which} is damaged"), Some(look(folder))),
        heed::Error::Mdb(MapFull) => {
            let advice = "raise the limit of the address space (`ulimit -v`); without one, a store holds 64 GiB at most. The store \
                          is as it was before";
            (ErrorKind::Full, format!("no room is left in {which}"), Some(advice.into()))
        }
        heed::Error::Mdb(MapResized) => {
            let message = format!("another process made {which} larger than this one can read");
            (ErrorKind::Other, message, Some("run the command again".into()))
        }
        other => {
            let kind = if matches!(other, heed::Error::Io(_)) { ErrorKind::Io } else { ErrorKind::Other };
            (kind, format!("cannot read or write {which}"), None)
        }
    };
    advice.into_iter().fold(Error::new(kind, message).with_source(source), Error::with_hint)
}

fn look(folder: Option<&Path>) -> Hint {
    hint!["run ", HintPart::action("kb check").with("kb", shown(folder))]
}

fn knowledge_base(folder: Option<&Path>) -> String {
    folder.map_or("the knowledge base".into(), |folder| format!("knowledge base {}", folder.display()))
}

fn shown(folder: Option<&Path>) -> String {
    folder.map_or("DIR".into(), |folder| folder.display().to_string())
}
