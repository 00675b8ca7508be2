//! A store's file: opened, mapped, compared with its checksums, committed.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use heed::{Env, EnvFlags, EnvOpenOptions, RwTxn, WithoutTls};

use crate::checksums::{self, Comparison};
use crate::free_space::full_disk;
use crate::open_folders::OpenFolder;
use crate::{Error, guard};

/// Address space set aside for the map; the file is only as large as its contents.
const MAP_BYTES: u64 = 64 << 30;
/// Address space beyond twice the file's size, where the system refuses more.
const SPARE_BYTES: u64 = 1 << 30;
/// Largest number of tables, of the store and of the indexes.
const MAX_TABLES: u32 = 32;
/// No transaction has this number.
const NEVER: usize = usize::MAX;

/// An open LMDB environment of one folder.
pub(crate) struct Environment {
    /// Ends before the map does.
    _guarded: guard::Region,
    pub(crate) lmdb: Env<WithoutTls>,
    folder: OpenFolder,
    /// The last transaction whose state agrees with its checksums, as far as this process knows.
    compared: AtomicUsize,
    /// The last transaction whose automata were found whole.
    pub(crate) forms_verified: AtomicUsize,
}

type OpenEnvironments = Mutex<HashMap<PathBuf, Weak<Environment>>>;
/// An environment may be open once a process only, so that handles to one path share it.
static OPEN: LazyLock<OpenEnvironments> = LazyLock::new(OpenEnvironments::default);

impl Environment {
    /// Opens the environment in a folder, or makes it.
    pub(crate) fn open(folder: &Path) -> Result<Arc<Self>, Error> {
        let canonical = folder.canonicalize().map_err(|source| Error::io("open", folder, source))?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, environment| environment.strong_count() > 0);
        if let Some(environment) = open.get(&canonical).and_then(Weak::upgrade) {
            return Ok(environment);
        }
        checksums::compare_metas(folder)?;
        let lock = canonical.join("lock.mdb");
        // LMDB maps a new lock file and writes to the map, which ends the process where there is no room for it.
        if let Some(source) = full_disk(&canonical).filter(|_| !lock.exists()) {
            return Err(Error::io("write", &lock, source));
        }
        let lmdb = open_lmdb(&canonical, EnvFlags::empty()).map_err(|source| match source {
            heed::Error::Mdb(error) => Error::damaged(folder, format!("data.mdb cannot be opened ({error})")),
            heed::Error::Io(source) => Error::io("open", &folder.join("data.mdb"), source),
            other => Error::storage(folder, other),
        })?;
        let environment = Arc::new(Self {
            _guarded: guard::Region::of(&canonical.join("data.mdb"), lmdb.info().map_size, folder),
            lmdb,
            folder: OpenFolder::new(folder),
            compared: AtomicUsize::new(NEVER),
            forms_verified: AtomicUsize::new(NEVER),
        });
        open.insert(canonical, Arc::downgrade(&environment));
        Ok(environment)
    }

    /// Refuses a file that is shorter than its contents: a page past its end would end the process when it is read.
    pub(crate) fn refuse_truncated(&self) -> Result<(), Error> {
        let (needed, data) = (self.needed_bytes(), self.folder.path().join("data.mdb"));
        let found = std::fs::metadata(&data).map_err(|source| Error::io("read", &data, source))?.len();
        if found < needed {
            return Err(Error::damaged(
                self.folder.path(),
                format!("data.mdb is cut off: it has {found} bytes of {needed}"),
            ));
        }
        Ok(())
    }

    /// Begins to write, after the file was compared with its checksums: a damaged one is not written to.
    pub(crate) fn write(&self) -> Result<RwTxn<'_>, Error> {
        let write = self.lmdb.write_txn().map_err(|source| Error::storage(self.folder.path(), source))?;
        if self.is_replaced().map_err(|source| Error::io("read", self.folder.path(), source))? {
            return Err(Error::replaced(self.folder.path()));
        }
        let last = write.id() - 1;
        if self.compared.load(Ordering::Relaxed) != last {
            if checksums::compare(self.folder.path())? == Comparison::LastCommitWithoutSums {
                // Best effort, as after a commit.
                let _ = checksums::write(self.folder.path());
            }
            self.compared.store(last, Ordering::Relaxed);
        }
        Ok(write)
    }

    pub(crate) fn commit(&self, write: RwTxn<'_>) -> Result<(), Error> {
        let committed = write.id();
        write.commit().map_err(|source| Error::storage(self.folder.path(), source))?;
        // No other writer makes the file longer in the meantime.
        let alone = self.lmdb.write_txn().map_err(|source| Error::storage(self.folder.path(), source))?;
        let data = self.folder.path().join("data.mdb");
        // LMDB does not write a last page that the transaction freed again; `refuse_truncated` counts it.
        extend(&data, self.needed_bytes()).map_err(|source| Error::io("extend", &data, source))?;
        // A later writer, or one of an empty transaction, finds the sums that it needs.
        if alone.id() - 1 == committed && checksums::write(self.folder.path()).is_ok() {
            self.compared.store(committed, Ordering::Relaxed);
        }
        // Sums that could not be written do not undo a commit: a comparison says that they are missing.
        Ok(())
    }

    /// Returns true where another file has taken the place of the open one: a write to the open one would be lost.
    #[cfg(unix)]
    fn is_replaced(&self) -> std::io::Result<bool> {
        use std::os::unix::fs::MetadataExt;

        let open = self.lmdb.try_clone_inner_file().map_err(std::io::Error::other)?.metadata()?;
        let there = std::fs::metadata(self.folder.path().join("data.mdb"))?;
        Ok((open.dev(), open.ino()) != (there.dev(), there.ino()))
    }

    #[cfg(not(unix))]
    fn is_replaced(&self) -> std::io::Result<bool> {
        Ok(false)
    }

    pub(crate) fn close(self) {
        self.lmdb.prepare_for_closing().wait();
    }

    fn needed_bytes(&self) -> u64 {
        (self.lmdb.info().last_page_number as u64 + 1) * u64::from(self.lmdb.stat().page_size)
    }
}

fn extend(data: &Path, length: u64) -> std::io::Result<()> {
    if std::fs::metadata(data)?.len() < length {
        std::fs::OpenOptions::new().write(true).open(data)?.set_len(length)?;
    }
    Ok(())
}

/// Returns true where this process has the folder open.
pub(crate) fn is_open(canonical: &Path) -> bool {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.get(canonical).is_some_and(|environment| environment.strong_count() > 0)
}

/// Opens with as much address space and as many rights as there are.
#[allow(unsafe_code)]
pub(crate) fn open_lmdb(folder: &Path, flags: EnvFlags) -> Result<Env<WithoutTls>, heed::Error> {
    let length = std::fs::metadata(folder.join("data.mdb")).map_or(0, |data| data.len());
    let mut rights = vec![flags, flags | EnvFlags::READ_ONLY, flags | EnvFlags::READ_ONLY | EnvFlags::NO_LOCK];
    let mut sizes = vec![length, length * 2 + SPARE_BYTES, MAP_BYTES];
    loop {
        let (size, flags) = (sizes[sizes.len() - 1], rights[0]);
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        let page = 1 << 16;
        let size = usize::try_from(size.div_ceil(page).max(1) * page).unwrap_or(usize::MAX - page as usize + 1);
        options.map_size(size).max_dbs(MAX_TABLES).max_readers(512);
        // SAFETY: the file is only changed through LMDB, which locks it between processes. One that was changed or
        // cut off from outside is found by its checksums and its length, or by the guard. Where not even the lock file
        // can be opened, this process has no way to write, and who has must not while it reads.
        match unsafe { options.flags(flags).open(folder) } {
            Err(heed::Error::Io(source)) if is_read_only(&source) && rights.len() > 1 => {
                rights.remove(0);
            }
            // `ulimit -v` counts mapped addresses whether they are used or not.
            Err(heed::Error::Io(source)) if source.kind() == ErrorKind::OutOfMemory && sizes.len() > 1 => {
                sizes.pop();
            }
            opened => return opened,
        }
    }
}

fn is_read_only(source: &std::io::Error) -> bool {
    matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}
