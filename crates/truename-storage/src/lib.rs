//! Ordered tables in one memory-mapped LMDB file, with transactions.
//!
//! An [`Environment`] is an open file. A [`WriteTransaction`] changes its [`Table`]s, all at once or not at all. A
//! [`ReadTransaction`] sees one committed state; the values that it reads are borrowed from the map, without a copy.
//! Either is a [`Transaction`] to read in. The binding to LMDB is private to this crate. The [`SpillAllocator`] puts large allocations
//! into temporary files, for work on more data than the memory holds.
//!
//! ```
//! use truename_storage::{Environment, Table};
//!
//! # fn main() -> Result<(), truename_storage::Error> {
//! let environment = Environment::scratch(1 << 20)?;
//! let mut write = environment.write()?;
//! let names: Table<u32, str> = environment.create_table(&mut write, "names")?;
//! names.put(&mut write, &7, "heart attack")?;
//! assert_eq!(names.get(&write, &7)?, Some("heart attack"));
//! write.commit()?;
//!
//! let read = environment.read()?;
//! assert_eq!(names.range(&read, 5..)?.next().transpose()?, Some((7, "heart attack")));
//! # Ok(())
//! # }
//! ```

mod environment;
mod error;
mod free_space;
mod spill;
mod stored;
mod table;
mod transaction;

pub use environment::{Environment, EnvironmentOptions};
pub use error::{Error, damaged, damaged_in, io_error, unreadable};
pub use free_space::full_disk;
pub use spill::{SpillAllocator, Spilling};
pub use stored::{Item, Stored};
pub use table::{Entry, Table};
pub use transaction::{ReadTransaction, Transaction, WriteTransaction};
