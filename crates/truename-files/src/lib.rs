//! Files and folders that appear whole or not at all, and files of a folder that somebody else may have filled.
//!
//! A [`Partial`] is written beside its target and replaces it in one step. It is removed on drop, and by
//! [`remove_partials`] if a signal ends the process. [`open_regular`] and [`Folder`] never leave a folder through a link in it.
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

mod folder;
mod partial;
mod regular;

pub use folder::Folder;
pub use partial::{Partial, copy, remove_partials, remove_remains, write};
pub use regular::{IRREGULAR_HINT, check_regular, has_other_names, is_irregular, open_regular, regular_metadata};
