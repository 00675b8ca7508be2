//! Answers to judged names and to cells that name nothing.

use serde::Serialize;

use super::held_out::Origin;
use crate::ranker::Groups;

/// Answers at the NIL threshold to judged names, each counted by one over its chance, and to cells that name nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GoldAnswers {
    /// Share of the judged names that are answered as judged.
    pub as_judged: f64,
    /// Share of the names judged to have a concept that are answered with it.
    pub right: f64,
    /// Share of these that are answered with another concept.
    pub wrong: f64,
    /// Share of these that are answered NIL.
    pub nil: f64,
    /// Share of the names judged NIL that are answered NIL; none where no name is judged so.
    pub judged_nil: Option<f64>,
    /// Share of the cells that name nothing that are answered NIL.
    pub junk_nil: f64,
}

/// Weights of the answers to names of one kind.
#[derive(Default)]
struct Tally {
    right: f64,
    wrong: f64,
    nil: f64,
}

impl Tally {
    fn all(&self) -> f64 {
        self.right + self.wrong + self.nil
    }

    fn share(&self, weight: f64) -> f64 {
        weight / self.all().max(f64::MIN_POSITIVE)
    }
}

/// Counts answers.
#[derive(Default)]
pub(super) struct AnswerCounts {
    with_concept: Tally,
    without_concept: Tally,
    junk: Tally,
}

/// A group's scores with its weight and the NIL threshold.
pub(super) struct Scored<'a> {
    pub(super) weight: f64,
    pub(super) scores: &'a [f64],
    pub(super) threshold: f64,
}

/// A judged name that is answered by its exact form.
#[derive(Clone, Copy)]
pub(super) struct ExactAnswer {
    pub(super) is_right: bool,
    /// True if the name is judged NIL.
    pub(super) is_nil: bool,
    /// Chance with which the name was drawn to be judged.
    pub(super) chance: f64,
}

impl AnswerCounts {
    /// Adds the answer to a group by scores and a threshold.
    pub(super) fn add(&mut self, groups: &Groups, group: usize, origin: Origin, scored: &Scored<'_>) {
        let (probabilities, _) = groups.probabilities(group, scored.scores);
        let best = (0..probabilities.len())
            .max_by(|one, other| probabilities[*one].total_cmp(&probabilities[*other]).then(other.cmp(one)));
        let answer = best.filter(|best| probabilities[*best] >= scored.threshold);
        let tally = match origin {
            Origin::HeldOut => return,
            Origin::Junk => &mut self.junk,
            Origin::Judged => &mut self.with_concept,
            Origin::JudgedNil => &mut self.without_concept,
        };
        match answer {
            None => tally.nil += scored.weight,
            Some(_) if answer == groups.answers[group] => tally.right += scored.weight,
            Some(_) => tally.wrong += scored.weight,
        }
    }

    /// Adds a judged name that is answered by its exact form.
    pub(super) fn add_exact(&mut self, exact: ExactAnswer, weight: f64) {
        let tally = if exact.is_nil { &mut self.without_concept } else { &mut self.with_concept };
        *(if exact.is_right { &mut tally.right } else { &mut tally.wrong }) += weight;
    }

    pub(super) fn answers(&self) -> GoldAnswers {
        let Self { with_concept, without_concept, junk } = self;
        let judged = with_concept.all() + without_concept.all();
        GoldAnswers {
            as_judged: (with_concept.right + without_concept.nil) / judged.max(f64::MIN_POSITIVE),
            right: with_concept.share(with_concept.right),
            wrong: with_concept.share(with_concept.wrong),
            nil: with_concept.share(with_concept.nil),
            judged_nil: (without_concept.all() > 0.0).then(|| without_concept.share(without_concept.nil)),
            junk_nil: junk.share(junk.nil),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_what_was_judged() {
        let mut groups = Groups::new(1);
        let mut counts = AnswerCounts::default();
        // Scores of two candidates, and the right one: probabilities of .47 and .47 at 2, of .72 and .04 at 3 and 0.
        for (origin, answer, scores, weight) in [
            (Origin::Judged, Some(0), [3.0, 0.0], 1.0),
            (Origin::Judged, Some(1), [3.0, 0.0], 2.0),
            (Origin::Judged, None, [2.0, 2.0], 4.0),
            (Origin::JudgedNil, None, [2.0, 2.0], 1.0),
            (Origin::Junk, None, [3.0, 0.0], 0.5),
            (Origin::Junk, None, [2.0, 2.0], 0.5),
            (Origin::HeldOut, Some(0), [3.0, 0.0], 100.0),
        ] {
            groups.push(&[0.0, 0.0], &[1.0, 1.0], answer, 1.0);
            counts.add(&groups, groups.len() - 1, origin, &Scored { weight, scores: &scores, threshold: 0.6 });
        }
        counts.add_exact(ExactAnswer { is_right: true, is_nil: false, chance: 1.0 }, 1.0);
        counts.add_exact(ExactAnswer { is_right: false, is_nil: true, chance: 1.0 }, 3.0);
        let expected = GoldAnswers {
            as_judged: 3.0 / 12.0,
            right: 2.0 / 8.0,
            wrong: 2.0 / 8.0,
            nil: 4.0 / 8.0,
            judged_nil: Some(0.25),
            junk_nil: 0.5,
        };
        assert_eq!(counts.answers(), expected);
    }
}
