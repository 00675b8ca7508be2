//! Compares the spelling of a piece of text with a name that has the same letters.

use std::collections::HashSet;
use std::sync::LazyLock;

use truename_text::NormalizedName;

/// Common English words in lower case (levels 10 and 20 of SCOWL; the file holds the licence).
static COMMON_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("common_words.txt").lines().filter(|line| !line.starts_with('#')).collect());

/// Maximum letters and digits of a code: a name that must occur exactly as written.
const MAX_CODE_LENGTH: usize = 3;
/// Maximum letters and digits of an acronym, a name mostly in capitals.
const MAX_ACRONYM_LENGTH: usize = 8;
/// Maximum letters of a word in capitals that is taken for an acronym of its own.
const MAX_CAPITALS_LENGTH: usize = 5;

/// Returns whether the piece is a common English word.
pub(super) fn is_common_word(piece: &str) -> bool {
    COMMON_WORDS.contains(piece.to_lowercase().as_str())
}

/// Returns whether the piece is a single character.
pub(super) fn is_letter(piece: &str) -> bool {
    piece.chars().nth(1).is_none()
}

/// Returns whether `piece`, found in a text by its normal form, may stand for `name`.
///
/// A code or acronym must have the same capitals (a plural `s` apart). Punctuation in the piece must occur in the name.
/// A word in capitals does not match a short lower-case name unless the whole passage is `in_capitals`.
pub(super) fn may_stand_for(piece: &str, name: &str, in_capitals: bool) -> bool {
    if !has_marks_of(piece, name) {
        return false;
    }
    let (written, known) = (letters(piece), letters(name));
    if written == known {
        return true;
    }
    if is_acronym(name, &known) {
        return written.strip_suffix('s') == Some(&known);
    }
    let length = NormalizedName::new(name).squeezed().chars().count();
    if length <= MAX_CODE_LENGTH {
        return capitalized(&written) == capitalized(&known) && (in_capitals || !is_capitals(&written));
    }
    in_capitals || !(is_capitals(&written) && written.chars().count() <= MAX_CAPITALS_LENGTH)
}

/// Returns whether most letters of a longer text are capitals, so that capitals tell nothing about a word.
pub(super) fn is_in_capitals(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let capitals = text.chars().filter(|c| c.is_uppercase()).count();
    letters > 2 * MAX_ACRONYM_LENGTH && 2 * capitals > letters
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the letters with the first one capitalized, as at the beginning of a sentence.
fn capitalized(letters: &str) -> String {
    let mut rest = letters.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

fn is_capitals(letters: &str) -> bool {
    letters.chars().filter(|c| c.is_uppercase()).count() > 1 && !letters.chars().any(char::is_lowercase)
}

fn is_acronym(name: &str, letters: &str) -> bool {
    let capitals = letters.chars().filter(|c| c.is_uppercase()).count();
    let alphabetic = letters.chars().filter(|c| c.is_alphabetic()).count();
    capitals > 1
        && 2 * capitals >= alphabetic
        && !name.trim().contains(char::is_whitespace)
        && letters.chars().count() <= MAX_ACRONYM_LENGTH
}

/// Returns whether commas, brackets and similar marks of the piece occur in the name too; otherwise the piece is a list
/// or an aside.
fn has_marks_of(piece: &str, name: &str) -> bool {
    const MARKS: [char; 15] = [',', ';', ':', '(', ')', '[', ']', '"', '“', '”', '<', '>', '=', '*', '%'];
    let count = |text: &str, mark: char| text.chars().filter(|c| *c == mark).count();
    !piece.contains(MARKS) || MARKS.into_iter().all(|mark| count(piece, mark) <= count(name, mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_as_it_would_be() {
        let cases = [
            ("aspirin", "Aspirin", true),
            ("ASPIRIN", "Aspirin", true),
            ("all", "ALL", false),
            ("ALL", "ALL", true),
            ("EEGs", "EEG", true),
            ("eegs", "EEG", false),
            ("CAT", "Cat", false),
            ("Cat", "cat", true),
            ("MAP", "Map", false),
            ("HEART", "Heart", false),
            ("tin", "Tin", true),
            ("Tin", "tin", true),
            ("liver, kidney", "liver kidney", false),
            ("tumors", "Tumor", true),
            ("il-2", "IL-2", false),
            ("anemia (sideroblastic)", "Anemia (Sideroblastic)", true),
        ];
        for (piece, name, expected) in cases {
            assert_eq!(may_stand_for(piece, name, false), expected, "{piece} / {name}");
        }
        assert!(may_stand_for("HEART", "Heart", true));
    }

    #[test]
    fn common_words_are_there() {
        assert!(is_common_word("The") && is_common_word("lead") && !is_common_word("aspirin"));
    }
}
