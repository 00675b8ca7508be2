//! Precision, recall and F1 of mentions, by the bounds that must be right.

use std::ops::Add;

use serde::Serialize;
use truename_text::Span;

use crate::pairs::share;

/// Precision, recall and F1, with the counts behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PrecisionRecall {
    /// Share of what was found that is right; 0 where nothing was found.
    pub precision: f64,
    /// Share of gold that was found; 0 where there is none.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
    /// Number found: mentions, concepts, clusters, names or pairs.
    pub found: usize,
    /// Number in gold.
    pub gold: usize,
}

impl PrecisionRecall {
    /// Computes the scores of `found` mentions, of which `right` are among `gold` ones.
    pub fn new(right: usize, found: usize, gold: usize) -> Self {
        Self::of(Counts { found, gold, right, recalled: right })
    }

    pub(crate) fn of(counts: Counts) -> Self {
        let (precision, recall) = (share(counts.right, counts.found), share(counts.recalled, counts.gold));
        let sum = precision + recall;
        let f1 = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
        Self { precision, recall, f1, found: counts.found, gold: counts.gold }
    }
}

/// Counts of mentions, or of concepts.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) found: usize,
    pub(crate) gold: usize,
    /// Found ones that are right.
    pub(crate) right: usize,
    /// Gold ones that were found.
    pub(crate) recalled: usize,
}

impl Counts {
    /// Counts the gold and found mentions that are chosen, and those that `pairs` match.
    pub(crate) fn of<'p>(gold: &[bool], found: &[bool], pairs: impl Iterator<Item = &'p (usize, usize)>) -> Self {
        let (mut recalled, mut right) = (vec![false; gold.len()], vec![false; found.len()]);
        for (gold, found) in pairs {
            (recalled[*gold], right[*found]) = (true, true);
        }
        let [gold, found, right, recalled] =
            [gold, found, &right, &recalled].map(|flags| flags.iter().filter(|flag| **flag).count());
        Self { found, gold, right, recalled }
    }
}

/// Span and fragments of a mention.
pub(crate) type Place<'m> = (Span, &'m [Span]);

/// The bounds that must be right for strict, start, end and loose scores.
pub(crate) const BOUNDS: [fn(Place<'_>, Place<'_>) -> bool; 4] = [
    |gold, found| gold == found,
    |(gold, _), (found, _)| gold.start == found.start,
    |(gold, _), (found, _)| gold.end == found.end,
    |_, _| true,
];

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            found: self.found + other.found,
            gold: self.gold + other.gold,
            right: self.right + other.right,
            recalled: self.recalled + other.recalled,
        }
    }
}
