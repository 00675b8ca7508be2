//! Files that one process at a time works with.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use anyhow::Context;
use truename_error::Error;

/// Opens a file, or creates it, and locks it; the system unlocks it when the process ends.
///
/// # Errors
/// `busy` if another process has locked the file, or that it cannot be written or locked.
pub fn locked(path: &Path, options: &mut OpenOptions, busy: impl FnOnce() -> Error) -> anyhow::Result<File> {
    let file = options.write(true).create(true).truncate(false).open(path);
    let file = file.with_context(|| format!("cannot write {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(busy().into()),
        Err(TryLockError::Error(source)) => Err(source).with_context(|| format!("cannot lock {}", path.display())),
    }
}
