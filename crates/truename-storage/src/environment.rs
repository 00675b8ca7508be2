//! Environments: an LMDB file that is opened, mapped and resized, with its tables and readers.

use std::path::{Path, PathBuf};
use std::{fs, io};

use heed::{CompactionOption, Env, EnvFlags, EnvOpenOptions, WithoutTls};
use tempfile::TempDir;

use crate::error::{OpenFolder, failed, unopened};
use crate::{Error, ReadTransaction, Stored, Table, Transaction, WriteTransaction};

/// The map is a multiple of this many bytes, and so of the pages of every system.
const MAP_UNIT: u64 = 1 << 16;

/// Options of [`Environment::open`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnvironmentOptions {
    /// Address space of the map in bytes, rounded up to whole pages. The file cannot grow larger.
    pub map_bytes: u64,
    /// Largest number of tables.
    pub max_tables: u32,
    /// Largest number of read transactions at a time, those of all processes together.
    pub max_readers: u32,
    /// True opens a file that cannot be written to.
    pub read_only: bool,
    /// False opens without a lock file: the caller keeps writers out.
    pub lock: bool,
}

impl Default for EnvironmentOptions {
    /// A map of 1 GiB, 32 tables, 512 readers; for writing, with a lock file.
    fn default() -> Self {
        Self { map_bytes: 1 << 30, max_tables: 32, max_readers: 512, read_only: false, lock: true }
    }
}

/// An open file of tables, `data.mdb` in a folder. Closed on drop.
pub struct Environment {
    lmdb: Env<WithoutTls>,
    folder: PathBuf,
    /// Removed after the file is closed.
    scratch: Option<TempDir>,
    listed: Option<OpenFolder>,
}

impl Environment {
    /// Opens the environment in a folder, or makes it. Errors name the folder as it is given here.
    ///
    /// # Errors
    /// If this process has the file open already, it is none of LMDB, or it cannot be opened; the source of the latter is the error
    /// of the system.
    ///
    /// # Safety
    /// As long as it is open, nobody changes the file or makes it shorter but through LMDB and its lock: values are
    /// borrowed from the map of the file, and reading a page past its end is a fault.
    #[allow(unsafe_code)]
    pub unsafe fn open(folder: &Path, options: EnvironmentOptions) -> Result<Self, Error> {
        let mut flags = EnvFlags::empty();
        flags.set(EnvFlags::READ_ONLY, options.read_only);
        flags.set(EnvFlags::NO_LOCK, !options.lock);
        let size = options.map_bytes.div_ceil(MAP_UNIT).max(1).saturating_mul(MAP_UNIT);
        let size = usize::try_from(size).unwrap_or(usize::MAX - MAP_UNIT as usize + 1);
        let mut lmdb = EnvOpenOptions::new().read_txn_without_tls();
        lmdb.map_size(size).max_dbs(options.max_tables).max_readers(options.max_readers);
        // SAFETY: the caller keeps others from changing the file, and writers from meeting where there is no lock.
        let lmdb = unsafe { lmdb.flags(flags).open(folder) };
        let lmdb = lmdb.map_err(|source| unopened(folder, source))?;
        Ok(Self { lmdb, folder: folder.to_owned(), scratch: None, listed: Some(OpenFolder::new(folder)) })
    }

    /// Makes an environment in a temporary folder of its own, which is removed on drop. `map_bytes` is the most that it
    /// can hold.
    ///
    /// # Errors
    /// If the folder cannot be made, or there is no such address space.
    #[allow(unsafe_code)]
    pub fn scratch(map_bytes: u64) -> Result<Self, Error> {
        let scratch = tempfile::tempdir().map_err(|source| Error::io("create", &std::env::temp_dir(), source))?;
        let options = EnvironmentOptions { map_bytes, ..EnvironmentOptions::default() };
        // SAFETY: nobody else knows the folder, so nothing changes the file but this environment.
        let opened = unsafe { Self::open(scratch.path(), options)? };
        Ok(Self { scratch: Some(scratch), listed: None, ..opened })
    }

    /// Returns the folder that the file is in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder that errors name.
    fn named(&self) -> Option<&Path> {
        self.listed.is_some().then_some(&*self.folder)
    }

    fn failed(&self, source: heed::Error) -> Error {
        failed(self.named(), source)
    }

    /// Begins to read the last committed state.
    ///
    /// # Errors
    /// If there are too many readers, or another process made the file larger than the map.
    pub fn read(&self) -> Result<ReadTransaction<'_>, Error> {
        let lmdb = self.lmdb.read_txn().map_err(|source| self.failed(source))?;
        Ok(ReadTransaction { lmdb, folder: self.named() })
    }

    /// Begins to write. Waits for another writer.
    ///
    /// # Errors
    /// If the file is read-only, or another process made it larger than the map.
    pub fn write(&self) -> Result<WriteTransaction<'_>, Error> {
        let lmdb = self.lmdb.write_txn().map_err(|source| self.failed(source))?;
        Ok(WriteTransaction { lmdb, folder: self.named() })
    }

    /// Makes a table, or opens it where it exists. Its keys and values must be of the types that it was made with.
    ///
    /// # Errors
    /// If the storage fails, or there are too many tables.
    pub fn create_table<K: Stored + ?Sized, V: Stored + ?Sized>(
        &self,
        write: &mut WriteTransaction<'_>,
        name: &str,
    ) -> Result<Table<K, V>, Error> {
        self.lmdb.create_database(&mut write.lmdb, Some(name)).map(Table).map_err(|source| self.failed(source))
    }

    /// Opens a table, if it exists. Its keys and values must be of the types that it was made with.
    ///
    /// Commit `read` if the table is to be used in later transactions: LMDB forgets a table that was opened in a
    /// transaction that ends otherwise.
    ///
    /// # Errors
    /// If the storage fails, or there are too many tables.
    pub fn open_table<K: Stored + ?Sized, V: Stored + ?Sized>(
        &self,
        read: &impl Transaction,
        name: &str,
    ) -> Result<Option<Table<K, V>>, Error> {
        let table = self.lmdb.open_database(read.lmdb(), Some(name)).map_err(|source| self.failed(source))?;
        Ok(table.map(Table))
    }

    /// Frees the slots of readers that were killed. Returns their number.
    ///
    /// # Errors
    /// If the lock file is damaged.
    pub fn clear_stale_readers(&self) -> Result<usize, Error> {
        self.lmdb.clear_stale_readers().map_err(|source| self.failed(source))
    }

    /// Returns the address space of the map in bytes.
    pub fn map_bytes(&self) -> usize {
        self.lmdb.info().map_size
    }

    /// Returns the smallest length of the file that is not cut off, in bytes: it ends after the last page of the last
    /// commit.
    pub fn needed_bytes(&self) -> u64 {
        (self.lmdb.info().last_page_number as u64 + 1) * u64::from(self.lmdb.stat().page_size)
    }

    /// Returns the metadata of the open file, whatever is at its path by now.
    ///
    /// # Errors
    /// If the system fails.
    pub fn metadata(&self) -> io::Result<fs::Metadata> {
        self.lmdb.try_clone_inner_file().map_err(io::Error::other)?.metadata()
    }

    /// Writes a copy of the last committed state, without free pages, to a file.
    ///
    /// # Errors
    /// If the file is damaged, or the disk is full or fails.
    pub fn copy_compacted(&self, file: &Path) -> Result<(), Error> {
        self.lmdb.copy_to_path(file, CompactionOption::Enabled).map(drop).map_err(|source| self.failed(source))
    }

    /// Closes the file, and returns when it is closed.
    pub fn close(self) {
        let Self { lmdb, scratch, .. } = self;
        lmdb.prepare_for_closing().wait();
        drop(scratch);
    }
}

#[cfg(test)]
mod tests {
    use truename_error::ErrorKind;

    use super::*;

    #[test]
    fn a_scratch_environment_leaves_nothing() {
        for close in [Environment::close, drop] {
            let environment = Environment::scratch(1 << 20).unwrap();
            let folder = environment.folder().to_owned();
            assert!(folder.join("data.mdb").is_file());
            close(environment);
            assert!(!folder.exists());
        }
    }

    #[test]
    fn a_map_is_whole_pages_and_can_be_full() {
        let environment = Environment::scratch(100_000).unwrap();
        assert_eq!(environment.map_bytes(), 2 << 16);
        let mut write = environment.write().unwrap();
        let table: Table<u32, [u8]> = environment.create_table(&mut write, "table").unwrap();
        let refused = table.put(&mut write, &1, &[0; 2 << 16]).unwrap_err();
        assert_eq!(
            (refused.kind(), refused.to_string().as_str()),
            (ErrorKind::Full, "no room is left in a temporary store")
        );
    }

    #[test]
    #[allow(unsafe_code)]
    fn a_file_is_opened_again_as_it_was_committed() {
        let folder = tempfile::tempdir().unwrap();
        let options = EnvironmentOptions::default();
        // SAFETY: the folder is this test's own.
        let open = |options| unsafe { Environment::open(folder.path(), options) };
        let environment = open(options).unwrap();
        assert_eq!(open(options).err().unwrap().kind(), ErrorKind::Other);
        let mut write = environment.write().unwrap();
        let table: Table<str, u64> = environment.create_table(&mut write, "table").unwrap();
        table.put(&mut write, "key", &7).unwrap();
        let id = write.id();
        write.commit().unwrap();
        assert_eq!(environment.metadata().unwrap().len(), environment.needed_bytes());
        environment.close();

        let environment = open(EnvironmentOptions { read_only: true, ..options }).unwrap();
        let read = environment.read().unwrap();
        assert_eq!(read.id(), id);
        let table: Table<str, u64> = environment.open_table(&read, "table").unwrap().unwrap();
        assert_eq!(table.get(&read, "key").unwrap(), Some(7));
        assert!(environment.open_table::<str, u64>(&read, "none").unwrap().is_none());
        let refused = environment.write().err().unwrap();
        assert_eq!(refused.to_string(), format!("cannot write to knowledge base {}", folder.path().display()));
    }

    #[test]
    #[allow(unsafe_code)]
    fn errors_tell_what_failed() {
        let folder = tempfile::tempdir().unwrap();
        // SAFETY: the folder is this test's own.
        let open = |folder: &Path| unsafe { Environment::open(folder, EnvironmentOptions::default()) };
        let missing = open(&folder.path().join("none")).err().unwrap();
        assert!(missing.is_not_found() && std::error::Error::source(&missing).unwrap().is::<io::Error>());
        fs::write(folder.path().join("data.mdb"), [1; 8192]).unwrap();
        let foreign = open(folder.path()).err().unwrap();
        let way_out = format!("`kb import FILE out={} force`", folder.path().display());
        assert!(foreign.is_damaged() && foreign.hint().unwrap().to_string().ends_with(&way_out));
    }

    #[test]
    #[allow(unsafe_code)]
    fn a_copy_has_no_free_pages() {
        let environment = Environment::scratch(1 << 24).unwrap();
        let mut write = environment.write().unwrap();
        let table: Table<u32, [u8]> = environment.create_table(&mut write, "table").unwrap();
        (0..200).for_each(|key| table.put(&mut write, &key, &[1; 3000]).unwrap());
        write.commit().unwrap();
        let mut write = environment.write().unwrap();
        assert_eq!(table.delete_range(&mut write, 1..).unwrap(), 199);
        write.commit().unwrap();
        let folder = tempfile::tempdir().unwrap();
        environment.copy_compacted(&folder.path().join("data.mdb")).unwrap();
        // SAFETY: the folder is this test's own.
        let copy = unsafe { Environment::open(folder.path(), EnvironmentOptions::default()) }.unwrap();
        assert!(copy.needed_bytes() * 10 < environment.needed_bytes());
        let read = copy.read().unwrap();
        let table: Table<u32, [u8]> = copy.open_table(&read, "table").unwrap().unwrap();
        assert_eq!(table.iter(&read).unwrap().map(Result::unwrap).collect::<Vec<_>>(), [(0, &[1; 3000][..])]);
    }
}
