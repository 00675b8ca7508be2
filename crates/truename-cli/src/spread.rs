//! Mean and standard deviation of scores over folds.

use std::fmt;

/// Mean and standard deviation of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub mean: f64,
    /// Standard deviation over n - 1; 0 for a single value.
    pub deviation: f64,
}

impl Spread {
    pub fn of(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self { mean, deviation: (squares / (count - 1.0).max(1.0)).sqrt() }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:6.2} ± {:4.2}", self.mean, self.deviation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_of_a_sample() {
        let spread = Spread::of(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(spread.mean, 2.5);
        assert!((spread.deviation - (5.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[7.0]).to_string(), "  7.00 ± 0.00");
    }
}
