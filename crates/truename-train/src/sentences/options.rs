//! Options of building a corpus of contextual synonyms.

use serde::{Deserialize, Serialize};

/// Options of [`build_corpus`](super::build_corpus).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorpusOptions {
    /// Documents that the linker reads.
    pub link: LinkedDocuments,
    /// Smallest probability of a link.
    pub min_probability: f64,
    /// Smallest edit distance between the names of a pair, in characters. The paper leaves out pairs under 10 (PICSO, section 3.5).
    pub min_edit_distance: usize,
    /// Largest number of pairs of a concept. The paper has 50 (PICSO, section 3.5).
    pub max_pairs: usize,
    /// Longest sentence in characters; a longer one is cut around its entity.
    pub max_length: usize,
    /// True if a concept without a definition is described by its parents.
    pub parents: bool,
    /// Seed of the choice among sentences and pairs.
    pub seed: u64,
}

/// Documents that the linker reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LinkedDocuments {
    /// Documents without annotations.
    Missing,
    /// All documents; what it finds counts where no annotation stands.
    Always,
    /// No document.
    Never,
}

impl Default for CorpusOptions {
    fn default() -> Self {
        Self {
            link: LinkedDocuments::Missing,
            min_probability: 0.3,
            min_edit_distance: 10,
            max_pairs: 50,
            max_length: 300,
            parents: false,
            seed: 1,
        }
    }
}
