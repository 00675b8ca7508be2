//! Groups of candidates: one name each, with one or no right candidate.

/// Candidates of many names, one row of features a candidate.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// Number of features a row.
    pub width: usize,
    /// Features, `[rows, width]`; the rows of a group are adjacent.
    pub rows: Vec<f32>,
    /// Sampling weight of each row: the number of candidates that it represents.
    pub sampling_weights: Vec<f32>,
    /// End of each group: one past its last row.
    pub ends: Vec<usize>,
    /// Right row of each group, counted from the group's first row; `None` for NIL.
    pub answers: Vec<Option<usize>>,
    /// Weight of each group.
    pub weights: Vec<f32>,
}

impl Groups {
    /// Creates an empty set of groups whose rows have `width` features.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Adds a group; `sampling_weights` has one number a row.
    pub fn push(&mut self, rows: &[f32], sampling_weights: &[f32], answer: Option<usize>, weight: f32) {
        self.rows.extend_from_slice(rows);
        self.sampling_weights.extend_from_slice(sampling_weights);
        self.ends.push(self.rows.len() / self.width);
        self.answers.push(answer);
        self.weights.push(weight);
    }

    /// Adds the groups of another set, whose rows are as wide.
    pub fn extend(&mut self, other: &Self) {
        let rows = self.rows.len() / self.width;
        self.rows.extend(&other.rows);
        self.sampling_weights.extend(&other.sampling_weights);
        self.ends.extend(other.ends.iter().map(|end| rows + end));
        self.answers.extend(&other.answers);
        self.weights.extend(&other.weights);
    }

    /// Returns the number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the row numbers of a group.
    pub fn range(&self, group: usize) -> std::ops::Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start..self.ends[group]
    }

    /// Returns the features of a row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.rows[row * self.width..(row + 1) * self.width]
    }

    /// Returns the groups for which `keep` holds.
    pub fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self::new(self.width);
        for group in (0..self.len()).filter(|group| keep(*group)) {
            let range = self.range(group);
            let rows = &self.rows[range.start * self.width..range.end * self.width];
            kept.push(rows, &self.sampling_weights[range], self.answers[group], self.weights[group]);
        }
        kept
    }

    /// Computes the softmax over the candidates' scores and the "none of them" option. Returns the probability of each
    /// candidate and of none.
    pub fn probabilities(&self, group: usize, scores: &[f64]) -> (Vec<f64>, f64) {
        softmax(scores, self.sampling_weights[self.range(group)].iter().map(|times| f64::from(*times)))
    }
}

/// Computes the softmax over the scores and "none of them" with score 0. Returns the probability of each candidate; the
/// rest to 1 is the probability of none.
pub fn softmax_with_none(scores: &[f64]) -> Vec<f64> {
    softmax(scores, std::iter::repeat(1.0)).0
}

/// Computes the softmax in which score `i` counts `times[i]` times. Returns the probability of each single candidate
/// and of none.
fn softmax(scores: &[f64], times: impl Iterator<Item = f64>) -> (Vec<f64>, f64) {
    let top = scores.iter().copied().fold(0.0, f64::max);
    let exponents: Vec<f64> = scores.iter().map(|score| (score - top).exp()).collect();
    let none = (-top).exp();
    let total = none + exponents.iter().zip(times).map(|(exponent, times)| exponent * times).sum::<f64>();
    (exponents.into_iter().map(|exponent| exponent / total).collect(), none / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_hold_at_extreme_scores() {
        assert_eq!(softmax_with_none(&[100.0, -100.0])[0], 1.0);
        assert!(softmax_with_none(&[-100.0, -100.0]).iter().sum::<f64>() < 1e-40);
        assert!(softmax_with_none(&[]).is_empty());
    }
}
