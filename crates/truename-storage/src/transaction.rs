//! Transactions: a view of one committed state, or changes that are committed together.

use std::path::Path;

use heed::{RoTxn, RwTxn, WithoutTls};

use self::sealed::Lmdb;
use crate::Error;
use crate::error::failed;

/// A transaction to read in: a [`ReadTransaction`] or a [`WriteTransaction`], which sees its own changes.
pub trait Transaction: Lmdb {
    /// Returns the number of the state: of the committed one that is read, or of the one that a commit would make.
    fn id(&self) -> usize {
        self.lmdb().id()
    }
}

mod sealed {
    pub trait Lmdb {
        fn lmdb(&self) -> &heed::RoTxn<'_>;
        /// Returns the folder that errors name.
        fn folder(&self) -> Option<&std::path::Path>;
    }
}

/// A view of one committed state, which later writes do not change. Threads can pass it on, but not share it.
pub struct ReadTransaction<'env> {
    pub(crate) lmdb: RoTxn<'env, WithoutTls>,
    pub(crate) folder: Option<&'env Path>,
}

impl ReadTransaction<'_> {
    /// Ends the transaction and keeps the tables that were opened in it.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn commit(self) -> Result<(), Error> {
        self.lmdb.commit().map_err(|source| failed(self.folder, source))
    }
}

impl Transaction for ReadTransaction<'_> {}

impl Lmdb for ReadTransaction<'_> {
    fn lmdb(&self) -> &RoTxn<'_> {
        &self.lmdb
    }

    fn folder(&self) -> Option<&Path> {
        self.folder
    }
}

/// Changes that take effect together when they are committed; a transaction that is dropped has none.
pub struct WriteTransaction<'env> {
    pub(crate) lmdb: RwTxn<'env>,
    pub(crate) folder: Option<&'env Path>,
}

impl WriteTransaction<'_> {
    /// Writes the changes to disk.
    ///
    /// # Errors
    /// If the disk is full or fails; nothing is changed then.
    pub fn commit(self) -> Result<(), Error> {
        self.lmdb.commit().map_err(|source| failed(self.folder, source))
    }
}

impl Transaction for WriteTransaction<'_> {}

impl Lmdb for WriteTransaction<'_> {
    fn lmdb(&self) -> &RoTxn<'_> {
        &self.lmdb
    }

    fn folder(&self) -> Option<&Path> {
        self.folder
    }
}
