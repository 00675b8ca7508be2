//! Scores of texts that were classified, or given a value.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::linked::{Counts, PrecisionRecall};

/// Scores of a classification.
///
/// ```
/// use truename_eval::ClassScores;
///
/// let scores = ClassScores::of(&["yes", "no", "yes"], &["yes", "no", "no"], Some("yes"));
/// assert_eq!((scores.precision, scores.recall), (1.0, 0.5));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClassScores {
    /// Number of texts.
    pub texts: usize,
    /// Share of the texts with the right label.
    pub accuracy: f64,
    /// Precision of the positive label; the mean over all labels without one.
    pub precision: f64,
    /// Recall of the positive label; the mean over all labels without one.
    pub recall: f64,
    /// F1 of the positive label; the mean over all labels without one.
    pub f1: f64,
    /// Mean of the labels' F1.
    pub macro_f1: f64,
    /// Matthews correlation coefficient, of several labels as Gorodkin (2004) defines it; 0 where gold or found labels are all the
    /// same.
    pub matthews: f64,
    /// Label that precision, recall and F1 are of; `None` for their means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// Scores of each label that is gold or was found.
    pub labels: BTreeMap<String, PrecisionRecall>,
}

impl ClassScores {
    /// Scores the labels found beside the gold labels.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn of(gold: &[&str], found: &[&str], positive: Option<&str>) -> Self {
        assert_eq!(gold.len(), found.len(), "a label found for each gold label");
        let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
        for (gold, found) in gold.iter().zip(found) {
            counts.entry(gold).or_default().gold += 1;
            counts.entry(found).or_default().found += 1;
            counts.entry(gold).or_default().right += usize::from(gold == found);
        }
        let texts = gold.len();
        let right: usize = counts.values().map(|counts| counts.right).sum();
        let sum = |product: &dyn Fn(&Counts) -> usize| counts.values().map(product).sum::<usize>() as f64;
        let square = (texts * texts) as f64;
        let covariance = (right * texts) as f64 - sum(&|counts| counts.gold * counts.found);
        let spread = (square - sum(&|counts| counts.gold.pow(2))) * (square - sum(&|counts| counts.found.pow(2)));
        let labels: BTreeMap<String, PrecisionRecall> = counts
            .iter()
            .map(|(label, counts)| {
                let Counts { gold, found, right, .. } = *counts;
                ((*label).to_owned(), PrecisionRecall::new(right, found, gold))
            })
            .collect();
        let mean = |score: &dyn Fn(&PrecisionRecall) -> f64| {
            labels.values().map(score).sum::<f64>() / labels.len().max(1) as f64
        };
        let macro_f1 = mean(&|scores| scores.f1);
        let [precision, recall, f1] = match positive {
            Some(positive) => {
                let scores = labels.get(positive).copied().unwrap_or_default();
                [scores.precision, scores.recall, scores.f1]
            }
            None => [mean(&|scores| scores.precision), mean(&|scores| scores.recall), macro_f1],
        };
        Self {
            texts,
            accuracy: right as f64 / texts.max(1) as f64,
            precision,
            recall,
            f1,
            macro_f1,
            matthews: if spread > 0.0 { covariance / spread.sqrt() } else { 0.0 },
            positive: positive.map(str::to_owned),
            labels,
        }
    }
}

impl fmt::Display for ClassScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |name: &str, value: f64| format!("{name:<12}{:6.2} %", 100.0 * value);
        writeln!(f, "{} texts", self.texts)?;
        writeln!(f, "{}", percent("accuracy", self.accuracy))?;
        writeln!(f, "{}  of {}", percent("F1", self.f1), self.positive.as_deref().unwrap_or("all labels, the mean"))?;
        writeln!(f, "{}", percent("macro F1", self.macro_f1))?;
        writeln!(f, "{}", percent("Matthews", self.matthews))?;
        let width = self.labels.keys().map(|label| label.chars().count()).max().unwrap_or_default().max(5);
        write!(f, "\n{:width$}  precision  recall     F1   gold  found", "label")?;
        for (label, PrecisionRecall { precision, recall, f1, gold, found }) in &self.labels {
            let [precision, recall, f1] = [precision, recall, f1].map(|share| 100.0 * share);
            write!(f, "\n{label:width$}  {precision:9.2}  {recall:6.2}  {f1:5.2}  {gold:5}  {found:5}")?;
        }
        Ok(())
    }
}

/// Scores of predicted values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ValueScores {
    /// Number of texts.
    pub texts: usize,
    /// Pearson's correlation; 0 where gold or predicted values are all the same.
    pub pearson: f64,
    /// Spearman's rank correlation, equal values with their mean rank; 0 where gold or predicted values are all the same.
    pub spearman: f64,
    /// Mean squared error.
    pub mean_squared_error: f64,
}

impl ValueScores {
    /// Scores predicted values beside the gold values.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn of(gold: &[f64], found: &[f64]) -> Self {
        assert_eq!(gold.len(), found.len(), "a value found for each gold value");
        let squares = gold.iter().zip(found).map(|(gold, found)| (gold - found).powi(2));
        Self {
            texts: gold.len(),
            pearson: correlation(gold, found),
            spearman: correlation(&ranks(gold), &ranks(found)),
            mean_squared_error: squares.sum::<f64>() / gold.len().max(1) as f64,
        }
    }
}

impl fmt::Display for ValueScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} texts", self.texts)?;
        for (name, value) in [("Pearson", self.pearson), ("Spearman", self.spearman)] {
            writeln!(f, "{name:<20}{:6.2} %", 100.0 * value)?;
        }
        write!(f, "{:<20}{:6.4}", "mean squared error", self.mean_squared_error)
    }
}

/// Pearson's correlation; 0 where the values of a side are all the same.
fn correlation(left: &[f64], right: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (left_mean, right_mean) = (mean(left), mean(right));
    let (mut product, mut left_square, mut right_square) = (0.0, 0.0, 0.0);
    for (left, right) in left.iter().zip(right) {
        let (left, right) = (left - left_mean, right - right_mean);
        product += left * right;
        left_square += left * left;
        right_square += right * right;
    }
    let spread = (left_square * right_square).sqrt();
    if spread > 0.0 { product / spread } else { 0.0 }
}

/// The rank of each value from 1; equal values have the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|left, right| values[*left].total_cmp(&values[*right]));
    let mut ranks = vec![0.0; values.len()];
    for equal in order.chunk_by(|left, right| values[*left] == values[*right]) {
        let first = order.partition_point(|at| values[*at].total_cmp(&values[equal[0]]).is_lt());
        equal.iter().for_each(|at| ranks[*at] = first as f64 + (equal.len() + 1) as f64 / 2.0);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    // from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef
    // gold, found = [0,1,1,0,1,0,1,1], [0,1,0,1,1,0,1,1]; f1_score(gold, found, average="macro")
    #[test]
    fn scores_of_two_labels_are_those_of_scikit_learn() {
        let gold = ["0", "1", "1", "0", "1", "0", "1", "1"];
        let found = ["0", "1", "0", "1", "1", "0", "1", "1"];
        let scores = ClassScores::of(&gold, &found, Some("1"));
        assert_near(scores.accuracy, 0.75);
        assert_near(scores.f1, 0.8);
        assert_near(scores.macro_f1, 0.733_333_333_333_333_3);
        assert_near(scores.matthews, 0.466_666_666_666_666_7);
        assert_eq!(scores.labels["0"].gold, 3);
    }

    // gold, found = [0,1,2,2,1,0,2], [0,2,2,2,1,1,2]
    #[test]
    fn scores_of_three_labels_are_those_of_scikit_learn() {
        let gold = ["0", "1", "2", "2", "1", "0", "2"];
        let found = ["0", "2", "2", "2", "1", "1", "2"];
        let scores = ClassScores::of(&gold, &found, None);
        assert_near(scores.accuracy, 0.714_285_714_285_714_3);
        assert_near(scores.f1, 0.674_603_174_603_174_5);
        assert_near(scores.matthews, 0.567_930_139_063_901_8);
    }

    // from scipy.stats import pearsonr, spearmanr
    // gold, found = [1.0,2.5,2.5,4.0,5.0], [0.9,2.0,3.5,3.0,4.8]
    #[test]
    fn correlations_are_those_of_scipy() {
        let scores = ValueScores::of(&[1.0, 2.5, 2.5, 4.0, 5.0], &[0.9, 2.0, 3.5, 3.0, 4.8]);
        assert_near(scores.pearson, 0.881_829_790_271_211_2);
        assert_near(scores.spearman, 0.820_782_681_668_123_3);
        assert_near(scores.mean_squared_error, 0.46);
    }

    #[test]
    fn labels_and_values_without_a_difference_have_no_correlation() {
        let same = ClassScores::of(&["a", "b"], &["a", "a"], Some("b"));
        assert_eq!((same.matthews, same.f1, same.accuracy), (0.0, 0.0, 0.5));
        assert_eq!(ValueScores::of(&[1.0, 2.0], &[3.0, 3.0]).spearman, 0.0);
        assert_eq!(ClassScores::of(&[], &[], None).accuracy, 0.0);
        assert_eq!(ValueScores::of(&[], &[]).pearson, 0.0);
    }
}
