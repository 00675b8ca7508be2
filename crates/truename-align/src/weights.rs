//! Logistic regression over the features of pairs of concepts.

use crate::feature::{FEATURES, Features};

const COUNT: usize = FEATURES.len();
/// Newton steps; the likelihood is concave, and a dozen are enough from any start.
const STEPS: usize = 40;
/// Largest change of a weight at which the fit has converged.
const TOLERANCE: f64 = 1e-7;

/// Weights of a logistic regression over [`FEATURES`].
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
        let (weights, match_share) = if has_vectors { crate::standard::DENSE } else { crate::standard::LEXICAL };
        Self { weights, match_share }
    }

    /// Returns the weight of each feature.
    pub fn weights(&self) -> impl Iterator<Item = (&'static str, f64)> {
        FEATURES.into_iter().zip(self.weights)
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
        dot(&self.weights, features)
    }

    /// Fits weights to labelled pairs, from these as the prior: maximises
    /// `Σ weight × ln P(label) - ½ penalty Σ (w - prior)²` by Newton's method. Without pairs the prior stays.
    #[must_use]
    pub fn fit(&self, samples: &[Sample], penalty: f64) -> Self {
        let mut weights = self.weights;
        let mut objective = self.objective(&weights, samples, penalty);
        for _ in 0..STEPS {
            let (gradient, hessian) = self.derivatives(&weights, samples, penalty);
            let step = solve(hessian, gradient);
            let largest = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            // A full step may overshoot far from the optimum.
            let improved = (0..30).map(|halvings| 0.5_f64.powi(halvings)).find_map(|scale| {
                let moved: [f64; COUNT] = std::array::from_fn(|at| weights[at] + scale * step[at]);
                let reached = self.objective(&moved, samples, penalty);
                (reached >= objective).then_some((moved, reached))
            });
            let Some((moved, reached)) = improved else { break };
            (weights, objective) = (moved, reached);
            if largest < TOLERANCE {
                break;
            }
        }
        Self { weights, match_share: self.match_share }
    }

    /// Returns the same weights, fitted to samples of which this share are matches.
    #[must_use]
    pub fn with_match_share(self, match_share: f64) -> Self {
        Self { match_share, ..self }
    }

    fn objective(&self, weights: &[f64; COUNT], samples: &[Sample], penalty: f64) -> f64 {
        let likelihood = samples.iter().map(|sample| {
            let logit = dot(weights, &sample.features);
            // ln P(label), without overflow.
            sample.weight * -softplus(if sample.is_match { -logit } else { logit })
        });
        let distance: f64 = weights.iter().zip(&self.weights).map(|(weight, prior)| (weight - prior).powi(2)).sum();
        likelihood.sum::<f64>() - 0.5 * penalty * distance
    }

    /// Returns the gradient of the objective, and its negative second derivatives.
    fn derivatives(
        &self,
        weights: &[f64; COUNT],
        samples: &[Sample],
        penalty: f64,
    ) -> ([f64; COUNT], Vec<[f64; COUNT]>) {
        let mut gradient: [f64; COUNT] = std::array::from_fn(|at| -penalty * (weights[at] - self.weights[at]));
        let mut hessian = vec![[0.0; COUNT]; COUNT];
        (0..COUNT).for_each(|at| hessian[at][at] = penalty);
        for Sample { features, is_match, weight } in samples {
            let probability = logistic(dot(weights, features));
            let residual = weight * (f64::from(u8::from(*is_match)) - probability);
            let curvature = weight * probability * (1.0 - probability);
            for (at, feature) in features.iter().enumerate().filter(|(_, feature)| **feature != 0.0) {
                let feature = f64::from(*feature);
                gradient[at] += residual * feature;
                for (sum, other) in hessian[at].iter_mut().zip(features) {
                    *sum += curvature * feature * f64::from(*other);
                }
            }
        }
        (gradient, hessian)
    }
}

fn dot(weights: &[f64; COUNT], features: &Features) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * f64::from(*feature)).sum()
}

pub(crate) fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Returns `ln(1 + exp(x))`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Solves a positive definite system by elimination.
fn solve(mut matrix: Vec<[f64; COUNT]>, mut right: [f64; COUNT]) -> [f64; COUNT] {
    for pivot in 0..COUNT {
        let (above, below) = matrix.split_at_mut(pivot + 1);
        let row = &above[pivot];
        for (offset, other) in below.iter_mut().enumerate() {
            let factor = other[pivot] / row[pivot];
            other[pivot..].iter_mut().zip(&row[pivot..]).for_each(|(value, pivoted)| *value -= factor * pivoted);
            right[pivot + 1 + offset] -= factor * right[pivot];
        }
    }
    for at in (0..COUNT).rev() {
        let known: f64 = (at + 1..COUNT).map(|column| matrix[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(value: f32, is_match: bool) -> Sample {
        let mut features = [0.0; COUNT];
        (features[0], features[1]) = (1.0, value);
        Sample { features, is_match, weight: 10.0 }
    }

    #[test]
    fn fitted_weights_are_the_optimum() {
        let samples: Vec<Sample> = [(0.1, false), (0.2, false), (0.4, true), (0.5, false), (0.8, true), (0.9, true)]
            .map(|(value, is_match)| sample(value, is_match))
            .into();
        let fitted = AlignWeights::zero().fit(&samples, AlignWeights::PENALTY);
        let at = |moved: &[f64; COUNT]| AlignWeights::zero().objective(moved, &samples, AlignWeights::PENALTY);
        for feature in 0..2 {
            for step in [-1e-3, 1e-3] {
                let mut moved = fitted.weights;
                moved[feature] += step;
                assert!(at(&moved) < at(&fitted.weights), "{feature} {step}");
            }
        }
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
