//! The choice between an answer and NIL.

use serde::{Deserialize, Serialize};

use super::groups::Groups;

/// Number of thresholds that are compared: 0, 0.01, to 0.5.
const THRESHOLDS: usize = 51;
/// Share of right decisions that a higher threshold may cost.
const SLACK: f64 = 0.01;
/// Number of names of a prior's curve.
const PRIOR_NAMES: f64 = 100.0;

/// Shares of right decisions by threshold, from which the best threshold for a share of NIL follows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// Share of the names with a concept that are answered rightly, by threshold.
    answered: Vec<f32>,
    /// Share of the names without a concept that are answered NIL, by threshold.
    nil: Vec<f32>,
    /// Total weights of the two kinds of names.
    names: (f32, f32),
}

impl Decisions {
    /// Counts the decisions on groups with these scores.
    pub fn of(groups: &Groups, weights: &[f32], scores: &[Vec<f64>]) -> Self {
        let (mut answered, mut nil, mut names) = (vec![0.0; THRESHOLDS], vec![0.0; THRESHOLDS], (0.0, 0.0));
        for group in (0..groups.len()).filter(|group| weights[*group] > 0.0) {
            let (probabilities, _) = groups.probabilities(group, &scores[group]);
            let top = (0..probabilities.len()).max_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
            let probability = top.map_or(0.0, |row| probabilities[row]);
            let weight = f64::from(weights[group]);
            let (counts, total) = match groups.answers[group] {
                Some(_) => (&mut answered, &mut names.0),
                None => (&mut nil, &mut names.1),
            };
            *total += weight;
            for (step, count) in counts.iter_mut().enumerate() {
                let is_answered = top.is_some() && probability >= threshold(step);
                let is_right = if is_answered { top == groups.answers[group] } else { groups.answers[group].is_none() };
                *count += if is_right { weight } else { 0.0 };
            }
        }
        let share =
            |counts: Vec<f64>, total: f64| counts.into_iter().map(|count| (count / total.max(1e-9)) as f32).collect();
        Self { answered: share(answered, names.0), nil: share(nil, names.1), names: (names.0 as f32, names.1 as f32) }
    }

    /// Returns these curves with those of a prior, which count as a hundred names each.
    pub fn with_prior(self, prior: &Self) -> Self {
        let mix = |own: Vec<f32>, prior: &[f32], names: f32| -> Vec<f32> {
            let share = f64::from(names) / (f64::from(names) + PRIOR_NAMES);
            own.iter()
                .zip(prior)
                .map(|(own, prior)| (share * f64::from(*own) + (1.0 - share) * f64::from(*prior)) as f32)
                .collect()
        };
        Self {
            answered: mix(self.answered, &prior.answered, self.names.0),
            nil: mix(self.nil, &prior.nil, self.names.1),
            names: self.names,
        }
    }

    /// Returns the highest threshold that is nearly as good as the best, if `nil_share` of the names have no concept: at most
    /// one percent fewer decisions are right. An answer that is wrong costs more than one that is missing.
    pub fn threshold(&self, nil_share: f64) -> f64 {
        let right: Vec<f64> = (self.answered.iter().zip(&self.nil))
            .map(|(answered, nil)| (1.0 - nil_share) * f64::from(*answered) + nil_share * f64::from(*nil))
            .collect();
        let best = right.iter().copied().fold(0.0, f64::max);
        right.iter().rposition(|right| *right >= best - SLACK).map_or(0.0, threshold)
    }

    /// Returns whether the curves have a finite value for every threshold.
    pub fn is_sound(&self) -> bool {
        [&self.answered, &self.nil]
            .iter()
            .all(|curve| curve.len() == THRESHOLDS && curve.iter().all(|value| value.is_finite()))
    }
}

fn threshold(step: usize) -> f64 {
    step as f64 / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of one candidate: `right` with a concept and `nil` without, each with its probability.
    fn decisions(right: &[f64], nil: &[f64]) -> Decisions {
        let mut groups = Groups::new(1);
        let mut scores = Vec::new();
        for (probabilities, answer) in [(right, Some(0)), (nil, None)] {
            for probability in probabilities {
                groups.push(&[0.0], &[1.0], answer, 1.0);
                scores.push(vec![(probability / (1.0 - probability)).ln()]);
            }
        }
        Decisions::of(&groups, &vec![1.0; groups.len()], &scores)
    }

    #[test]
    fn the_threshold_follows_the_share_of_nil() {
        let decisions = decisions(&[0.155, 0.305, 0.405, 0.605], &[0.055, 0.205, 0.355]);
        assert_eq!(decisions.threshold(0.0), 0.15, "above it a right answer is lost");
        assert_eq!(decisions.threshold(0.1), 0.15);
        assert_eq!(decisions.threshold(0.9), 0.4, "above it a right answer is lost, below .36 a right NIL");
    }

    #[test]
    fn a_prior_yields_to_many_names() {
        let prior = decisions(&[0.305; 4], &[0.105; 4]);
        let own = |names: usize| decisions(&vec![0.405; names], &vec![0.205; names]).with_prior(&prior);
        assert_eq!(own(0), Decisions { names: (0.0, 0.0), ..prior.clone() });
        let nil_at_15 = |names| own(names).nil[15];
        assert!(nil_at_15(2) > 0.97 && nil_at_15(400) < 0.25, "{} and {}", nil_at_15(2), nil_at_15(400));
    }
}
