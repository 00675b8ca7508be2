//! Ranges of the numbers in a recipe.

use std::fmt;

/// The numbers that a key may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    start: f64,
    end: f64,
    excludes_start: bool,
    excludes_end: bool,
}

impl Range {
    /// A probability or share, from 0 to 1.
    pub const SHARE: Self = Self::of(0.0, 1.0);
    /// A share of less than everything.
    pub const PART: Self = Self { excludes_end: true, ..Self::SHARE };

    /// From `start` to `end`, both included.
    pub const fn of(start: f64, end: f64) -> Self {
        Self { start, end, excludes_start: false, excludes_end: false }
    }

    /// More than 0 and at most `end`.
    pub const fn positive(end: f64) -> Self {
        Self { excludes_start: true, ..Self::of(0.0, end) }
    }

    pub fn contains(&self, value: f64) -> bool {
        let is_above = if self.excludes_start { value > self.start } else { value >= self.start };
        let is_below = if self.excludes_end { value < self.end } else { value <= self.end };
        is_above && is_below
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { start, end, excludes_start: true, .. } => write!(f, "more than {start} and at most {end}"),
            Self { start, end, excludes_end: true, .. } => write!(f, "at least {start} and less than {end}"),
            Self { start, end, .. } => write!(f, "from {start} to {end}"),
        }
    }
}
