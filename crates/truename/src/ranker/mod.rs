//! From features to calibrated probabilities.

mod fit;
pub(crate) mod trees;

use std::sync::{Arc, LazyLock};

pub(crate) use fit::{FOLDS, fit, log_loss};
use serde::{Deserialize, Serialize};
use trees::{Trees, softmax_with_none};
use truename_text::stable_hash;

use crate::{Error, feature};

/// Trees over the features, and what turns their scores into probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranker {
    /// Hash of the feature names the trees were grown on, which tells whether vectors are among them.
    layout: u64,
    trees: Trees,
    /// `slope * score + offset` is what the softmax takes (Platt scaling within a group).
    slope: f64,
    offset: f64,
    /// Answers with a lower probability are NIL.
    pub(crate) threshold: f64,
    /// Probability that the one concept with the very name is the right one.
    pub(crate) exact: f64,
}

/// Fitted on public vocabularies by `truename-bench fit-default`.
static DEFAULT: LazyLock<Arc<Ranker>> = LazyLock::new(|| shipped(include_bytes!("default.bin"), false));
/// The same with the vectors of MiniLM-L6, by `truename-bench fit-default --encoder DIR`.
static DEFAULT_DENSE: LazyLock<Arc<Ranker>> = LazyLock::new(|| shipped(include_bytes!("default-dense.bin"), true));

fn shipped(bytes: &[u8], with_vectors: bool) -> Arc<Ranker> {
    let read = Ranker::from_bytes(bytes, with_vectors);
    Arc::new(read.expect("the default ranker is of this version; `truename-bench fit-default` makes it"))
}

impl Ranker {
    /// The ranker that comes with Truename, for candidates with vectors or without.
    pub fn standard(with_vectors: bool) -> Arc<Self> {
        Arc::clone(if with_vectors { &DEFAULT_DENSE } else { &DEFAULT })
    }

    /// Reads what [`Ranker::to_bytes`] wrote.
    pub(crate) fn from_bytes(bytes: &[u8], with_vectors: bool) -> Result<Self, Error> {
        let ranker: Self = postcard::from_bytes(bytes)?;
        let numbers = [ranker.slope, ranker.offset, ranker.threshold, ranker.exact];
        let is_sound =
            ranker.trees.is_sound(feature::names(with_vectors).len()) && numbers.iter().all(|n| n.is_finite());
        if ranker.layout != layout(with_vectors) || !is_sound {
            return Err(postcard::Error::SerdeDeCustom.into());
        }
        Ok(ranker)
    }

    /// The form in which stores keep it.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("numbers can be written")
    }

    /// The trees' score of one row, scaled; higher is likelier.
    pub(crate) fn score(&self, row: &[f32]) -> f64 {
        self.slope * f64::from(self.trees.score(row)) + self.offset
    }

    /// The trees that give [`Ranker::score`] less the offset, over rows with vectors or without.
    ///
    /// # Panics
    /// Where this ranker needs vectors and the rows have none.
    fn scaled_trees(&self, with_vectors: bool) -> Trees {
        let trees = self.trees.clone().scaled(self.slope);
        if self.layout == layout(with_vectors) {
            return trees;
        }
        assert!(with_vectors, "a ranker with vectors does not rank without");
        let names = feature::names(true);
        let place = |name: &String| names.iter().position(|other| other == name).expect("rows with vectors have all");
        let places: Vec<u16> = feature::names(false).iter().map(|name| place(name) as u16).collect();
        trees.moved(&places)
    }

    /// Probabilities of candidates with these scores; what is left to 1 is that none is right.
    pub(crate) fn probabilities(scores: &[f64]) -> Vec<f64> {
        softmax_with_none(scores)
    }
}

/// The fact of a store that is the ranker fitted to it, with vectors or without.
pub(crate) fn fact(with_vectors: bool) -> &'static str {
    if with_vectors { "dense-ranker" } else { "ranker" }
}

fn layout(with_vectors: bool) -> u64 {
    stable_hash(&feature::names(with_vectors).join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranker_for_letters_ranks_rows_with_vectors_alike() {
        let row = |with_vectors| -> Vec<f32> {
            feature::names(with_vectors).iter().map(|name| stable_hash(name) as f32 / u64::MAX as f32).collect()
        };
        let letters = Ranker::standard(false);
        let expected = letters.scaled_trees(false).score(&row(false));
        assert_eq!(letters.scaled_trees(true).score(&row(true)), expected);
        assert!((f64::from(expected) - (letters.score(&row(false)) - letters.offset)).abs() < 1e-4, "{expected}");
    }

    #[test]
    fn a_damaged_ranker_is_refused_or_ranks() {
        let bytes = Ranker::standard(false).to_bytes();
        let row = vec![0.5; feature::names(false).len()];
        let (mut refused, step) = (0, bytes.len() / 200);
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            // A child that is its own parent would never end.
            match Ranker::from_bytes(&damaged, false) {
                Ok(ranker) => assert!(ranker.score(&row).is_finite(), "byte {at}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 20, "{refused}");
    }
}
