//! Mean ranks of candidates over several features.

/// The better end of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Best {
    Highest,
    Lowest,
}

/// Returns the rank of each value, from 1; equal values share the first of their ranks. A missing value ranks last.
pub(super) fn ranks(values: &[Option<f64>], best: Best) -> Vec<f64> {
    let worst = match best {
        Best::Highest => f64::NEG_INFINITY,
        Best::Lowest => f64::INFINITY,
    };
    let values: Vec<f64> = values.iter().map(|value| value.unwrap_or(worst)).collect();
    let is_better = |one: f64, other: f64| match best {
        Best::Highest => one > other,
        Best::Lowest => one < other,
    };
    let rank = |value: &f64| 1 + values.iter().filter(|other| is_better(**other, *value)).count();
    values.iter().map(|value| rank(value) as f64).collect()
}

/// Returns the mean of each candidate's ranks over the features.
///
/// # Shapes
/// `features: [features][candidates]`, output: `[candidates]`
pub(super) fn mean_ranks(features: &[Vec<f64>], candidates: usize) -> Vec<f64> {
    // Rust's sum of nothing is -0.
    let sum = |candidate: usize| features.iter().fold(0.0, |sum, ranks| sum + ranks[candidate]);
    let mean = |candidate: usize| sum(candidate) / features.len().max(1) as f64;
    (0..candidates).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_rank_and_missing_ones_are_last() {
        let values = [Some(0.2), Some(0.9), None, Some(0.2)];
        assert_eq!(ranks(&values, Best::Highest), [2.0, 1.0, 4.0, 2.0]);
        assert_eq!(ranks(&values, Best::Lowest), [1.0, 3.0, 4.0, 1.0]);
    }

    #[test]
    fn features_count_alike() {
        assert_eq!(mean_ranks(&[vec![1.0, 2.0], vec![2.0, 1.0], vec![2.0, 1.0]], 2), [5.0 / 3.0, 4.0 / 3.0]);
        assert!(mean_ranks(&[], 2).iter().all(|mean| mean.to_string() == "0"));
    }
}
