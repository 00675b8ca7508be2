//! Options of an alignment.

use std::sync::Arc;

use truename_infer::Encoder;
use truename_kb::{Concept, Progress};

use crate::{AlignWeights, JudgedPair, Predicate};

/// Options of an alignment.
pub struct AlignOptions<'a> {
    /// Encoder whose vectors propose and compare names beside their letters.
    pub encoder: Option<&'a Encoder>,
    /// Further concepts, of any vocabulary, whose synonyms teach which words stand for each other.
    pub background: &'a [Concept],
    /// Judged pairs: matches are mapped, others never, and the ranker learns from both.
    pub judged: &'a [JudgedPair],
    /// Number of mappings of a concept.
    pub cardinality: Cardinality,
    /// Relations of the mappings: [`Predicate::Exact`], and [`Predicate::Broad`] and [`Predicate::Narrow`] of concepts without an equal one,
    /// which follow from their nearest mapped ancestor; these and [`Predicate::Related`] of pairs that have an equal synonym of such a scope
    /// and are not mapped.
    pub predicates: &'a [Predicate],
    /// Lowest probability of a mapping.
    pub threshold: f64,
    /// Nearest names that each name proposes, by each index.
    pub neighbours: usize,
    /// Weights of the features; the standard ones where this is `None`.
    pub weights: Option<AlignWeights>,
    /// Progress of the work, for another thread to watch or stop.
    pub progress: Arc<Progress>,
}

impl AlignOptions<'_> {
    /// Default of [`AlignOptions::threshold`].
    pub const THRESHOLD: f64 = 0.5;
    /// Default of [`AlignOptions::neighbours`].
    pub const NEIGHBOURS: usize = 10;
}

impl Default for AlignOptions<'_> {
    fn default() -> Self {
        Self {
            encoder: None,
            background: &[],
            judged: &[],
            cardinality: Cardinality::OneToOne,
            predicates: &[Predicate::Exact],
            threshold: Self::THRESHOLD,
            neighbours: Self::NEIGHBOURS,
            weights: None,
            progress: Arc::default(),
        }
    }
}

/// Number of mappings of a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// At most one for each concept of either side: the assignment with the highest sum of probabilities.
    OneToOne,
    /// All with at least the threshold.
    Many,
}
