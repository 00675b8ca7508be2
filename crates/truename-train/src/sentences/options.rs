use serde::{Deserialize, Serialize};

/// Options of [`build_corpus`](super::build_corpus).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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

impl CorpusOptions {
    /// Sets the documents that the linker reads.
    #[must_use]
    pub fn link(self, link: LinkedDocuments) -> Self {
        Self { link, ..self }
    }

    /// Sets the smallest probability of a link, which the linker of the builder has too.
    #[must_use]
    pub fn min_probability(self, min_probability: f64) -> Self {
        Self { min_probability, ..self }
    }

    /// Sets the smallest edit distance between the names of a pair.
    #[must_use]
    pub fn min_edit_distance(self, min_edit_distance: usize) -> Self {
        Self { min_edit_distance, ..self }
    }

    /// Sets the largest number of pairs of a concept.
    #[must_use]
    pub fn max_pairs(self, max_pairs: usize) -> Self {
        Self { max_pairs, ..self }
    }

    /// Sets the longest sentence in characters.
    #[must_use]
    pub fn max_length(self, max_length: usize) -> Self {
        Self { max_length, ..self }
    }

    /// Sets whether a concept without a definition is described by its parents.
    #[must_use]
    pub fn parents(self, parents: bool) -> Self {
        Self { parents, ..self }
    }

    /// Sets the seed of the choice among sentences and pairs.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }
}

impl Default for CorpusOptions {
    fn default() -> Self {
        Self {
            link: LinkedDocuments::Missing,
            min_probability: 0.9,
            min_edit_distance: 10,
            max_pairs: 50,
            max_length: 300,
            parents: false,
            seed: 1,
        }
    }
}
