//! The ranker: calibrated probabilities from features.
//!
//! The standard rankers are fitted to labelled corpora, each as heavy as any other, and to names held out of
//! knowledge bases; their slope, offset and thresholds come from folds of whole corpora (`truename-bench
//! fit-default`). A ranker keeps the shares of right decisions by threshold, from which the NIL threshold for an
//! expected share of NIL follows. A store keeps a fitted ranker for each feature set; where the name of a candidate
//! has no vector yet, the lexical one decides.

mod boosting;
mod decisions;
mod fit;
mod groups;
mod masks;
mod trees;

use std::sync::{Arc, LazyLock};

pub use boosting::FitOptions;
pub(crate) use boosting::boost;
use decisions::Decisions;
pub(crate) use fit::{FOLDS, Fitting, calibrate, log_loss};
pub(crate) use groups::Groups;
use groups::softmax_with_none;
pub(crate) use masks::LeafMasks;
use serde::{Deserialize, Serialize};
pub(crate) use trees::Trees;

use crate::{Error, FeatureSet, error};

/// Regression trees over the features, with the calibration of their scores to probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranker {
    /// Hash of the feature names that the trees were grown on; tells whether vectors are among them.
    layout: u64,
    trees: Trees,
    /// Slope of the calibration; the softmax takes `slope * score + offset` (Platt scaling within a group).
    slope: f64,
    offset: f64,
    /// Right decisions by threshold, below which an answer is NIL.
    pub(crate) decisions: Decisions,
    /// Probability that the only concept with the exact name is right.
    pub(crate) exact: f64,
}

/// Lexical ranker, fitted on public vocabularies by `truename-bench fit-default`.
static DEFAULT: LazyLock<Arc<Ranker>> = LazyLock::new(|| shipped(include_bytes!("default.bin"), FeatureSet::Lexical));
/// Ranker with the vectors of MiniLM-L6, fitted by `truename-bench fit-default --encoder DIR`.
static DEFAULT_DENSE: LazyLock<Arc<Ranker>> =
    LazyLock::new(|| shipped(include_bytes!("default-dense.bin"), FeatureSet::Dense));

fn shipped(bytes: &[u8], features: FeatureSet) -> Arc<Ranker> {
    let read = Ranker::from_bytes(bytes, features);
    Arc::new(read.expect("the default ranker is of this version; `truename-bench fit-default` makes it"))
}

impl Ranker {
    /// Returns the ranker that comes with Truename for a feature set.
    pub fn standard(features: FeatureSet) -> Arc<Self> {
        match features {
            FeatureSet::Lexical => Arc::clone(&DEFAULT),
            FeatureSet::Dense => Arc::clone(&DEFAULT_DENSE),
        }
    }

    /// Reads the bytes written by [`Ranker::to_bytes`].
    ///
    /// # Errors
    /// If the bytes are damaged, or of a ranker for other features.
    pub fn from_bytes(bytes: &[u8], features: FeatureSet) -> Result<Self, Error> {
        let ranker: Self = postcard::from_bytes(bytes).map_err(error::ranker)?;
        let numbers = [ranker.slope, ranker.offset, ranker.exact];
        let is_sound = ranker.trees.is_sound(features.names().len())
            && ranker.decisions.is_sound()
            && numbers.iter().all(|n| n.is_finite());
        if ranker.layout != features.layout() || !is_sound {
            return Err(error::ranker(postcard::Error::SerdeDeCustom));
        }
        Ok(ranker)
    }

    /// Returns the probability below which NIL is the better decision, if `nil_share` of the names asked for have no concept.
    pub fn threshold(&self, nil_share: f64) -> f64 {
        self.decisions.threshold(nil_share)
    }

    /// Returns the bytes that stores keep.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("numbers can be written")
    }

    /// Returns the calibrated score of one row; higher is likelier.
    pub(crate) fn score(&self, row: &[f32]) -> f64 {
        self.slope * f64::from(self.trees.score(row)) + self.offset
    }

    /// Returns trees over the rows of another feature set whose score is [`Ranker::score`] less the offset.
    ///
    /// # Panics
    /// If the rows lack features of this ranker.
    fn scaled_trees(&self, features: FeatureSet) -> Trees {
        let trees = self.trees.clone().scaled(self.slope);
        if self.layout == features.layout() {
            return trees;
        }
        let own = FeatureSet::ALL.into_iter().find(|own| own.layout() == self.layout).expect("a known feature set");
        let names = features.names();
        let place = |name: &String| names.iter().position(|other| other == name).expect("rows with all its features");
        let places: Vec<u16> = own.names().iter().map(|name| place(name) as u16).collect();
        trees.moved(&places)
    }

    /// Returns the probabilities of candidates with these scores; the rest to 1 is the probability of none.
    pub(crate) fn probabilities(scores: &[f64]) -> Vec<f64> {
        softmax_with_none(scores)
    }
}

#[cfg(test)]
mod tests {
    use truename_text::stable_hash;

    use super::*;

    #[test]
    fn a_lexical_ranker_ranks_rows_with_vectors_alike() {
        let row = |features: FeatureSet| -> Vec<f32> {
            features.names().iter().map(|name| stable_hash(name) as f32 / u64::MAX as f32).collect()
        };
        let lexical = Ranker::standard(FeatureSet::Lexical);
        let expected = lexical.scaled_trees(FeatureSet::Lexical).score(&row(FeatureSet::Lexical));
        assert_eq!(lexical.scaled_trees(FeatureSet::Dense).score(&row(FeatureSet::Dense)), expected);
        assert!(
            (f64::from(expected) - (lexical.score(&row(FeatureSet::Lexical)) - lexical.offset)).abs() < 1e-4,
            "{expected}"
        );
    }

    #[test]
    fn a_damaged_ranker_is_refused_or_ranks() {
        let bytes = Ranker::standard(FeatureSet::Lexical).to_bytes();
        let row = vec![0.5; FeatureSet::Lexical.names().len()];
        let (mut refused, step) = (0, bytes.len() / 200);
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            // A node that is its own child would loop forever.
            match Ranker::from_bytes(&damaged, FeatureSet::Lexical) {
                Ok(ranker) => assert!(ranker.score(&row).is_finite(), "byte {at}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 20, "{refused}");
    }
}
