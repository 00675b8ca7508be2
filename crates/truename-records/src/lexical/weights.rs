//! Logistic regression over the features of pairs, fitted with a pull towards the weights before.

use truename_infer::{LogisticRegression, LogisticRow, logistic};

use super::LexicalScorer;
use super::feature::{FEATURES, Features};
use crate::label_fit::{LabelFit, LabelledWeights};
use crate::{ComparedTables, Error, LabelGain, PairLabels, Sample, Tables};

const COUNT: usize = FEATURES.len();

/// Weights of a logistic regression over [`FEATURES`].
#[derive(Clone, Debug, PartialEq)]
pub struct LexicalWeights([f64; COUNT]);

impl Default for LexicalWeights {
    fn default() -> Self {
        Self(super::standard::STANDARD)
    }
}

impl LexicalWeights {
    /// Weight of the penalty for a distance from the prior weights, in pairs.
    pub const PENALTY: f64 = 1.0;

    /// Returns weights that are all 0, under which every probability is a half.
    pub fn zero() -> Self {
        Self([0.0; COUNT])
    }

    /// Returns the weight of each feature.
    pub fn weights(&self) -> impl Iterator<Item = (&'static str, f64)> {
        FEATURES.into_iter().zip(self.0)
    }

    /// Returns the probability of a pair: `1 / (1 + exp(-Σ weight × feature))`.
    pub fn probability(&self, features: &Features) -> f64 {
        logistic(self.logit(features))
    }

    /// Returns the logit of the probability of a pair.
    pub(super) fn logit(&self, features: &Features) -> f64 {
        self.0.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }

    /// Fits weights to labelled pairs, from these as the prior: maximises
    /// `Σ weight × ln P(label) - ½ penalty Σ (w - prior)²` by Newton's method. Without pairs the prior stays.
    #[must_use]
    pub fn fit(&self, samples: &[Sample<Features>], penalty: f64) -> Self {
        let row = |sample: &Sample<Features>| LogisticRow {
            features: sample.features,
            is_positive: sample.is_same,
            weight: sample.weight,
        };
        let weights = LogisticRegression { prior: self.0, penalty }.fit(samples.iter().map(row));
        Self(weights)
    }

    /// Fits the weights to labelled pairs, from these as the prior, and keeps them if they are better on labels that they were not fitted
    /// to. With tables, pairs of their records have features by the words of the tables, and the decisions of other pairs are compared.
    ///
    /// # Errors
    /// If all labels are alike.
    pub fn fit_labels(
        &self,
        labels: PairLabels<'_>,
        compared: Option<ComparedTables<'_>>,
    ) -> Result<(Self, LabelGain), Error> {
        let fit = LabelFit::new(self.clone(), labels, compared, |tables: Tables<'_>| {
            let scorer = LexicalScorer::new(tables);
            Ok(Box::new(move |pair| scorer.features(pair)))
        })?;
        Ok(fit.run())
    }
}

impl LabelledWeights for LexicalWeights {
    type Features = Features;

    fn fit(&self, samples: &[Sample<Features>], penalty: f64) -> Self {
        self.fit(samples, penalty)
    }

    fn logit(&self, features: &Features) -> f64 {
        self.logit(features)
    }

    fn changes(&self, after: &Self) -> Vec<(String, f64, f64)> {
        let pairs = self.weights().zip(after.weights());
        pairs.map(|((name, before), (_, after))| (name.to_owned(), before, after)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(cosine: f64, is_same: bool) -> Sample<Features> {
        let mut features = [0.0; COUNT];
        (features[0], features[1]) = (1.0, cosine);
        Sample { features, is_same, weight: 10.0 }
    }

    #[test]
    fn fitted_weights_tell_the_pairs_apart() {
        let samples: Vec<Sample<Features>> =
            [(0.1, false), (0.2, false), (0.4, true), (0.5, false), (0.8, true), (0.9, true), (0.95, true)]
                .map(|(cosine, is_same)| sample(cosine, is_same))
                .into();
        let fitted = LexicalWeights::zero().fit(&samples, LexicalWeights::PENALTY);
        let probability = |cosine| fitted.probability(&sample(cosine, true).features);
        assert!(probability(0.1) < 0.5 && probability(0.9) > 0.5);
    }

    #[test]
    fn without_pairs_the_prior_stays() {
        assert_eq!(LexicalWeights::default().fit(&[], LexicalWeights::PENALTY), LexicalWeights::default());
    }
}
