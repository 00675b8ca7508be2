//! The store: concepts, names and lookup keys in one LMDB environment.
//!
//! Any number of processes read while one writes; a reader sees one committed state. Whatever happens to
//! a writer, the store opens at its last commit.

mod check;
mod counts;
mod filed;
mod fill;
mod forms;
mod judged;
mod name_order;
mod record;
mod retired;
mod snapshot;
mod tables;
mod update;
mod word_frequencies;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename_files::regular_metadata;
use truename_storage::{Environment, WriteTransaction};

pub use self::counts::Counts;
pub use self::filed::{deletion_key, initials_key};
pub use self::forms::{FormState, Forms};
pub use self::name_order::NameOrder;
pub use self::snapshot::Snapshot;
pub use self::tables::FORMAT;
use self::tables::Tables;
pub use self::update::StoreChanges;
use crate::environment::SharedEnvironment;
use crate::{Comparison, Error, checksums, error, pages};

/// A knowledge base on disk.
#[derive(Clone)]
pub struct Store {
    environment: Arc<SharedEnvironment>,
    tables: Tables,
    path: PathBuf,
}

impl Store {
    /// Returns true where a part of the file could not be read since it was opened, so that answers may be wrong: it was
    /// cut off, or the disk fails. Only after [`guard::survive`](crate::guard::survive); otherwise the process ends.
    pub fn has_faulted(&self) -> bool {
        self.environment.has_faulted()
    }

    /// Makes an empty store in a folder that is empty or not there yet.
    ///
    /// # Errors
    /// If the folder holds something, or the disk fails.
    pub fn create(path: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(path).map_err(|source| error::io("create", path, source))?;
        let mut entries = std::fs::read_dir(path).map_err(|source| error::io("read", path, source))?;
        if entries.next().is_some() {
            return Err(error::exists(path));
        }
        let environment = SharedEnvironment::open(path)?;
        let mut write = environment.write()?;
        let tables = Tables::create(&environment.lmdb, &mut write)?;
        environment.commit(write)?;
        Ok(Self { environment, tables, path: path.to_owned() })
    }

    /// Opens a store for reading and, where the folder allows it, writing.
    ///
    /// # Errors
    /// If there is none, it is damaged, or a newer version of Truename made it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        refuse_other(path)?;
        let environment = SharedEnvironment::open(path)?;
        environment.refuse_truncated()?;
        // Readers that were killed hold their slots, and pages, until they are looked for.
        let _ = environment.lmdb.clear_stale_readers();
        let read = environment.lmdb.read()?;
        let tables = Tables::open(&environment.lmdb, &read, path)?;
        // A committed transaction keeps the table handles open.
        read.commit()?;
        Ok(Self { environment, tables, path: path.to_owned() })
    }

    /// Returns the environment, in which indexes keep tables of their own.
    pub fn env(&self) -> &Environment {
        &self.environment.lmdb
    }

    /// Returns the store's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a write transaction, which has no effect before [`Store::commit`]. Waits for another writer.
    ///
    /// The first time, and after another process wrote, the whole file is compared with its checksums.
    ///
    /// # Errors
    /// If the storage fails or is read-only; [`Error::is_damaged`] where the file differs from its checksums.
    pub fn write(&self) -> Result<WriteTransaction<'_>, Error> {
        self.environment.write()
    }

    /// Commits a write transaction.
    ///
    /// # Errors
    /// If the disk is full or fails; the store is as it was before.
    pub fn commit(&self, write: WriteTransaction<'_>) -> Result<(), Error> {
        self.environment.commit(write)
    }

    /// Returns the last committed state, which later writes do not change.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, Error> {
        let read = self.environment.lmdb.read()?;
        let counts = self.tables.counts(&read)?;
        let weighed_names = self.tables.weighed_names(&read, counts)?;
        Ok(Snapshot { environment: &self.environment, tables: self.tables, read, counts, weighed_names })
    }

    /// Compares a store's file with its checksums, without opening it in LMDB.
    ///
    /// # Errors
    /// [`Error::is_damaged`] if they differ, and where the folder holds no store.
    pub fn compare(path: &Path) -> Result<Comparison, Error> {
        refuse_other(path)?;
        checksums::compare(path)
    }

    /// Returns a hash of the last committed state, which any later one has another of. The file is not read: the hash is that of its
    /// checksums.
    ///
    /// A copy of the folder has the same, and so has a store that is filled with the same contents in the same order, on any machine
    /// with pages of the same size.
    ///
    /// # Errors
    /// If there are no checksums of the last commit, or the file differs from them.
    pub fn fingerprint(&self) -> Result<u64, Error> {
        checksums::fingerprint(&self.path).or_else(|_| {
            // A commit writes its checksums before the next writer begins, which makes those that a killed one left out.
            drop(self.environment.write());
            checksums::fingerprint(&self.path)
        })
    }

    /// Copies the last committed state to a new folder. Writers go on meanwhile.
    ///
    /// # Errors
    /// If there are no checksums of the last commit, the file differs from them, or the copy cannot be written.
    pub fn copy(&self, folder: &Path) -> Result<(), Error> {
        std::fs::create_dir(folder).map_err(|source| error::io("create", folder, source))?;
        loop {
            self.fingerprint()?;
            let snapshot = self.snapshot()?;
            // False where another commit came between.
            if checksums::copy(&self.path, snapshot.version(), folder)? {
                return Ok(());
            }
        }
    }

    /// Returns the size of the file, and the bytes of it that [`compact`](crate::compact) would save.
    ///
    /// # Errors
    /// If the storage fails or is damaged.
    pub fn size(&self) -> Result<(u64, u64), Error> {
        let data = self.path.join("data.mdb");
        // Pages of this state are not used anew while it is being read.
        let _snapshot = self.snapshot()?;
        pages::size(&data).map_err(|source| error::io("read", &data, source))
    }

    /// Stores a fact about the whole store under a name.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn put_meta(&self, write: &mut WriteTransaction<'_>, name: &str, value: &[u8]) -> Result<(), Error> {
        self.tables.meta.put(write, name, value)
    }

    /// Forgets a fact about the whole store.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn delete_meta(&self, write: &mut WriteTransaction<'_>, name: &str) -> Result<(), Error> {
        self.tables.meta.delete(write, name)?;
        Ok(())
    }

    /// Empties the store but for its format.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn clear(&self, write: &mut WriteTransaction<'_>) -> Result<(), Error> {
        self.tables.clear(write)
    }

    /// Closes the environment, so that the folder can be moved.
    pub fn close(self) {
        if let Ok(environment) = Arc::try_unwrap(self.environment) {
            environment.close();
        }
    }
}

fn refuse_other(path: &Path) -> Result<(), Error> {
    let data = path.join("data.mdb");
    match regular_metadata(&data).map_err(|source| error::io("read", &data, source))? {
        Some(found) if found.len() > 0 => Ok(()),
        Some(_) => Err(error::not_a_store(path, "its file data.mdb is empty")),
        None if path.exists() => Err(error::not_a_store(path, "it holds no file data.mdb")),
        None => Err(error::not_a_store(path, "there is no such folder")),
    }
}
