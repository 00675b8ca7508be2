//! Scorers of pairs: a pair has the same probability among any others.

use super::RecordPair;
use crate::Error;

/// Gives pairs of records the probability that both stand for the same thing. A scorer is made for the tables whose rows
/// the pairs count.
pub trait PairScorer: Sync {
    /// Returns a probability from 0 to 1 for each pair, in their order. A pair has the same probability among any others.
    ///
    /// # Errors
    /// If a model fails.
    fn score(&self, pairs: &[RecordPair]) -> Result<Vec<f64>, Error>;

    /// Returns the number of pairs scored so far that were longer than the window of a model; of these the beginnings were read.
    fn truncated(&self) -> u64 {
        0
    }
}

/// A pair that was compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredPair {
    /// The two records.
    pub pair: RecordPair,
    /// Probability that they stand for the same thing.
    pub probability: f64,
}
