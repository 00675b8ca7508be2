//! Ids, postcodes and other codes, as text: leading zeros count.

use truename_text::NormalizedName;
use truename_text::similarity::spelling_edits;

use super::{Comparison, Level, level};

/// Fewest letters of a code that one edit leaves alike.
const EDITED: usize = 4;

/// A code without blanks and punctuation.
pub(in crate::fellegi_sunter) struct Code {
    letters: String,
}

impl Comparison for Code {
    const LEVELS: &'static [Level] =
        &[level("differs", 0.1, 0.985), level("similar", 0.08, 0.005), level("equal", 0.82, 0.01)];

    fn parse(text: &str) -> Option<Self> {
        let letters = NormalizedName::new(text).squeezed();
        (!letters.is_empty()).then_some(Self { letters })
    }

    fn key(&self) -> String {
        self.letters.clone()
    }

    fn level(&self, other: &Self) -> usize {
        let shorter = self.letters.len().min(other.letters.len());
        usize::from(shorter >= EDITED && spelling_edits(&self.letters, &other.letters) <= 1)
    }
}
