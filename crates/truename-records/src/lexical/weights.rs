//! Logistic regression over the features of pairs, fitted with a pull towards the weights before.

use super::feature::{FEATURES, Features};

const COUNT: usize = FEATURES.len();
/// Newton steps; the likelihood is concave, and ten are enough from any start.
const STEPS: usize = 50;
/// Largest change of a weight at which the fit has converged.
const TOLERANCE: f64 = 1e-9;

/// Weights of a logistic regression over [`FEATURES`].
#[derive(Clone, Debug, PartialEq)]
pub struct LexicalWeights([f64; COUNT]);

/// A pair that weights are fitted to.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The features of the pair.
    pub features: Features,
    /// True if both records stand for the same thing.
    pub is_same: bool,
    /// Weight of the pair in the likelihood.
    pub weight: f64,
}

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
        dot(&self.0, features)
    }

    /// Fits weights to labelled pairs, from these as the prior: maximises
    /// `Σ weight × ln P(label) - ½ penalty Σ (w - prior)²` by Newton's method. Without pairs the prior stays.
    #[must_use]
    pub fn fit(&self, samples: &[Sample], penalty: f64) -> Self {
        let mut weights = self.0;
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
        Self(weights)
    }

    fn objective(&self, weights: &[f64; COUNT], samples: &[Sample], penalty: f64) -> f64 {
        let likelihood = samples.iter().map(|sample| {
            let logit = dot(weights, &sample.features);
            // ln P(label), without overflow.
            sample.weight * -softplus(if sample.is_same { -logit } else { logit })
        });
        let distance: f64 = weights.iter().zip(&self.0).map(|(weight, prior)| (weight - prior).powi(2)).sum();
        likelihood.sum::<f64>() - 0.5 * penalty * distance
    }

    /// Returns the gradient of the objective, and its negative second derivatives.
    fn derivatives(
        &self,
        weights: &[f64; COUNT],
        samples: &[Sample],
        penalty: f64,
    ) -> ([f64; COUNT], [[f64; COUNT]; COUNT]) {
        let mut gradient: [f64; COUNT] = std::array::from_fn(|at| -penalty * (weights[at] - self.0[at]));
        let mut hessian = [[0.0; COUNT]; COUNT];
        (0..COUNT).for_each(|at| hessian[at][at] = penalty);
        for Sample { features, is_same, weight } in samples {
            let probability = logistic(dot(weights, features));
            let residual = weight * (f64::from(u8::from(*is_same)) - probability);
            let curvature = weight * probability * (1.0 - probability);
            for (at, feature) in features.iter().enumerate().filter(|(_, feature)| **feature != 0.0) {
                gradient[at] += residual * feature;
                for (sum, other) in hessian[at].iter_mut().zip(features) {
                    *sum += curvature * feature * other;
                }
            }
        }
        (gradient, hessian)
    }
}

fn dot(weights: &[f64; COUNT], features: &Features) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
}

pub(super) fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Returns `ln(1 + exp(x))`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Solves a positive definite system by elimination.
fn solve(mut matrix: [[f64; COUNT]; COUNT], mut right: [f64; COUNT]) -> [f64; COUNT] {
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

    fn sample(cosine: f64, is_same: bool) -> Sample {
        let mut features = [0.0; COUNT];
        (features[0], features[1]) = (1.0, cosine);
        Sample { features, is_same, weight: 10.0 }
    }

    #[test]
    fn fitted_weights_are_the_optimum() {
        let samples: Vec<Sample> =
            [(0.1, false), (0.2, false), (0.4, true), (0.5, false), (0.8, true), (0.9, true), (0.95, true)]
                .map(|(cosine, is_same)| sample(cosine, is_same))
                .into();
        let fitted = LexicalWeights::zero().fit(&samples, LexicalWeights::PENALTY);
        let at = |moved: &[f64; COUNT]| LexicalWeights::zero().objective(moved, &samples, LexicalWeights::PENALTY);
        for feature in 0..2 {
            for step in [-1e-3, 1e-3] {
                let mut moved = fitted.0;
                moved[feature] += step;
                assert!(at(&moved) < at(&fitted.0), "{feature} {step}");
            }
        }
        let probability = |cosine| fitted.probability(&sample(cosine, true).features);
        assert!(probability(0.1) < 0.5 && probability(0.9) > 0.5);
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_objective() {
        let samples = [sample(0.3, true), sample(100.0, false), sample(-100.0, true)];
        let prior = LexicalWeights::zero();
        let mut weights = [0.0; COUNT];
        (weights[0], weights[1]) = (0.5, -1.0);
        let (gradient, _) = prior.derivatives(&weights, &samples, 2.0);
        for feature in 0..COUNT {
            let moved = |step: f64| {
                let mut moved = weights;
                moved[feature] += step;
                prior.objective(&moved, &samples, 2.0)
            };
            let numeric = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((gradient[feature] - numeric).abs() < 1e-4, "{feature}: {} {numeric}", gradient[feature]);
        }
    }

    #[test]
    fn without_pairs_the_prior_stays() {
        assert_eq!(LexicalWeights::default().fit(&[], LexicalWeights::PENALTY), LexicalWeights::default());
    }
}
