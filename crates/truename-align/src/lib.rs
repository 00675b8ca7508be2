//! Ontology alignment: mappings between the concepts of two vocabularies, with their probability and evidence.
//!
//! Read in this order: [`read_concepts`] reads a vocabulary, [`concepts_of`] that of an open knowledge base; an [`Alignment`] has the [`Mapping`]s of two, chosen by [`AlignOptions`];
//! [`JudgedPairs`] are mappings that people judged, which the ranker learns from; [`ComparedPairs`] are the pairs behind an alignment with
//! their [`Features`], and [`AlignWeights`] the logistic regression that ranks them; a [`MappingSet`] writes mappings as SSSOM, in the
//! format of the OAEI, as OWL or JSON, and [`read_mappings`] reads such files, [`MappingTable`] with further cells; [`mapping_order`] is
//! the order in which people judge mappings; [`read_candidates`] reads lists of candidates to rank.
//!
//! ```
//! use truename_align::{AlignOptions, Alignment, Concept, MappingSet, SetMetadata};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let concept = |id: &str, name: &str| Ok::<_, truename_align::Error>(Concept::new(id.parse()?, name));
//! let mouse = [concept("MA:1", "kidney cortex")?, concept("MA:2", "tail")?];
//! let human = [concept("NCIT:9", "Renal Vein")?, concept("NCIT:8", "Cortex of the Kidney")?];
//! let alignment = Alignment::new(&mouse, &human, &AlignOptions::default())?;
//! assert_eq!((alignment.mappings[0].source, alignment.mappings[0].target), (0, 1));
//! assert_eq!(alignment.mappings.len(), 1);
//! let set = MappingSet::new(&mouse, &human, &alignment.mappings, &SetMetadata::default());
//! assert!(set.to_sssom().contains("MA:1\tkidney cortex\tskos:exactMatch\tNCIT:8"));
//! # Ok(())
//! # }
//! ```

mod alignment;
mod assignment;
mod candidate_file;
mod candidates;
mod compared;
mod comparer;
mod concepts;
mod designation;
mod difference;
mod entailed;
mod feature;
mod hierarchy;
mod judged;
mod mapping;
mod mapping_file;
mod mapping_set;
mod name_match;
mod name_pair;
mod options;
mod predicate;
mod repair;
mod rewriting;
mod standard;
mod structure;
#[cfg(test)]
mod tests;
mod vectors;
mod vocabulary;
mod weights;
mod word_table;

pub use alignment::{Alignment, ComparedPairs};
pub use candidate_file::{CandidateList, read_candidates};
pub use concepts::{concepts_of, read_concepts};
pub use feature::{Feature, Features};
pub use judged::{JudgedPair, JudgedPairs};
pub use mapping::{Contradiction, Field, Mapping, MatchedName, NameEvidence, RemovedMapping};
pub use mapping_file::{FileMapping, MappingTable, plain_id, read_mappings};
pub use mapping_set::{MappingRow, MappingSet, SetMetadata, mapping_order};
pub use options::{AlignOptions, Cardinality};
pub use predicate::Predicate;
pub use truename_error::Error;
pub use truename_kb::{Concept, ImportOptions, Progress};
pub use weights::{AlignWeights, Sample};
