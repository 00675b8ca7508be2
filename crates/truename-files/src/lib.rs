//! Files and folders that appear whole or not at all.
//!
//! A [`Partial`] is written beside its target and replaces it in one step. It is removed on drop, and by
//! [`remove_partials`] if a signal ends the process.
//!
//! ```
//! use truename_files::Partial;
//!
//! # fn main() -> std::io::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! let target = folder.path().join("answers.csv");
//! let partial = Partial::beside(&target)?;
//! std::fs::write(partial.path(), "name,id\n")?;
//! assert!(!target.exists());
//! partial.replace(&target)?;
//! assert_eq!(std::fs::read_to_string(&target)?, "name,id\n");
//! # Ok(())
//! # }
//! ```

mod partial;

pub use partial::{Partial, remove_partials};
