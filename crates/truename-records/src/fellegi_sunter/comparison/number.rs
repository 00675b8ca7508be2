//! Numbers with a tolerance.

use super::{Comparison, Level, level};
use crate::number::Number;

/// Relative differences of numbers that are nearly equal, and of numbers that are close.
const NEAR: f64 = 0.01;
const CLOSE: f64 = 0.1;

impl Comparison for Number {
    const LEVELS: &'static [Level] = &[
        level("differs", 0.1, 0.85),
        level("within 10 %", 0.05, 0.08),
        level("within 1 %", 0.1, 0.03),
        level("equal", 0.75, 0.04),
    ];

    fn parse(text: &str) -> Option<Self> {
        Self::read(text)
    }

    fn key(&self) -> String {
        // -0 is 0.
        (self.0 + 0.0).to_string()
    }

    fn level(&self, other: &Self) -> usize {
        let difference = (self.0 - other.0).abs() / self.0.abs().max(other.0.abs());
        match () {
            () if difference <= NEAR => 2,
            () if difference <= CLOSE => 1,
            () => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_within_a_tolerance() {
        let of = |left: f64, right: f64| Number::LEVELS[Number(left).level(&Number(right))].name;
        assert_eq!(of(100.0, 100.5), "within 1 %");
        assert_eq!(of(100.0, 109.0), "within 10 %");
        assert_eq!(of(100.0, -100.0), "differs");
        assert_eq!(of(0.0, 1.0), "differs");
    }
}
