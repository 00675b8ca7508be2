//! Fits the mapping from scores of a re-ranker to logits.

use truename_infer::ClozeMapping;

/// Number of weights.
const WEIGHTS: usize = 3;
/// The log-loss of so many mentions is added for each squared unit that a weight is away from its default.
const PENALTY: f64 = 1.0;
/// Most steps of Newton's method.
const STEPS: usize = 50;

/// The candidates of a mention.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scored {
    /// Score of the re-ranker and logit of the ranker of each candidate.
    pub candidates: Vec<(f64, f64)>,
    /// The right one; `None` if it is not among them.
    pub right: Option<usize>,
}

/// Returns the mapping with the lowest log-loss of the right option: a candidate, or none, whose logit is 0. The loss is convex.
pub(crate) fn fit(mentions: &[Scored]) -> ClozeMapping {
    let start = [1.0, 0.0, 0.0];
    let mut weights = start;
    let mut loss = penalized(mentions, weights, start);
    for _ in 0..STEPS {
        let (gradient, curvature) = derivatives(mentions, weights, start);
        let step = solve(curvature, gradient);
        let moved = |by: f64| -> [f64; WEIGHTS] { std::array::from_fn(|at| weights[at] - by * step[at]) };
        let shorter = [1.0, 0.5, 0.25, 0.125, 0.0625].into_iter().map(|by| {
            let next = moved(by);
            (penalized(mentions, next, start), next)
        });
        let Some((lower, next)) = shorter.into_iter().find(|(next, _)| *next < loss - 1e-9) else { break };
        (loss, weights) = (lower, next);
    }
    ClozeMapping::new(weights)
}

fn features((cloze, ranker): (f64, f64)) -> [f64; WEIGHTS] {
    [cloze, ranker, 1.0]
}

/// Returns the probabilities of the candidates; the rest is that of none.
fn probabilities(mention: &Scored, weights: [f64; WEIGHTS]) -> Vec<f64> {
    let logit = |candidate: &(f64, f64)| -> f64 { features(*candidate).iter().zip(weights).map(|(x, w)| x * w).sum() };
    let logits: Vec<f64> = mention.candidates.iter().map(logit).collect();
    let highest = logits.iter().copied().fold(0.0, f64::max);
    let sum: f64 = logits.iter().map(|logit| (logit - highest).exp()).sum::<f64>() + (-highest).exp();
    logits.into_iter().map(|logit| (logit - highest).exp() / sum).collect()
}

fn penalized(mentions: &[Scored], weights: [f64; WEIGHTS], start: [f64; WEIGHTS]) -> f64 {
    let of_mention = |mention: &Scored| {
        let probabilities = probabilities(mention, weights);
        let none = 1.0 - probabilities.iter().sum::<f64>();
        -mention.right.map_or(none, |right| probabilities[right]).max(1e-12).ln()
    };
    let penalty: f64 = weights.iter().zip(start).map(|(weight, start)| (weight - start).powi(2)).sum();
    mentions.iter().map(of_mention).sum::<f64>() + PENALTY * penalty
}

fn derivatives(
    mentions: &[Scored],
    weights: [f64; WEIGHTS],
    start: [f64; WEIGHTS],
) -> ([f64; WEIGHTS], [[f64; WEIGHTS]; WEIGHTS]) {
    let mut gradient: [f64; WEIGHTS] = std::array::from_fn(|at| 2.0 * PENALTY * (weights[at] - start[at]));
    let mut curvature = [[0.0; WEIGHTS]; WEIGHTS];
    (0..WEIGHTS).for_each(|at| curvature[at][at] = 2.0 * PENALTY);
    for mention in mentions {
        let probabilities = probabilities(mention, weights);
        let mut mean = [0.0; WEIGHTS];
        for (candidate, probability) in mention.candidates.iter().zip(&probabilities) {
            let x = features(*candidate);
            for row in 0..WEIGHTS {
                mean[row] += probability * x[row];
                for column in 0..WEIGHTS {
                    curvature[row][column] += probability * x[row] * x[column];
                }
            }
        }
        let right = mention.right.map_or([0.0; WEIGHTS], |right| features(mention.candidates[right]));
        for row in 0..WEIGHTS {
            gradient[row] += mean[row] - right[row];
            for column in 0..WEIGHTS {
                curvature[row][column] -= mean[row] * mean[column];
            }
        }
    }
    (gradient, curvature)
}

/// Solves `matrix x = right` for a positive definite matrix.
fn solve(mut matrix: [[f64; WEIGHTS]; WEIGHTS], mut right: [f64; WEIGHTS]) -> [f64; WEIGHTS] {
    for pivot in 0..WEIGHTS {
        let (pivot_row, pivot_right) = (matrix[pivot], right[pivot]);
        for row in (0..WEIGHTS).filter(|row| *row != pivot) {
            let factor = matrix[row][pivot] / pivot_row[pivot];
            matrix[row].iter_mut().zip(pivot_row).for_each(|(value, other)| *value -= factor * other);
            right[row] -= factor * pivot_right;
        }
    }
    std::array::from_fn(|at| right[at] / matrix[at][at])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mentions whose right candidate the ranker tells and the re-ranker does not; every fourth has none.
    fn mentions() -> Vec<Scored> {
        let of = |number: usize| {
            let right = (number % 4 != 3).then_some(number % 3);
            let ranker = |place: usize| if right == Some(place) { 2.0 + (number % 5) as f64 * 0.3 } else { -1.0 };
            let candidates = (0..3).map(|place| (((number * 7 + place * 5) % 11) as f64 / 5.0 - 1.0, ranker(place)));
            Scored { candidates: candidates.collect(), right }
        };
        (0..200).map(of).collect()
    }

    #[test]
    fn the_score_that_tells_has_the_weight() {
        let mapping = fit(&mentions());
        assert!(mapping.ranker > 4.0 * mapping.cloze, "{mapping:?}");
        let weights = [mapping.cloze, mapping.ranker, mapping.offset];
        let (gradient, _) = derivatives(&mentions(), weights, [1.0, 0.0, 0.0]);
        assert!(gradient.iter().all(|value| value.abs() < 1e-2), "{gradient:?}");
    }

    #[test]
    fn without_mentions_the_score_stands() {
        assert_eq!(fit(&[]), ClozeMapping::default());
    }
}
