//! Groups of candidates: each one name with its candidates, of which one or none is right.

/// Candidates of many names, one row of features a candidate.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// Features a row.
    pub width: usize,
    /// `[rows, width]`, the rows of a group side by side.
    pub rows: Vec<f32>,
    /// For each row how many candidates it stands for.
    pub stands_for: Vec<f32>,
    /// For each group one past its last row.
    pub ends: Vec<usize>,
    /// For each group the row, counted from its first, that is right.
    pub answers: Vec<Option<usize>>,
    /// For each group how much it counts.
    pub weights: Vec<f32>,
}

impl Groups {
    /// No groups yet, of rows with `width` features.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Adds a group; `stands_for` has a number for each row.
    pub fn push(&mut self, rows: &[f32], stands_for: &[f32], answer: Option<usize>, weight: f32) {
        self.rows.extend_from_slice(rows);
        self.stands_for.extend_from_slice(stands_for);
        self.ends.push(self.rows.len() / self.width);
        self.answers.push(answer);
        self.weights.push(weight);
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The rows of a group, as row numbers.
    pub fn range(&self, group: usize) -> std::ops::Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start..self.ends[group]
    }

    /// The features of a row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.rows[row * self.width..(row + 1) * self.width]
    }

    /// The groups for which `keep` holds.
    pub fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self::new(self.width);
        for group in (0..self.len()).filter(|group| keep(*group)) {
            let range = self.range(group);
            let rows = &self.rows[range.start * self.width..range.end * self.width];
            kept.push(rows, &self.stands_for[range], self.answers[group], self.weights[group]);
        }
        kept
    }

    /// The probability of each candidate of a group that is a row, given the scores of the rows, and that of none.
    pub fn probabilities(&self, group: usize, scores: &[f64]) -> (Vec<f64>, f64) {
        softmax(scores, self.stands_for[self.range(group)].iter().map(|times| f64::from(*times)))
    }
}

/// Probabilities of the rows of one group, given their scores; what is left to 1 is that none is right.
pub fn softmax_with_none(scores: &[f64]) -> Vec<f64> {
    softmax(scores, std::iter::repeat(1.0)).0
}

/// Probabilities of single candidates, each score being that of so many, and of none.
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
