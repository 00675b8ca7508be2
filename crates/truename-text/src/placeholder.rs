//! Words that people write in place of a name.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::NormalizedName;

/// Words in place of a name, one a line; a line that begins with `# ` is a comment.
pub const PLACEHOLDER_WORDS: &str = include_str!("placeholder/words.txt");

/// The comment above the words that are names in some vocabulary (`other`, `Monday`).
const IN_TEXTS_ONLY: &str = "\n# In texts only\n";

/// Signs that programs write for a missing value and that are no names as they are written: those of pandas (`pandas.read_csv`,
/// `na_values`; `NaT` of dates), of MySQL, and of Excel for errors and for empty cells of a pivot table in several languages.
const SIGNS: [&str; 24] = [
    "#DIV/0!",
    "#N/A N/A",
    "#NAME?",
    "#NULL!",
    "#NUM!",
    "#REF!",
    "#VALUE!",
    "(Leer)",
    "(blank)",
    "(empty)",
    "(en blanco)",
    "(null)",
    "(vide)",
    "(vuoto)",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "<null>",
    "NaT",
    "\\N",
];

/// Longest text, in bytes, that may be one of the words.
const MAX_BYTES: usize = 32;

/// Normal forms of the words that are no name in any vocabulary.
static MISSING: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let (missing, _) = PLACEHOLDER_WORDS.split_once(IN_TEXTS_ONLY).unwrap_or((PLACEHOLDER_WORDS, ""));
    let words = missing.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    words.map(|word| NormalizedName::new(word).as_str().to_owned()).collect()
});

/// Numbers of letters of the words in ASCII, as bits, by their first letters: they tell most names from the words without a normal form.
static SHAPES: LazyLock<[u64; 128]> = LazyLock::new(|| {
    let mut shapes = [0; 128];
    for (first, letters) in MISSING.iter().filter_map(|word| shape(word)) {
        shapes[usize::from(first)] |= 1 << letters;
    }
    shapes
});

/// Returns true if a text says that there is no value: a word of [`PLACEHOLDER_WORDS`] that is no name in any vocabulary, or a sign that
/// a program writes for it.
pub fn is_missing_value(text: &str) -> bool {
    if SIGNS.contains(&text.trim()) {
        return true;
    }
    let may_be = || !text.is_ascii() || text.contains('&') || shape(text).is_some_and(has_word);
    text.len() <= MAX_BYTES && may_be() && MISSING.contains(NormalizedName::new(text).as_str())
}

fn has_word((first, letters): (u8, usize)) -> bool {
    SHAPES[usize::from(first)] >> letters & 1 == 1
}

/// Returns the first letter and the number of letters of the normal form of a text in ASCII without `&`.
fn shape(text: &str) -> Option<(u8, usize)> {
    let mut letters = text.bytes().filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#'));
    let first = letters.next().filter(|_| text.is_ascii())?;
    Some((first.to_ascii_lowercase(), letters.count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_vocabularies_are_no_missing_values() {
        for text in ["None known", "(none)", "N / A", "n/k", "TBD", "k.A.", "Unbekannt"] {
            assert!(is_missing_value(text), "{text:?}");
        }
        for word in MISSING.iter() {
            assert!(
                word.len() <= MAX_BYTES && is_missing_value(&format!("(`{}\u{1}.", word.to_uppercase())),
                "{word:?}"
            );
        }
        for text in ["NaT", "<NA>", " (blank) ", "#DIV/0!", "\\N"] {
            assert!(is_missing_value(text), "{text:?}");
        }
        for text in ["NAT", "NA", "blank", "N"] {
            assert!(!is_missing_value(text), "{text:?}");
        }
        for text in ["other", "Monday", "Na", "Nan", "UNK", "nos", "", "unknown primary"] {
            assert!(!is_missing_value(text), "{text:?}");
        }
    }
}
