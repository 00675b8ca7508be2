//! A store's file: opened, mapped, compared with its checksums, committed.

use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind::{OutOfMemory, PermissionDenied, ReadOnlyFilesystem};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use truename_error::{ErrorKind, HintPart, hint};
use truename_files::{has_other_names, open_regular, regular_metadata};
use truename_storage::{Environment, EnvironmentOptions, Transaction, WriteTransaction, damaged_in, full_disk};

use crate::checksums::{self, Comparison};
use crate::{Error, error, guard};

/// Options of a store that can be written to. Its file is only as large as its contents, whatever the map; its tables are
/// those of the store and of the indexes.
pub(crate) const OPTIONS: EnvironmentOptions =
    EnvironmentOptions { map_bytes: 64 << 30, max_tables: 32, max_readers: 512, read_only: false, lock: true };
/// Files that LMDB writes in place.
const IN_PLACE: [&str; 2] = ["data.mdb", "lock.mdb"];
/// Address space beyond twice the file's size, where the system refuses more.
const SPARE_BYTES: u64 = 1 << 30;
/// No transaction has this number.
const NEVER: usize = usize::MAX;

/// The open environment of one folder, shared by the handles of this process.
pub(crate) struct SharedEnvironment {
    /// Ends before the map does.
    guarded: guard::Region,
    pub(crate) lmdb: Environment,
    /// Number of the process that opened it; a child of a fork may not use it.
    process: u32,
    /// The last transaction whose state agrees with its checksums, as far as this process knows.
    compared: AtomicUsize,
    /// The last transaction whose automata were found whole.
    pub(crate) forms_verified: AtomicUsize,
}

type OpenEnvironments = Mutex<HashMap<PathBuf, Weak<SharedEnvironment>>>;
/// An environment may be open once a process only, so that handles to one path share it.
static OPEN: LazyLock<OpenEnvironments> = LazyLock::new(OpenEnvironments::default);

impl SharedEnvironment {
    /// Opens the environment in a folder, or makes it.
    pub(crate) fn open(folder: &Path) -> Result<Arc<Self>, Error> {
        let canonical = folder.canonicalize().map_err(|source| error::io("open", folder, source))?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, environment| environment.strong_count() > 0);
        if let Some(environment) = open.get(&canonical).and_then(Weak::upgrade) {
            environment.refuse_forked()?;
            return environment.refuse_faulted().map(|()| environment);
        }
        // LMDB follows links.
        let linked = hard_linked(folder)?;
        checksums::compare_metas(folder)?;
        let lock = canonical.join("lock.mdb");
        // LMDB maps a new lock file and writes to the map, which ends the process where there is no room for it.
        if let Some(source) = full_disk(&canonical).filter(|_| !lock.exists()) {
            return Err(error::io("write", &lock, source));
        }
        let options = match linked {
            // Nobody writes to a file with another name, so that reading needs no lock.
            Some(_) => EnvironmentOptions { read_only: true, lock: false, ..OPTIONS },
            None => {
                // LMDB would make a lock file for its user alone. A read-only folder has none.
                let _ = File::options().write(true).create_new(true).open(&lock);
                OPTIONS
            }
        };
        let lmdb = open_lmdb(folder, options)?;
        let environment = Arc::new(Self {
            guarded: guard::Region::of(&canonical.join("data.mdb"), lmdb.map_bytes(), folder),
            lmdb,
            process: std::process::id(),
            compared: AtomicUsize::new(NEVER),
            forms_verified: AtomicUsize::new(NEVER),
        });
        open.insert(canonical, Arc::downgrade(&environment));
        Ok(environment)
    }

    /// Refuses a file that is shorter than its contents: a page past its end would end the process when it is read.
    pub(crate) fn refuse_truncated(&self) -> Result<(), Error> {
        let (needed, data) = (self.lmdb.needed_bytes(), self.lmdb.folder().join("data.mdb"));
        let found = std::fs::metadata(&data).map_err(|source| error::io("read", &data, source))?.len();
        if found < needed {
            return Err(damaged_in(
                self.lmdb.folder(),
                format!("data.mdb is cut off: it has {found} bytes of {needed}"),
            ));
        }
        Ok(())
    }

    /// Returns true where a part of the map could not be read ([`guard::survive`]).
    pub(crate) fn has_faulted(&self) -> bool {
        self.guarded.has_faulted()
    }

    /// Refuses an environment that a process inherited open: threads of its parent had it, and nothing in the child closes it.
    fn refuse_forked(&self) -> Result<(), Error> {
        if self.process == std::process::id() {
            return Ok(());
        }
        let folder = self.lmdb.folder().display();
        let message = format!("another thread had knowledge base {folder} in use when this process was forked");
        Err(Error::new(ErrorKind::Other, message).with_hint("fork while no call is under way, or spawn the process"))
    }

    fn refuse_faulted(&self) -> Result<(), Error> {
        match self.has_faulted() {
            true => Err(damaged_in(self.lmdb.folder(), "a part of data.mdb could not be read")),
            false => Ok(()),
        }
    }

    /// Begins to write, after the file was compared with its checksums: a damaged one is not written to.
    pub(crate) fn write(&self) -> Result<WriteTransaction<'_>, Error> {
        if let Some(name) = hard_linked(self.lmdb.folder())? {
            let message = "has another name (hard link), under which a change would appear too";
            let compact = HintPart::action("kb compact").with("kb", self.lmdb.folder().display());
            return Err(Error::new(
                ErrorKind::Other,
                format_args!("{} {message}", self.lmdb.folder().join(name).display()),
            )
            .with_hint(hint![compact, " gives it files of its own"]));
        }
        let write = self.lmdb.write()?;
        if self.is_replaced().map_err(|source| error::io("read", self.lmdb.folder(), source))? {
            let folder = self.lmdb.folder().display();
            let message = format!("the file of knowledge base {folder} was replaced since it was opened");
            return Err(Error::new(ErrorKind::Other, message).with_hint("run the command again"));
        }
        self.refuse_faulted()?;
        let last = write.id() - 1;
        if self.compared.load(Ordering::Relaxed) != last {
            if checksums::compare(self.lmdb.folder())? == Comparison::LastCommitWithoutSums {
                // Best effort, as after a commit.
                let _ = checksums::write(self.lmdb.folder());
            }
            self.compared.store(last, Ordering::Relaxed);
        }
        Ok(write)
    }

    pub(crate) fn commit(&self, write: WriteTransaction<'_>) -> Result<(), Error> {
        self.refuse_faulted()?;
        let committed = write.id();
        write.commit()?;
        // No other writer makes the file longer in the meantime.
        let alone = self.lmdb.write()?;
        let data = self.lmdb.folder().join("data.mdb");
        // LMDB does not write a last page that the transaction freed again; `refuse_truncated` counts it.
        extend(&data, self.lmdb.needed_bytes()).map_err(|source| error::io("extend", &data, source))?;
        // A later writer, or one of an empty transaction, finds the sums that it needs.
        if alone.id() - 1 == committed && checksums::write(self.lmdb.folder()).is_ok() {
            self.compared.store(committed, Ordering::Relaxed);
        }
        // Sums that could not be written do not undo a commit: a comparison says that they are missing.
        Ok(())
    }

    /// Returns true where another file has taken the place of the open one: a write to the open one would be lost.
    #[cfg(unix)]
    fn is_replaced(&self) -> std::io::Result<bool> {
        use std::os::unix::fs::MetadataExt;

        let open = self.lmdb.metadata()?;
        let there = std::fs::metadata(self.lmdb.folder().join("data.mdb"))?;
        Ok((open.dev(), open.ino()) != (there.dev(), there.ino()))
    }

    #[cfg(not(unix))]
    fn is_replaced(&self) -> std::io::Result<bool> {
        Ok(false)
    }

    pub(crate) fn close(self) {
        self.lmdb.close();
    }
}

/// Returns the first file written in place that has another name, where whatever is written would appear too.
///
/// # Errors
/// If one is a link or no file.
fn hard_linked(folder: &Path) -> Result<Option<&'static str>, Error> {
    let mut linked = None;
    for name in IN_PLACE {
        let path = folder.join(name);
        let found = regular_metadata(&path).map_err(|source| error::io("open", &path, source))?;
        linked = linked.or(found.is_some_and(|found| has_other_names(&found)).then_some(name));
    }
    Ok(linked)
}

fn extend(data: &Path, length: u64) -> std::io::Result<()> {
    if std::fs::metadata(data)?.len() < length {
        open_regular(data, File::options().write(true))?.set_len(length)?;
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
pub(crate) fn open_lmdb(folder: &Path, options: EnvironmentOptions) -> Result<Environment, Error> {
    let length = std::fs::metadata(folder.join("data.mdb")).map_or(0, |data| data.len());
    let read_only = EnvironmentOptions { read_only: true, ..options };
    let mut rights = vec![options, read_only, EnvironmentOptions { lock: false, ..read_only }];
    let mut sizes = vec![length, length * 2 + SPARE_BYTES, options.map_bytes];
    loop {
        let options = EnvironmentOptions { map_bytes: sizes[sizes.len() - 1], ..rights[0] };
        // SAFETY: the file is only changed through LMDB, which locks it between processes. One that was changed or
        // cut off from outside is found by its checksums and its length, or by the guard. Where not even the lock file
        // can be opened, this process has no way to write, and who has must not while it reads.
        let opened = unsafe { Environment::open(folder, options) };
        let source = opened.as_ref().err().and_then(std::error::Error::source);
        match source.and_then(|source| source.downcast_ref::<std::io::Error>()) {
            Some(source) if is_read_only(source) && rights.len() > 1 => {
                rights.remove(0);
            }
            // `ulimit -v` counts mapped addresses whether they are used or not.
            Some(source) if source.kind() == OutOfMemory && sizes.len() > 1 => {
                sizes.pop();
            }
            _ => return opened,
        }
    }
}

fn is_read_only(source: &std::io::Error) -> bool {
    matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
}
