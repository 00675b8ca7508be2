//! Logistic regression with a pull towards prior weights, fitted by Newton's method.

/// Newton steps; the objective is concave, and ten are enough from any start.
const STEPS: usize = 50;
/// Largest change of a weight at which the fit has converged.
const TOLERANCE: f64 = 1e-9;

/// A row that weights are fitted to.
#[derive(Clone, Copy, Debug)]
pub struct LogisticRow<const N: usize> {
    /// Its features.
    pub features: [f64; N],
    /// Its label.
    pub is_positive: bool,
    /// Its weight in the likelihood.
    pub weight: f64,
}

/// A logistic regression whose weights are pulled towards prior ones.
#[derive(Clone, Copy, Debug)]
pub struct LogisticRegression<const N: usize> {
    /// Weights without rows.
    pub prior: [f64; N],
    /// Penalty for a squared distance from the prior weights, in rows.
    pub penalty: f64,
}

impl<const N: usize> LogisticRegression<N> {
    /// Returns the weights that maximise `Σ weight × ln P(label) - ½ penalty Σ (w - prior)²`; the prior ones without rows.
    pub fn fit(&self, rows: impl Iterator<Item = LogisticRow<N>> + Clone) -> [f64; N] {
        let mut weights = self.prior;
        let mut objective = self.objective(&weights, rows.clone());
        for _ in 0..STEPS {
            let (gradient, hessian) = self.derivatives(&weights, rows.clone());
            let step = solve(hessian, gradient);
            let largest = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            // A full step may overshoot far from the optimum.
            let improved = (0..30).map(|halvings| 0.5_f64.powi(halvings)).find_map(|scale| {
                let moved: [f64; N] = std::array::from_fn(|at| weights[at] + scale * step[at]);
                let reached = self.objective(&moved, rows.clone());
                (reached >= objective).then_some((moved, reached))
            });
            let Some((moved, reached)) = improved else { break };
            (weights, objective) = (moved, reached);
            if largest < TOLERANCE {
                break;
            }
        }
        weights
    }

    fn objective(&self, weights: &[f64; N], rows: impl Iterator<Item = LogisticRow<N>>) -> f64 {
        let likelihood = rows.map(|row| {
            let logit = dot(weights, &row.features);
            // ln P(label), without overflow.
            row.weight * -softplus(if row.is_positive { -logit } else { logit })
        });
        let distance: f64 = weights.iter().zip(&self.prior).map(|(weight, prior)| (weight - prior).powi(2)).sum();
        likelihood.sum::<f64>() - 0.5 * self.penalty * distance
    }

    /// Returns the gradient of the objective, and its negative second derivatives.
    fn derivatives(&self, weights: &[f64; N], rows: impl Iterator<Item = LogisticRow<N>>) -> ([f64; N], Vec<[f64; N]>) {
        let mut gradient: [f64; N] = std::array::from_fn(|at| -self.penalty * (weights[at] - self.prior[at]));
        let mut hessian = vec![[0.0; N]; N];
        (0..N).for_each(|at| hessian[at][at] = self.penalty);
        for LogisticRow { features, is_positive, weight } in rows {
            let probability = logistic(dot(weights, &features));
            let residual = weight * (f64::from(u8::from(is_positive)) - probability);
            let curvature = weight * probability * (1.0 - probability);
            for (at, feature) in features.iter().enumerate().filter(|(_, feature)| **feature != 0.0) {
                gradient[at] += residual * feature;
                for (sum, other) in hessian[at].iter_mut().zip(&features) {
                    *sum += curvature * feature * other;
                }
            }
        }
        (gradient, hessian)
    }
}

/// Returns `1 / (1 + exp(-logit))`.
pub fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

fn dot<const N: usize>(weights: &[f64; N], features: &[f64; N]) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
}

/// Returns `ln(1 + exp(x))`.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Solves a positive definite system by elimination.
fn solve<const N: usize>(mut matrix: Vec<[f64; N]>, mut right: [f64; N]) -> [f64; N] {
    for pivot in 0..N {
        let (above, below) = matrix.split_at_mut(pivot + 1);
        let row = &above[pivot];
        for (offset, other) in below.iter_mut().enumerate() {
            let factor = other[pivot] / row[pivot];
            other[pivot..].iter_mut().zip(&row[pivot..]).for_each(|(value, pivoted)| *value -= factor * pivoted);
            right[pivot + 1 + offset] -= factor * right[pivot];
        }
    }
    for at in (0..N).rev() {
        let known: f64 = (at + 1..N).map(|column| matrix[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: LogisticRegression<4> = LogisticRegression { prior: [0.0; 4], penalty: 1.0 };

    fn row(value: f64, is_positive: bool) -> LogisticRow<4> {
        LogisticRow { features: [1.0, value, 0.0, 0.0], is_positive, weight: 10.0 }
    }

    #[test]
    fn fitted_weights_are_the_optimum() {
        let rows = [(0.1, false), (0.2, false), (0.4, true), (0.5, false), (0.8, true), (0.9, true), (0.95, true)]
            .map(|(value, is_positive)| row(value, is_positive));
        let fitted = ZERO.fit(rows.into_iter());
        let at = |moved: &[f64; 4]| ZERO.objective(moved, rows.into_iter());
        for feature in 0..2 {
            for step in [-1e-3, 1e-3] {
                let mut moved = fitted;
                moved[feature] += step;
                assert!(at(&moved) < at(&fitted), "{feature} {step}");
            }
        }
        let probability = |value| logistic(dot(&fitted, &row(value, true).features));
        assert!(probability(0.1) < 0.5 && probability(0.9) > 0.5);
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_objective() {
        let rows = [row(0.3, true), row(100.0, false), row(-100.0, true)];
        let regression = LogisticRegression { penalty: 2.0, ..ZERO };
        let weights = [0.5, -1.0, 0.0, 0.0];
        let (gradient, _) = regression.derivatives(&weights, rows.into_iter());
        for feature in 0..4 {
            let moved = |step: f64| {
                let mut moved = weights;
                moved[feature] += step;
                regression.objective(&moved, rows.into_iter())
            };
            let numeric = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((gradient[feature] - numeric).abs() < 1e-4, "{feature}: {} {numeric}", gradient[feature]);
        }
    }

    #[test]
    fn without_rows_the_prior_stays_and_extreme_logits_hold() {
        assert_eq!(ZERO.fit(std::iter::empty()), ZERO.prior);
        let fitted = ZERO.fit([row(100.0, true), row(-100.0, false)].into_iter());
        assert!(fitted.iter().all(|weight| weight.is_finite()));
    }
}
