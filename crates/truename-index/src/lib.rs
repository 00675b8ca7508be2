//! From n-grams to the nearest names.
//!
//! [`NgramIndex`] keeps, inside a store's LMDB environment, which name has which [`Gram`]; a search
//! returns the [`Hit`]s with the highest TF-IDF cosine. The index knows names by number alone: it never
//! sees a concept, a text or a model.
//!
//! [`Gram`]: truename_text::Gram
//!
//! ```
//! use truename_index::{NgramIndex, Search, SearchScratch};
//! use truename_text::{NormalizedName, grams};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # #[allow(unsafe_code)]
//! # let env = unsafe { heed::EnvOpenOptions::new().read_txn_without_tls().max_dbs(2).map_size(1 << 26).open(folder.path())? };
//! let names = ["myocardial infarction", "cerebral infarction", "migraine"];
//! let mut write = env.write_txn()?;
//! let index = NgramIndex::create(&env, &mut write)?;
//! index.build(&mut write, 3, |name| grams(&NormalizedName::new(names[name as usize])))?;
//! write.commit()?;
//!
//! let read = env.read_txn()?;
//! let query = grams(&NormalizedName::new("myocardal infarct"));
//! let hits = index.search(&read, &query, &Search { limit: 2, ..Search::default() }, &mut SearchScratch::default())?;
//! assert_eq!(hits[0].name, 0);
//! # Ok(())
//! # }
//! ```

mod error;
mod ngram;
mod postings;

pub use error::Error;
pub use ngram::{Hit, NgramIndex, Search, SearchScratch};
