//! The likeness of two names.

use truename_text::similarity::{jaro_winkler, number_agreement, token_overlap, token_sort_ratio};
use truename_text::{KeyMatch, NameProfile, have_same_digit_groups};

use crate::vocabulary::{Name, Rarity};

/// Likeness of names whose words change places, and of names that synonym rules make equal.
const VARIANT: f32 = 0.97;
const REORDERED: f32 = 0.94;
const REWRITTEN: f32 = 0.92;
/// Highest likeness of names that share no form.
const MOST_UNEQUAL: f32 = 0.9;
/// Likeness taken off names that differ in a number, letter or sign.
const CONTRADICTION: f32 = 0.3;
/// Weight of the n-grams in the likeness; the words have the rest.
const GRAMS: f32 = 0.45;

/// Measures of two names; all lie between 0 and 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NameMatch {
    pub(crate) level: KeyMatch,
    pub(crate) rewritten: f32,
    /// TF-IDF cosine of the n-grams.
    pub(crate) grams: f32,
    /// Shares of the weight of each name's words that the other has, misspelt words included.
    pub(crate) words: [f32; 2],
    pub(crate) jaro_winkler: f32,
    pub(crate) sorted: f32,
    /// True if the names differ in a number, letter or sign and in nothing else.
    pub(crate) contradicts: bool,
    pub(crate) numbers: f32,
    /// Weight of the rarest word that the other name lacks, relative to a word of one name alone.
    pub(crate) missing: [f32; 2],
    /// All in one number, the highest for equal names.
    pub(crate) likeness: f32,
}

impl NameMatch {
    pub(crate) fn of(source: &Name, target: &Name, rewritten: f32, rarity: &Rarity) -> Self {
        let (left, right) = (&source.profile, &target.profile);
        let level = match have_same_digit_groups(&left.written, &right.written) {
            true => source.keys.meet(&target.keys),
            false => KeyMatch::None,
        };
        let overlap = token_overlap(left, right, &rarity.of(left), &rarity.of(right));
        let mut found = Self {
            level,
            rewritten,
            grams: if level == KeyMatch::Exact { 1.0 } else { rarity.gram_cosine(&source.grams, &target.grams) },
            words: [overlap.soft_left as f32, overlap.soft_right as f32],
            jaro_winkler: jaro_winkler(left, right) as f32,
            sorted: token_sort_ratio(left, right) as f32,
            contradicts: level != KeyMatch::Exact
                && rewritten == 0.0
                && source.designators.contradict(&target.designators),
            numbers: number_agreement(left, right).shared as f32,
            missing: [missing(left, right, rarity), missing(right, left, rarity)],
            likeness: 0.0,
        };
        if level == KeyMatch::Exact {
            (found.words, found.missing) = ([1.0; 2], [0.0; 2]);
        }
        found.likeness = found.likeness();
        found
    }

    fn likeness(&self) -> f32 {
        let [left, right] = self.words;
        let words = if left + right > 0.0 { 2.0 * left * right / (left + right) } else { 0.0 };
        let unequal = MOST_UNEQUAL * (GRAMS * self.grams + (1.0 - GRAMS) * words);
        let of_form = match self.level {
            KeyMatch::Exact => return 1.0,
            KeyMatch::Variant => VARIANT,
            KeyMatch::Reordered => REORDERED,
            _ => REWRITTEN * self.rewritten,
        };
        let contradiction = if self.contradicts { CONTRADICTION } else { 0.0 };
        (unequal.max(of_form) - contradiction).max(0.0)
    }
}

/// Returns the weight of the rarest word of a name that the other lacks, in any spelling.
fn missing(name: &NameProfile, other: &NameProfile, rarity: &Rarity) -> f32 {
    let is_there = |token: &truename_text::Token| {
        other.tokens.iter().any(|word| word.hash == token.hash || truename_text::similarity::is_misspelt(token, word))
    };
    let rarest = name.tokens.iter().filter(|token| !is_there(token)).map(|token| rarity.word(token.hash));
    rarest.fold(0.0, f32::max) / rarity.heaviest
}
