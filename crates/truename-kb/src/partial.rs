use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The files and folders of this process that are not what they are to become yet.
static PARTIAL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file or folder that is written beside the one it is to become, removed on drop unless it was renamed.
#[derive(Debug)]
pub struct Partial(PathBuf);

impl Partial {
    /// Takes charge of a path; nothing need be there yet.
    pub fn new(path: PathBuf) -> Self {
        locked().insert(path.clone());
        Self(path)
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        remove(&self.0);
        locked().remove(&self.0);
    }
}

/// Removes what a process that ends now would leave half written.
pub fn remove_partials() {
    locked().iter().for_each(|path| remove(path));
}

/// After a rename there is nothing left to remove.
fn remove(path: &Path) {
    if path.is_dir() {
        let _ = std::fs::remove_dir_all(path);
    } else {
        let _ = std::fs::remove_file(path);
    }
}

fn locked() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}
