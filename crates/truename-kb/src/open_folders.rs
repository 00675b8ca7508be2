//! Folders of the stores that this process has open, for errors of LMDB, which name no file.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Entry of an open folder in the list, until it is dropped.
pub(crate) struct OpenFolder(PathBuf);

impl OpenFolder {
    pub(crate) fn new(folder: &Path) -> Self {
        locked().push(folder.to_owned());
        Self(folder.to_owned())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for OpenFolder {
    fn drop(&mut self) {
        let mut open = locked();
        if let Some(at) = open.iter().position(|folder| *folder == self.0) {
            open.swap_remove(at);
        }
    }
}

/// Returns the folder that this process has open, if it is one.
pub(crate) fn only_open_folder() -> Option<PathBuf> {
    match locked().as_slice() {
        [folder] => Some(folder.clone()),
        _ => None,
    }
}

fn locked() -> MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
