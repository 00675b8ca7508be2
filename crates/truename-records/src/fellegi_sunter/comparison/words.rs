//! Words of a value, and how those of two values go together.

use truename_text::NormalizedName;
use truename_text::similarity::{spelling_edits, spelling_similarity};

use crate::fellegi_sunter::person_column::is_given_name;
use crate::fellegi_sunter::short_names::are_forms_of_one_name;

/// Lowest Jaro–Winkler similarity of two spellings of one word, as for the features of names.
const SAME_WORD: f64 = 0.88;
/// Fewest letters for each edit between two spellings.
const LETTERS_PER_EDIT: usize = 3;
/// Fewest letters of a word that one edit leaves the same word.
const EDITED_LETTERS: usize = 5;

/// Returns the words of the normal form of a text.
pub(super) fn words(text: &str) -> Vec<String> {
    NormalizedName::new(text).tokens().map(str::to_owned).collect()
}

/// Returns true if a word has a digit.
pub(super) fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns true if two words are spellings of one. Numbers have one spelling.
pub(in crate::fellegi_sunter) fn are_spellings(left: &str, right: &str) -> bool {
    if has_digit(left) || has_digit(right) {
        return left == right;
    }
    let (one, other) = (left.chars().count(), right.chars().count());
    let edits = spelling_edits(left, right);
    spelling_similarity(left, right) >= SAME_WORD && LETTERS_PER_EDIT * edits <= one.max(other)
        || one.min(other) >= EDITED_LETTERS && edits <= 1
}

/// The words of two values that go together, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Alignment {
    /// Number of equal words.
    pub equal: usize,
    /// Number of other words that are spellings of one.
    pub similar: usize,
    /// Number of words that the other value has by an initial, or by a short form.
    pub initials: usize,
    /// Number of words without a partner.
    pub left: usize,
    pub right: usize,
}

impl Alignment {
    /// Finds a partner for each word: an equal one, else a spelling, else an initial.
    pub(super) fn of(left: &[String], right: &[String]) -> Self {
        Self::by(left, right, is_initial)
    }

    /// As [`of`](Self::of) for the names of persons, of which some have short forms.
    pub(super) fn of_persons(left: &[String], right: &[String]) -> Self {
        Self::by(left, right, |word, other| is_initial(word, other) || are_forms_of_one_name(word, other))
    }

    fn by(left: &[String], right: &[String], is_short: impl Fn(&str, &str) -> bool) -> Self {
        let mut found = Self::default();
        let mut left: Vec<&str> = left.iter().map(String::as_str).collect();
        let mut right: Vec<&str> = right.iter().map(String::as_str).collect();
        let mut take = |go_together: &dyn Fn(&str, &str) -> bool| {
            let before = left.len();
            left.retain(|word| {
                let partner = right.iter().position(|other| go_together(word, other));
                partner.map(|at| right.remove(at)).is_none()
            });
            before - left.len()
        };
        found.equal = take(&|word, other| word == other);
        found.similar = take(&are_spellings);
        found.initials = take(&is_short);
        (found.left, found.right) = (left.len(), right.len());
        found
    }

    /// Returns the number of words with a partner.
    pub(super) fn together(&self) -> usize {
        self.equal + self.similar + self.initials
    }

    /// Returns true if one value has all words of the other.
    pub(super) fn is_contained(&self) -> bool {
        self.together() > 0 && self.left.min(self.right) == 0
    }

    /// Returns true if both values have the same words, some spelt otherwise.
    pub(super) fn is_whole(&self) -> bool {
        self.equal + self.similar > 0 && self.initials + self.left + self.right == 0
    }
}

/// Returns true if each value has a known given name that is no spelling or short form of one of the other's: `Lena` and `Lea`, unlike
/// `Katherine` and `Catherine`.
pub(super) fn have_other_given_names(left: &[String], right: &[String]) -> bool {
    let has_own = |words: &[String], others: &[String]| {
        let is_same = |word: &str, other: &str| sound(other) == sound(word) || are_forms_of_one_name(word, other);
        let is_known_too = |word: &str| others.iter().any(|other| is_same(word, other));
        words.iter().any(|word| is_given_name(word) && !is_known_too(word))
    };
    has_own(left, right) && has_own(right, left)
}

/// Returns a word with one spelling for letters that sound alike.
fn sound(word: &str) -> String {
    let word = word.replace("ph", "f").replace("ey", "i").replace("ei", "i").replace(['y', 'j'], "i").replace('h', "");
    let mut letters: Vec<char> = word.replace('c', "k").chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}

fn is_initial(left: &str, right: &str) -> bool {
    let is_of = |short: &str, long: &str| short.chars().count() == 1 && !has_digit(short) && long.starts_with(short);
    is_of(left, right) || is_of(right, left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_together_once() {
        let of = |left: &str, right: &str| {
            let found = Alignment::of(&words(left), &words(right));
            [found.equal, found.similar, found.initials, found.left, found.right]
        };
        assert_eq!(of("Anna Maria Woods", "woods, Anna"), [2, 0, 0, 1, 0]);
        assert_eq!(of("Dorothy W", "Dortha W."), [1, 1, 0, 0, 0]);
        assert_eq!(of("J. Sample", "John Sampel"), [0, 1, 1, 0, 0]);
        assert_eq!(of("anna anna", "anna"), [1, 0, 0, 1, 0]);
        assert_eq!(of("Unit 1", "unit 13"), [1, 0, 0, 1, 1]);
    }
}
