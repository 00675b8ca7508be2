//! Compaction of a store.

use std::fs::File;
use std::path::{Path, PathBuf};

use truename_files::{Partial, has_other_names, open_regular};
use truename_storage::EnvironmentOptions;

use crate::environment::{OPTIONS, is_open, open_lmdb};
use crate::{Error, Store, checksums, error, guard};

/// Rewrites a store without its free pages. Returns the sizes of its file before and after, in bytes.
///
/// The copy is made beside and takes the file's place whole, so that an interruption leaves the store as it was. No
/// other process may have the store open, because it would go on with the old file; a process that opens it
/// meanwhile waits. Another name of the old file (hard link) keeps the old file.
///
/// # Errors
/// If the store is damaged or open, or the disk is full or fails; the store is as it was before.
pub fn compact(folder: &Path) -> Result<(u64, u64), Error> {
    // Refuses what is no store, and one of another format.
    Store::open(folder)?.close();
    let canonical = folder.canonicalize().map_err(|source| error::io("open", folder, source))?;
    if is_open(&canonical) {
        return Err(error::in_use(folder, None));
    }
    let alone = lock(folder)?;
    checksums::compare(folder)?;
    let data = folder.join("data.mdb");
    let before = length(&data)?;
    let create = |path: PathBuf| Partial::create(&path).map_err(|source| error::io("write", &path, source));
    let compacted = create(folder.join(".data.mdb.compact"))?;
    let sums = create(folder.join(".data.sum.compact"))?;
    copy(&canonical, folder, compacted.path(), sums.path())?;
    let after = length(compacted.path())?;
    let failed = |source| error::io("replace", &data, source);
    // Without sums a file is checked record by record; with those of another it would count as damaged.
    match std::fs::remove_file(checksums::path_of(folder)) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => return Err(failed(source)),
        _ => {}
    }
    compacted.replace(&data).map_err(failed)?;
    sums.replace(&checksums::path_of(folder)).map_err(failed)?;
    if alone.metadata().is_ok_and(|lock| has_other_names(&lock)) {
        // The next process makes a lock file that is this store's alone. None waits for this one, as none locks it.
        std::fs::remove_file(folder.join("lock.mdb")).map_err(failed)?;
    }
    Ok((before, after))
}

fn copy(canonical: &Path, folder: &Path, copy: &Path, sums: &Path) -> Result<(), Error> {
    // The caller's lock keeps everyone else out; LMDB's own would give way to it.
    let source = open_lmdb(folder, EnvironmentOptions { lock: false, ..OPTIONS })?;
    let _guarded = guard::Region::of(&canonical.join("data.mdb"), source.map_bytes(), folder);
    source.copy_compacted(copy)?;
    let finish = || {
        std::fs::set_permissions(copy, std::fs::metadata(folder.join("data.mdb"))?.permissions())?;
        checksums::write_for(copy, sums)
    };
    finish().map_err(|source| error::io("write", copy, source))
}

fn length(path: &Path) -> Result<u64, Error> {
    Ok(std::fs::metadata(path).map_err(|source| error::io("read", path, source))?.len())
}

/// Locks out every process that opens the store, as LMDB does while it prepares its lock file.
#[cfg(unix)]
#[allow(unsafe_code)]
fn lock(folder: &Path) -> Result<File, Error> {
    use std::os::fd::AsRawFd;

    let path = folder.join("lock.mdb");
    let file = open_regular(&path, File::options().read(true).write(true).create(true).truncate(false));
    let file = file.map_err(|source| error::io("open", &path, source))?;
    // SAFETY: zeros are a valid `flock`, of which all that counts is set here; the descriptor is open.
    unsafe {
        let mut request: libc::flock = std::mem::zeroed();
        request.l_type = libc::F_WRLCK as _;
        request.l_whence = libc::SEEK_SET as _;
        request.l_len = 1;
        if libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &request) == 0 {
            return Ok(file);
        }
        let refused = std::io::Error::last_os_error();
        if !matches!(refused.raw_os_error(), Some(libc::EACCES | libc::EAGAIN)) {
            return Err(error::io("lock", &path, refused));
        }
        let holder = libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &mut request) == 0;
        Err(error::in_use(folder, (holder && request.l_pid > 0).then_some(request.l_pid as u32)))
    }
}

#[cfg(not(unix))]
fn lock(folder: &Path) -> Result<File, Error> {
    let source = std::io::Error::from(std::io::ErrorKind::Unsupported);
    Err(error::io("lock", &folder.join("lock.mdb"), source))
}
