//! Whether a piece of text that has the letters of a name is written as that name would be.

use std::collections::HashSet;
use std::sync::LazyLock;

use truename_text::NormalizedName;

/// Common English words (levels 10 and 20 of SCOWL, whose licence stands in the file), lower case.
static COMMON_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("common_words.txt").lines().filter(|line| !line.starts_with('#')).collect());

/// Names of at most this many letters and digits are codes more than words: they count only as they are written.
const LONGEST_CODE: usize = 3;
/// Names of at most this many letters and digits, most of them capitals, are acronyms.
const LONGEST_ACRONYM: usize = 8;
/// Text in capitals of at most this many letters is taken for an acronym of its own.
const LONGEST_CAPITALS: usize = 5;

/// Whether the piece is a common English word.
pub(super) fn is_common_word(piece: &str) -> bool {
    COMMON_WORDS.contains(piece.to_lowercase().as_str())
}

/// Whether `piece`, found in a text by its normal form, may stand for `name`: a code or acronym must be written
/// in the same capitals (a plural `s` apart), punctuation in the piece must be in the name, and a word in capitals
/// is not a short lower-case one, unless the whole passage is `in_capitals`.
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
    if length <= LONGEST_CODE {
        return capitalized(&written) == capitalized(&known) && (in_capitals || !is_capitals(&written));
    }
    in_capitals || !(is_capitals(&written) && written.chars().count() <= LONGEST_CAPITALS)
}

/// Whether most letters of a longer text are capitals, so that they say nothing of a word.
pub(super) fn is_in_capitals(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let capitals = text.chars().filter(|c| c.is_uppercase()).count();
    letters > 2 * LONGEST_ACRONYM && 2 * capitals > letters
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The letters with the first one a capital: sentences and headings begin with one.
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
        && letters.chars().count() <= LONGEST_ACRONYM
}

/// Whether commas, brackets and the like of the piece are in the name too: else it is a list or an aside.
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
