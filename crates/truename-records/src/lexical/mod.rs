//! A pair scorer without a model: a logistic regression over features of words, n-grams, numbers and columns.

mod feature;
mod profile;
mod standard;
mod vocabulary;
mod weights;

use rayon::prelude::*;

pub use self::feature::{FEATURES, Features};
use self::profile::{Profile, Profiles};
pub(crate) use self::vocabulary::{Vocabulary, trigrams};
pub use self::weights::LexicalWeights;
use super::{PairScorer, RecordPair, Tables};
use crate::Error;

/// Lowest probability of records that are equal.
const EQUAL: f64 = 0.99;

/// Scores pairs by their letters, with weights of words and n-grams from the tables themselves.
///
/// The standard weights were fitted to the train parts of DBLP-ACM, DBLP-Scholar and WDC products (`truename-bench
/// records`); [`LexicalWeights::fit_labels`] fits them to labelled pairs.
pub struct LexicalScorer {
    profiles: Profiles,
    weights: LexicalWeights,
}

impl LexicalScorer {
    /// Creates a scorer of pairs of the tables, with the standard weights.
    pub fn new(tables: Tables<'_>) -> Self {
        Self { profiles: Profiles::of(tables), weights: LexicalWeights::default() }
    }

    /// Replaces the weights of the features.
    #[must_use]
    pub fn with_weights(self, weights: LexicalWeights) -> Self {
        Self { weights, ..self }
    }

    /// Returns the features of a pair.
    ///
    /// # Panics
    /// If the tables have no such row.
    pub fn features(&self, pair: RecordPair) -> Features {
        let (left, right) = (self.profiles.left(pair.left), self.profiles.right(pair.right));
        feature::features(&self.profiles, left, right)
    }

    /// Returns whether both records have the same values in the same columns, which are most of them; spacing, punctuation and capitals
    /// make no difference.
    fn are_equal(&self, pair: RecordPair) -> bool {
        let (left, right) = (self.profiles.left(pair.left), self.profiles.right(pair.right));
        fn values(profile: &Profile) -> impl Iterator<Item = (u32, u64)> + '_ {
            profile.fields.iter().map(|field| (field.column, field.hash))
        }
        2 * left.fields.len() > self.profiles.column_weights.len() && values(left).eq(values(right))
    }
}

impl PairScorer for LexicalScorer {
    fn score(&self, pairs: &[RecordPair]) -> Result<Vec<f64>, Error> {
        let probability = |pair: &RecordPair| {
            let fitted = self.weights.probability(&self.features(*pair));
            if self.are_equal(*pair) { fitted.max(EQUAL) } else { fitted }
        };
        Ok(pairs.par_iter().map(probability).collect())
    }
}
