//! Logistic regression over the features of pairs of concepts.

use truename_infer::{LogisticRegression, LogisticRow, logistic};

use crate::feature::{Feature, Features};
use crate::standard;

const COUNT: usize = Feature::ALL.len();
/// Weights of a logistic regression over [`Features`].
#[derive(Clone, Debug, PartialEq)]
pub struct AlignWeights {
    weights: [f64; COUNT],
    /// Share of matches among the pairs that the weights were fitted to.
    match_share: f64,
}

/// A pair of concepts that weights are fitted to.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Features of the pair.
    pub features: Features,
    /// True if both concepts are the same.
    pub is_match: bool,
    /// Weight of the pair in the likelihood.
    pub weight: f64,
}

impl AlignWeights {
    /// Penalty for a distance from the prior weights, in pairs.
    pub const PENALTY: f64 = 1.0;

    /// Penalty for a distance of weights that are fitted to judgements from the standard ones, in pairs.
    pub const PRIOR_PENALTY: f64 = 5.0;

    /// Returns weights that are all 0, under which every probability is a half.
    pub fn zero() -> Self {
        Self { weights: [0.0; COUNT], match_share: 0.5 }
    }

    /// Returns the weights that come with Truename, without vectors or with them.
    pub fn standard(has_vectors: bool) -> Self {
        let column = usize::from(has_vectors);
        Self { weights: standard::WEIGHTS.map(|row| row[column]), match_share: standard::MATCH_SHARES[column] }
    }

    /// Returns the weight of each feature.
    pub fn weights(&self) -> impl Iterator<Item = (&'static str, f64)> {
        Feature::ALL.into_iter().map(Feature::as_str).zip(self.weights)
    }

    /// Returns the share of matches among the pairs that the weights were fitted to.
    pub fn match_share(&self) -> f64 {
        self.match_share
    }

    /// Returns the probability of a pair: `1 / (1 + exp(-Σ weight × feature))`.
    pub fn probability(&self, features: &Features) -> f64 {
        logistic(self.logit(features))
    }

    /// Returns the logit of the probability of a pair.
    pub(crate) fn logit(&self, features: &Features) -> f64 {
        self.weights.iter().zip(features.values()).map(|(weight, feature)| weight * f64::from(*feature)).sum()
    }

    /// Fits weights to labelled pairs, from these as the prior: maximises
    /// `Σ weight × ln P(label) - ½ penalty Σ (w - prior)²` by Newton's method. Without pairs the prior stays.
    #[must_use]
    pub fn fit(&self, samples: &[Sample], penalty: f64) -> Self {
        let row = |sample: &Sample| LogisticRow {
            features: sample.features.values().map(f64::from),
            is_positive: sample.is_match,
            weight: sample.weight,
        };
        let weights = LogisticRegression { prior: self.weights, penalty }.fit(samples.iter().map(row));
        Self { weights, match_share: self.match_share }
    }

    /// Returns weights whose logits are higher by a constant.
    #[must_use]
    pub(crate) fn shifted(&self, by: f64) -> Self {
        let mut shifted = self.clone();
        shifted.weights[Feature::Constant as usize] += by;
        shifted
    }

    /// Returns the same weights, fitted to samples of which this share are matches.
    #[must_use]
    pub fn with_match_share(self, match_share: f64) -> Self {
        Self { match_share, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(value: f32, is_match: bool) -> Sample {
        let mut features = Features::default();
        features.set([(Feature::Constant, 1.0), (Feature::EqualLabels, value)]);
        Sample { features, is_match, weight: 10.0 }
    }

    #[test]
    fn fitted_weights_tell_the_pairs_apart() {
        let samples: Vec<Sample> = [(0.1, false), (0.2, false), (0.4, true), (0.5, false), (0.8, true), (0.9, true)]
            .map(|(value, is_match)| sample(value, is_match))
            .into();
        let fitted = AlignWeights::zero().fit(&samples, AlignWeights::PENALTY);
        let probability = |value| fitted.probability(&sample(value, true).features);
        assert!(probability(0.1) < 0.5 && probability(0.9) > 0.5);
    }

    #[test]
    fn without_pairs_the_prior_stays_and_extreme_logits_hold() {
        assert_eq!(AlignWeights::zero().fit(&[], 1.0), AlignWeights::zero());
        let fitted = AlignWeights::zero().fit(&[sample(100.0, true), sample(-100.0, false)], 1.0);
        assert!(fitted.weights.iter().all(|weight| weight.is_finite()));
    }
}
