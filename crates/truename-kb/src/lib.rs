//! Knowledge bases: importers of published files, and a store that any number of processes can map.
//!
//! Read in this order: [`Concept`] is one entry; [`import`] reads the usual formats into an
//! [`Import`], skipping and listing malformed entries; [`Store`] keeps
//! concepts, names and lookup keys in one LMDB environment; a [`Snapshot`] reads one committed state of it,
//! and [`Forms`] walk a text along all names at once.
//!
//! ```
//! use truename_kb::{ImportOptions, Store, import};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let file = folder.path().join("kb.tsv");
//! std::fs::write(&file, "id\tname\nA:1\theart attack\nA:1\tmyocardial infarction\n")?;
//! let import = import::read_files(&[file], &ImportOptions::default())?;
//!
//! let store = Store::create(&folder.path().join("kb"))?;
//! let mut write = store.write()?;
//! store.fill(&mut write, import.concepts)?;
//! store.commit(write)?;
//!
//! let snapshot = store.snapshot()?;
//! let concept = snapshot.concept_by_id(&"A:1".parse()?)?;
//! assert_eq!(concept.synonyms, ["myocardial infarction"]);
//! # Ok(())
//! # }
//! ```

mod checksums;
mod compact;
mod concept;
mod environment;
mod error;
pub mod guard;
pub mod import;
mod judgement;
mod pages;
mod progress;
mod retired;
mod store;

pub use checksums::Comparison;
pub use compact::compact;
pub use concept::{Alias, Concept, ConceptId, ConceptIndex, NameIndex, SynonymScope};
pub use error::{Error, exists};
pub use import::{Format, Import, ImportOptions};
pub use judgement::{Date, JudgedForm, Judgement, JudgementLine, Verdict, judged_on};
pub use progress::{Committing, Phase, Progress};
pub use retired::{Removal, RetiredId};
pub use store::{
    Counts, FORMAT, FormState, Forms, NameOrder, Snapshot, Store, StoreChanges, deletion_key, initials_key,
};
pub use truename_storage::{Environment, ReadTransaction, WriteTransaction, damaged};
pub use truename_text::Problem;
