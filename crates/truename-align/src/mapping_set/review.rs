//! The order in which people judge mappings.

use truename::{EVEN_SHARE, doubt_at, review_order};

/// Probability of a mapping that is most in doubt.
const DOUBTFUL: f64 = 0.5;
/// Seed of the draws: the same mappings have the same order.
const SEED: u64 = 1;

/// Returns the places of mappings with these probabilities in the order of their review: at random, doubtful ones sooner.
pub fn mapping_order(confidences: impl IntoIterator<Item = f64>) -> Vec<usize> {
    let doubts: Vec<f64> = confidences.into_iter().map(|confidence| doubt_at(confidence, DOUBTFUL)).collect();
    review_order(&doubts, EVEN_SHARE, SEED).into_iter().map(|drawn| drawn.index).collect()
}
