//! Nearest names by n-grams or by vectors.
//!
//! [`NgramIndex`] keeps the [`Gram`]s of each name in a store's [`Environment`]; a search
//! returns the [`Hit`]s with the highest TF-IDF cosine. [`VectorIndex`] keeps a vector for each name, and returns those
//! with the highest cosine to a query's. The indexes know names by number alone: they never see a concept, a text or a
//! model. Names with the same score go by number, or by the [`Rank`] that a search is given.
//!
//! [`Environment`]: truename_storage::Environment
//! [`Gram`]: truename_text::Gram
//!
//! ```
//! use truename_index::{NgramIndex, Search, SearchScratch};
//! use truename_storage::Environment;
//! use truename_text::{NormalizedName, grams};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let names = ["myocardial infarction", "cerebral infarction", "migraine"];
//! let environment = Environment::scratch(1 << 26)?;
//! let mut write = environment.write()?;
//! let index = NgramIndex::create(&environment, &mut write)?;
//! index.build(&mut write, 3, |name| grams(&NormalizedName::new(names[name as usize])))?;
//! write.commit()?;
//!
//! let read = environment.read()?;
//! let query = grams(&NormalizedName::new("myocardal infarct"));
//! let hits = index.search(&read, &query, &Search { limit: 2, ..Search::default() }, &mut SearchScratch::default())?;
//! assert_eq!(hits[0].name, 0);
//! # Ok(())
//! # }
//! ```
//!
//! ```
//! use truename_index::{VectorIndex, VectorReader, VectorScratch, VectorSearch};
//! use truename_storage::Environment;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let environment = Environment::scratch(1 << 26)?;
//! let mut write = environment.write()?;
//! let index = VectorIndex::create(&environment, &mut write)?;
//! index.put(&mut write, &[(7, &[1.0, 0.0]), (9, &[0.6, 0.8])])?;
//! write.commit()?;
//!
//! let read = environment.read()?;
//! assert_eq!(index.missing(&read, [7, 8, 9])?, [8]);
//! let hits = index.reader(&read)?.search(&[&[0.0, 1.0]], &VectorSearch::default(), &mut VectorScratch::default())?;
//! assert_eq!(hits[0][0].name, 9);
//! # Ok(())
//! # }
//! ```

mod error;
mod frequencies;
mod hit;
mod ngram;
mod top;
mod vector;

pub use error::Error;
pub use frequencies::Frequencies;
pub use hit::{Hit, Rank};
pub use ngram::{NgramIndex, Search, SearchScratch};
pub use vector::{VectorIndex, VectorReader, VectorScratch, VectorSearch};
