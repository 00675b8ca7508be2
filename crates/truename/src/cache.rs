//! Files that can be made again, in the user's cache folder.

use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPoolBuilder;
use truename_files::Partial;

use crate::{Error, error};

/// Opens what lies in the cache folder by a name; makes it on first use, in a private temporary folder if the cache cannot be
/// written. `make` writes it at another path, from which it is moved.
pub(crate) fn open_or_make<T: Send>(
    name: &str,
    open: impl Fn(&Path) -> Result<T, Error> + Sync,
    make: impl Fn(&Path) -> Result<(), Error> + Sync,
) -> Result<T, Error> {
    /// A lock for each name: threads that open one thing at once make it only once, and one thing may be made of another.
    static MAKING: Mutex<BTreeMap<String, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let locks = || MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let open_in = |folder: &Path| {
        let path = folder.join(name);
        let open_alone = || {
            let making = Arc::clone(locks().entry(name.to_owned()).or_default());
            let _alone = making.lock().unwrap_or_else(PoisonError::into_inner);
            open(&path).or_else(|_| {
                make_at(&path, &open, &make)?;
                open(&path)
            })
        };
        open(&path).or_else(|_| in_own_pool(open_alone)?)
    };
    let error = match open_in(&cache_folder()) {
        Err(error) => error,
        opened => return opened,
    };
    let Ok(folder) = private_folder() else { return Err(error) };
    tracing::info!("{error}; {name} is unpacked into {}", folder.display());
    open_in(&folder).map_err(|_| error)
}

/// Runs work that holds a lock on a pool of its own. A thread of the caller's pool that waits for a part of parallel work takes up other
/// work of its pool, which may need the same lock.
fn in_own_pool<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let pool = ThreadPoolBuilder::new().build().map_err(Error::other)?;
    Ok(std::thread::scope(|scope| scope.spawn(|| pool.install(work)).join())
        .unwrap_or_else(|panic| resume_unwind(panic)))
}

fn make_at<T>(
    path: &Path,
    open: impl Fn(&Path) -> Result<T, Error>,
    make: impl Fn(&Path) -> Result<(), Error>,
) -> Result<(), Error> {
    // Each process builds its own copy; the first to finish puts it in place.
    let own = Partial::new(path.with_extension(std::process::id().to_string()));
    make(own.path())?;
    // An unreadable copy is replaced; if another process was faster, this one's rename fails.
    if open(path).is_err() {
        let _ = std::fs::remove_dir_all(path);
    }
    match own.replace(path) {
        Err(source) if open(path).is_err() => Err(error::io("write", path, source)),
        _ => Ok(()),
    }
}

/// Returns a folder for temporary files that no other user can write to.
fn private_folder() -> std::io::Result<PathBuf> {
    // The owner of a new file is the current user; there is no other safe way to ask.
    let mine = tempfile::tempdir()?;
    let (path, builder) = private_name(mine.path())?;
    match builder.create(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if is_private(&path, mine.path())? { Ok(path) } else { Err(std::io::ErrorKind::PermissionDenied.into()) }
}

#[cfg(unix)]
fn private_name(mine: &Path) -> std::io::Result<(PathBuf, DirBuilder)> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let user = std::fs::metadata(mine)?.uid();
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    Ok((std::env::temp_dir().join(format!("truename-{user}")), builder))
}

/// Returns whether a path is a folder of `mine`'s owner that nobody else can open; links are refused.
#[cfg(unix)]
fn is_private(path: &Path, mine: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (folder, mine) = (std::fs::symlink_metadata(path)?, std::fs::metadata(mine)?);
    Ok(folder.is_dir() && folder.uid() == mine.uid() && folder.mode() & 0o077 == 0)
}

/// Returns the folder to use; each user already has one for temporary files.
#[cfg(not(unix))]
fn private_name(_: &Path) -> std::io::Result<(PathBuf, DirBuilder)> {
    Ok((std::env::temp_dir().join("truename"), DirBuilder::new()))
}

#[cfg(not(unix))]
fn is_private(path: &Path, _: &Path) -> std::io::Result<bool> {
    Ok(std::fs::symlink_metadata(path)?.is_dir())
}

/// Returns the folder for files that can be made or downloaded again: `$TRUENAME_CACHE`, else `truename` in the user's
/// cache folder, else a private temporary folder.
pub fn cache_folder() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = variable("TRUENAME_CACHE") {
        return folder;
    }
    let user = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    match user {
        Some(user) => user.join("truename"),
        // A folder with a fixed name in /tmp could belong to another user.
        None => private_folder().unwrap_or_else(|_| std::env::temp_dir().join("truename")),
    }
}
