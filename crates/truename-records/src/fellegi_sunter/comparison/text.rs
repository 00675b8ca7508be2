//! Free text, and short texts as names of places: by TF-IDF cosine of n-grams.

use truename_text::NormalizedName;
use truename_text::similarity::spelling_edits;

use super::words::are_spellings;
use super::{Level, Values, level};
use crate::lexical::{Vocabulary, trigrams};

/// Lowest cosines of the levels above the first.
const COSINES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];
/// Level of two short words that are one edit apart.
const ONE_EDIT: usize = 2;
/// Most letters of texts that are compared as one word.
const SHORT: usize = 24;

/// The texts of a column, with the weights of their n-grams.
pub(in crate::fellegi_sunter) struct Texts {
    texts: Vec<NormalizedName>,
    grams: Vec<Box<[u32]>>,
    vocabulary: Vocabulary,
}

impl Texts {
    pub(in crate::fellegi_sunter) const LEVELS: &'static [Level] = &[
        level("differs", 0.04, 0.95),
        level("cosine 0.2", 0.06, 0.035),
        level("cosine 0.4", 0.1, 0.008),
        level("cosine 0.6", 0.15, 0.002),
        level("cosine 0.8", 0.25, 0.001),
        level("equal", 0.4, 0.004),
    ];

    /// The levels of names of places, which are written in fewer ways than other texts.
    pub(in crate::fellegi_sunter) const PLACE_LEVELS: &'static [Level] = &[
        level("differs", 0.05, 0.95),
        level("cosine 0.2", 0.02, 0.02),
        level("cosine 0.4", 0.03, 0.01),
        level("cosine 0.6", 0.04, 0.003),
        level("cosine 0.8", 0.11, 0.002),
        level("equal", 0.75, 0.015),
    ];

    /// Collects the n-grams of texts.
    pub(in crate::fellegi_sunter) fn of(texts: &[&str]) -> Self {
        let texts: Vec<NormalizedName> = texts.iter().map(|text| NormalizedName::new(text)).collect();
        let terms = |text: &NormalizedName| {
            let mut terms = trigrams(text);
            terms.sort_unstable();
            terms.dedup();
            terms
        };
        let vocabulary = Vocabulary::of(&texts, terms);
        let grams = texts.iter().map(|text| vocabulary.numbers(trigrams(text))).collect();
        Self { texts, grams, vocabulary }
    }

    /// Returns the text that equal values share; none for a value without letters.
    pub(in crate::fellegi_sunter) fn key(text: &str) -> Option<String> {
        let normalized = NormalizedName::new(text);
        (!normalized.is_empty()).then(|| normalized.squeezed())
    }
}

impl Values for Texts {
    fn grams(&self) -> Vec<(u64, u32)> {
        self.vocabulary.counts()
    }

    fn take_counts(&mut self, texts: usize, count: &dyn Fn(u64) -> u32) {
        self.vocabulary.take_counts(texts, count);
    }

    fn level(&self, left: u32, right: u32) -> usize {
        let (left, right) = (left as usize, right as usize);
        let cosine = self.vocabulary.shared(&self.grams[left], &self.grams[right]).cosine();
        let (one, other) = (self.texts[left].as_str(), self.texts[right].as_str());
        let level = COSINES.iter().filter(|least| cosine >= **least).count();
        // One edit changes most n-grams of a short text.
        match one.len().max(other.len()) {
            ..=SHORT if are_spellings(one, other) => level.max(COSINES.len()),
            ..=SHORT if spelling_edits(one, other) <= 1 => level.max(ONE_EDIT),
            _ => level,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_agree_by_cosine_and_short_ones_by_letters() {
        let texts = Texts::of(&[
            "Winston Hills",
            "Winstn Hills",
            "Dapto",
            "association rules between large sets",
            "association rules in databases",
        ]);
        let of = |left, right| Texts::LEVELS[texts.level(left, right)].name;
        assert_eq!(of(0, 1), "cosine 0.8");
        assert_eq!(of(0, 2), "differs");
        assert_eq!(of(3, 4), "cosine 0.4");
        assert_eq!((Texts::key("Winston-Hills"), Texts::key(" .")), (Some("winstonhills".into()), None));
    }
}
