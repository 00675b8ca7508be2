//! Scores of a recognizer at other thresholds than its own.

use serde::Serialize;

use super::comparison::Comparison;
use super::document::JudgedDocument;
use crate::linked::{Counts, PrecisionRecall};

/// Scores of a recognizer by the margin above which a mention counts.
///
/// A mention counts on its own: nothing decides anew which of overlapping mentions is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ThresholdCurve {
    /// Points of the curve, by rising margin.
    pub points: Vec<ThresholdPoint>,
    /// The recognizer's own threshold, a margin of 0.
    pub own: ThresholdPoint,
    /// The point with the best F1, also of the own threshold; of equal ones the nearest to it. It was chosen on the
    /// scored corpus and is no estimate for another one.
    pub best: ThresholdPoint,
}

/// Strict scores of the mentions with a higher margin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ThresholdPoint {
    /// Score minus threshold above which a mention counts.
    pub margin: f64,
    /// Precision, recall and F1 with both bounds.
    #[serde(flatten)]
    pub scores: PrecisionRecall,
}

/// The margins of a [`ThresholdCurve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Margins {
    /// Equally spaced margins.
    Range {
        /// The lowest margin.
        low: f64,
        /// The highest margin.
        high: f64,
        /// Number of margins, at least 2.
        points: usize,
    },
    /// Quantiles of the found mentions' margins.
    Quantiles {
        /// Number of margins, at least 2; equal ones count once.
        points: usize,
    },
}

impl ThresholdCurve {
    /// Scores documents at `margins`. Types are compared as in
    /// [`RecognitionScores::of`](super::RecognitionScores::of). Returns `None` if no found mention has a margin.
    pub fn of(documents: &[JudgedDocument], compare_types: bool, margins: Margins) -> Option<Self> {
        let sorted = SortedMargins::of(documents, compare_types);
        let margins = margins.of(&sorted)?;
        let points: Vec<ThresholdPoint> = margins.into_iter().map(|margin| sorted.point(margin)).collect();
        let own = sorted.point(0.0);
        let is_better = |one: &ThresholdPoint, best: &ThresholdPoint| {
            let (f1, known) = (one.scores.f1, best.scores.f1);
            f1 > known || (f1 == known && one.margin.abs() < best.margin.abs())
        };
        let best = points.iter().fold(own, |best, point| if is_better(point, &best) { *point } else { best });
        Some(Self { points, own, best })
    }
}

impl Margins {
    fn of(self, sorted: &SortedMargins) -> Option<Vec<f64>> {
        let finite: Vec<f64> = sorted.found.iter().copied().filter(|margin| margin.is_finite()).collect();
        let last = finite.len().checked_sub(1)?;
        let share = |at: usize, points: usize| at as f64 / (points.max(2) - 1) as f64;
        let mut margins: Vec<f64> = match self {
            Self::Range { low, high, points } => {
                (0..points.max(2)).map(|at| low + (high - low) * share(at, points)).collect()
            }
            Self::Quantiles { points } => {
                (0..points.max(2)).map(|at| finite[(share(at, points) * last as f64).round() as usize]).collect()
            }
        };
        margins.dedup();
        Some(margins)
    }
}

/// Margins of mentions, ascending.
struct SortedMargins {
    /// Of all found mentions.
    found: Vec<f64>,
    /// Of the right ones.
    right: Vec<f64>,
    /// Of the gold mentions that were found, the highest each.
    recalled: Vec<f64>,
    /// Number of gold mentions.
    gold: usize,
}

impl SortedMargins {
    fn of(documents: &[JudgedDocument], compare_types: bool) -> Self {
        let mut all = Self { found: Vec::new(), right: Vec::new(), recalled: Vec::new(), gold: 0 };
        for document in documents {
            let compared = Comparison::of(document, compare_types);
            let mut right: Vec<bool> = vec![false; compared.found.len()];
            let mut recalled: Vec<Option<f64>> = vec![None; compared.gold.len()];
            for (gold, found) in compared.overlapping() {
                if compared.is_right(gold, found) {
                    right[found] = true;
                    let margin = compared.found[found].margin;
                    recalled[gold] = Some(recalled[gold].map_or(margin, |known| known.max(margin)));
                }
            }
            let margins = compared.found.iter().map(|mention| mention.margin);
            all.right.extend(margins.clone().zip(right).filter(|(_, right)| *right).map(|(margin, _)| margin));
            all.found.extend(margins);
            all.recalled.extend(recalled.into_iter().flatten());
            all.gold += compared.gold.len();
        }
        for margins in [&mut all.found, &mut all.right, &mut all.recalled] {
            margins.sort_by(f64::total_cmp);
        }
        all
    }

    fn point(&self, margin: f64) -> ThresholdPoint {
        let above = |margins: &[f64]| margins.len() - margins.partition_point(|other| *other <= margin);
        let counts = Counts {
            found: above(&self.found),
            gold: self.gold,
            right: above(&self.right),
            recalled: above(&self.recalled),
        };
        ThresholdPoint { margin, scores: PrecisionRecall::of(counts) }
    }
}
