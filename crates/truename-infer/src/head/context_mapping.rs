//! Fits the mapping from the scores of a re-ranker to logits, and the probability from which no re-ranker is asked.

use serde::{Deserialize, Serialize};

/// Number of weights.
const WEIGHTS: usize = 4;
/// The log-loss of so many mentions is added for each squared unit that a weight is away from its default.
const PENALTY: f64 = 1.0;
/// Most steps of Newton's method.
const STEPS: usize = 50;

/// Maps the scores of a candidate to a logit, where "none of them" has 0: the sum of the scores and 1, each with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContextMapping {
    /// Weight of the re-ranker's score.
    pub cloze: f64,
    /// Weight of the ranker's logit.
    pub ranker: f64,
    /// Weight of the cosine in context, which is stretched as in training.
    #[serde(default)]
    pub retriever: f64,
    /// Weight of 1.
    pub offset: f64,
}

/// Scores of a candidate by the models that read its mention.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContextScores {
    /// Score of the re-ranker; 0 where there is none.
    pub cloze: f64,
    /// Logit of the ranker.
    pub ranker: f64,
    /// Cosine in context; 0 where there is no retriever.
    pub retriever: f64,
}

impl ContextScores {
    /// Factor of cosines: one over the temperature that encoders in context learn with by default.
    const STRETCH: f64 = 20.0;

    fn features(self) -> [f64; WEIGHTS] {
        [self.cloze, self.ranker, Self::STRETCH * self.retriever, 1.0]
    }
}

impl Default for ContextMapping {
    /// The score alone.
    fn default() -> Self {
        Self { cloze: 1.0, ..Self::ZERO }
    }
}

impl ContextMapping {
    const ZERO: Self = Self { cloze: 0.0, ranker: 0.0, retriever: 0.0, offset: 0.0 };

    /// Returns the mapping that takes the logit of the ranker as it is.
    pub fn of_ranker() -> Self {
        Self { ranker: 1.0, ..Self::ZERO }
    }

    fn of_weights([cloze, ranker, retriever, offset]: [f64; WEIGHTS]) -> Self {
        Self { cloze, ranker, retriever, offset }
    }

    fn weights(self) -> [f64; WEIGHTS] {
        [self.cloze, self.ranker, self.retriever, self.offset]
    }

    /// Returns the logit of a candidate.
    pub fn logit(self, scores: ContextScores) -> f64 {
        scores.features().into_iter().zip(self.weights()).map(|(x, weight)| x * weight).sum()
    }

    /// Returns the mapping with the lowest log-loss of the right option: a candidate, or none, whose logit is 0.
    ///
    /// The loss is convex; a squared penalty holds the weights near those of this mapping.
    #[must_use]
    pub fn fitted(self, mentions: &[ScoredMention]) -> Self {
        let start = self.weights();
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
        Self::of_weights(weights)
    }

    /// Returns the mean log-loss of the right option by this mapping.
    pub fn log_loss(self, mentions: &[ScoredMention]) -> f64 {
        mentions.iter().map(|mention| loss(mention, self.weights())).sum::<f64>() / mentions.len().max(1) as f64
    }
}

/// The candidates of a mention with their scores, to fit a mapping to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredMention {
    /// Scores of each candidate.
    pub candidates: Vec<ContextScores>,
    /// The right one; `None` if it is not among them.
    pub right: Option<usize>,
}

impl ScoredMention {
    /// Returns the place of the candidate with the highest score of some kind, the first of equals.
    pub fn best(&self, score: impl Fn(ContextScores) -> f64) -> Option<usize> {
        let score = |place: &usize| score(self.candidates[*place]);
        (0..self.candidates.len()).max_by(|left, right| score(left).total_cmp(&score(right)).then(right.cmp(left)))
    }

    /// Returns the place of the likeliest candidate of each mention, by the mapping fitted from `start` to the mentions of the other part.
    /// `is_second` tells of each mention whether it is of the second part.
    pub fn best_by_other_part(start: ContextMapping, mentions: &[Self], is_second: &[bool]) -> Vec<Option<usize>> {
        let of_part = |second: bool| {
            let mentions = mentions.iter().zip(is_second).filter(|(_, is_second)| **is_second == second);
            start.fitted(&mentions.map(|(mention, _)| mention.clone()).collect::<Vec<_>>())
        };
        let fitted = [of_part(true), of_part(false)];
        let best = |(mention, is_second): (&Self, &bool)| {
            let mapping = &fitted[usize::from(*is_second)];
            mention.best(|scores| mapping.logit(scores))
        };
        mentions.iter().zip(is_second).map(best).collect()
    }

    /// Returns the mean log-loss of the right option, for each mention by the mapping fitted to those of the other part.
    pub fn log_loss_by_other_part(start: ContextMapping, mentions: &[Self], is_second: &[bool]) -> f64 {
        let part = |second: bool| -> Vec<Self> {
            let of_part = mentions.iter().zip(is_second).filter(|(_, is_second)| **is_second == second);
            of_part.map(|(mention, _)| mention.clone()).collect()
        };
        let (first, second) = (part(false), part(true));
        let sum = |part: &[Self], other: &[Self]| start.fitted(other).log_loss(part) * part.len() as f64;
        (sum(&first, &second) + sum(&second, &first)) / mentions.len().max(1) as f64
    }
}

/// What is right of a mention that the ranker and a re-ranker answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MentionOutcome {
    /// Probability of the best candidate by the ranker.
    pub probability: f64,
    /// True if the answer of the ranker is right.
    pub by_name: bool,
    /// True if the answer of both together is right.
    pub in_context: bool,
}

impl MentionOutcome {
    /// Returns the lowest probability of the ranker from which its answers are right no less often than those of both together; `None` where
    /// there is none.
    pub fn certain_from(mentions: &[Self]) -> Option<f64> {
        let mut mentions: Vec<&Self> = mentions.iter().collect();
        mentions.sort_by(|left, right| right.probability.total_cmp(&left.probability));
        let (mut gain, mut found) = (0, None);
        for (at, judged) in mentions.iter().enumerate() {
            gain += i32::from(judged.by_name) - i32::from(judged.in_context);
            let is_last = mentions.get(at + 1).is_none_or(|next| next.probability < judged.probability);
            if is_last && gain >= 0 {
                found = Some(judged.probability);
            }
        }
        found
    }
}

/// Returns the probabilities of the candidates; the rest is that of none.
fn probabilities(mention: &ScoredMention, weights: [f64; WEIGHTS]) -> Vec<f64> {
    let mapping = ContextMapping::of_weights(weights);
    let logits: Vec<f64> = mention.candidates.iter().map(|scores| mapping.logit(*scores)).collect();
    let highest = logits.iter().copied().fold(0.0, f64::max);
    let sum: f64 = logits.iter().map(|logit| (logit - highest).exp()).sum::<f64>() + (-highest).exp();
    logits.into_iter().map(|logit| (logit - highest).exp() / sum).collect()
}

fn loss(mention: &ScoredMention, weights: [f64; WEIGHTS]) -> f64 {
    let probabilities = probabilities(mention, weights);
    let none = 1.0 - probabilities.iter().sum::<f64>();
    -mention.right.map_or(none, |right| probabilities[right]).max(1e-12).ln()
}

fn penalized(mentions: &[ScoredMention], weights: [f64; WEIGHTS], start: [f64; WEIGHTS]) -> f64 {
    let penalty: f64 = weights.iter().zip(start).map(|(weight, start)| (weight - start).powi(2)).sum();
    mentions.iter().map(|mention| loss(mention, weights)).sum::<f64>() + PENALTY * penalty
}

fn derivatives(
    mentions: &[ScoredMention],
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
            let x = candidate.features();
            for row in 0..WEIGHTS {
                mean[row] += probability * x[row];
                for column in 0..WEIGHTS {
                    curvature[row][column] += probability * x[row] * x[column];
                }
            }
        }
        let right = mention.right.map_or([0.0; WEIGHTS], |right| mention.candidates[right].features());
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

    /// Mentions whose right candidate the ranker tells, and in part the retriever, but the re-ranker does not; every fourth has none.
    fn mentions() -> Vec<ScoredMention> {
        let of = |number: usize| {
            let right = (number % 4 != 3).then_some(number % 3);
            let ranker = |place: usize| if right == Some(place) { 2.0 + (number % 5) as f64 * 0.3 } else { -1.0 };
            let candidates = (0..3).map(|place| ContextScores {
                cloze: ((number * 7 + place * 5) % 11) as f64 / 5.0 - 1.0,
                ranker: ranker(place),
                retriever: f64::from(u8::from(right == Some(place) && number.is_multiple_of(5))) * 0.2,
            });
            ScoredMention { candidates: candidates.collect(), right }
        };
        (0..200).map(of).collect()
    }

    #[test]
    fn the_score_that_tells_has_the_weight() {
        let start = ContextMapping::default();
        let mapping = start.fitted(&mentions());
        assert!(mapping.ranker > 4.0 * mapping.cloze && mapping.retriever > 0.1, "{mapping:?}");
        let (gradient, _) = derivatives(&mentions(), mapping.weights(), start.weights());
        assert!(gradient.iter().all(|value| value.abs() < 1e-2), "{gradient:?}");
    }

    #[test]
    fn the_mapping_of_the_other_part_finds_what_the_ranker_tells() {
        let mentions = mentions();
        let is_second: Vec<bool> = (0..mentions.len()).map(|number| number % 2 == 1).collect();
        let best = ScoredMention::best_by_other_part(ContextMapping::default(), &mentions, &is_second);
        let found =
            mentions.iter().zip(best).filter(|(mention, best)| mention.right.is_some() && mention.right == *best);
        let by_cloze =
            mentions.iter().filter(|mention| mention.right.is_some() && mention.right == mention.best(|all| all.cloze));
        assert_eq!(found.count(), 150);
        assert!(by_cloze.count() < 75);
    }

    #[test]
    fn answers_are_certain_from_where_the_context_gains_nothing() {
        let judged = |probability, by_name, in_context| MentionOutcome { probability, by_name, in_context };
        let gained = |probability| judged(probability, false, true);
        assert_eq!(MentionOutcome::certain_from(&[]), None);
        assert_eq!(MentionOutcome::certain_from(&[gained(0.5)]), None);
        assert_eq!(
            MentionOutcome::certain_from(&[judged(0.9, true, true), gained(0.5), judged(0.8, false, false)]),
            Some(0.8)
        );
        assert_eq!(MentionOutcome::certain_from(&[judged(0.95, true, false), gained(0.9), gained(0.5)]), Some(0.9));
        // Equal probabilities are certain together or not at all.
        assert_eq!(MentionOutcome::certain_from(&[judged(0.9, true, true), gained(0.9)]), None);
    }

    #[test]
    fn without_mentions_the_score_stands() {
        assert_eq!(ContextMapping::default().fitted(&[]), ContextMapping::default());
    }
}
