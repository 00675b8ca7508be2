//! Simpler words for the rare words of a text (lexical simplification; LSBert: Qiang et al. 2020).
//!
//! Read in this order: [`SubstituteSources`] open a [`Simplifier`], which generates substitutes of a word in its sentence by a masked-language
//! model and a [`SynonymVocabulary`], and ranks them by fit in context, similarity and [`Frequencies`]; the answer is a [`SimplifiedWord`]
//! with its [`Substitute`]s; [`replaced`] puts the best ones into the text.

mod error;
mod frequencies;
mod inflection;
mod lines;
mod rank;
mod replaced;
mod similarity;
mod simplifier;
mod sources;
mod synonyms;
mod variant;

pub use error::Error;
pub use frequencies::Frequencies;
pub use replaced::replaced;
pub use simplifier::{SimplifiedWord, Simplifier, SimplifyOptions, Substitute, WordJson};
pub use sources::SubstituteSources;
pub use synonyms::SynonymVocabulary;
