//! Words that people write in place of a name.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::NormalizedName;

/// Words in place of a name, one a line; a line that begins with `# ` is a comment.
pub const PLACEHOLDER_WORDS: &str = include_str!("placeholder/words.txt");

/// The comment above the words that are names in some vocabulary (`other`, `Monday`).
const IN_TEXTS_ONLY: &str = "\n# In texts only\n";

/// Normal forms of the words that are no name in any vocabulary.
static MISSING: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let (missing, _) = PLACEHOLDER_WORDS.split_once(IN_TEXTS_ONLY).unwrap_or((PLACEHOLDER_WORDS, ""));
    let words = missing.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    words.map(|word| NormalizedName::new(word).as_str().to_owned()).collect()
});

/// Returns true if a text says that there is no value: a word of [`PLACEHOLDER_WORDS`] that is no name in any vocabulary.
pub fn is_missing_value(text: &str) -> bool {
    /// More than any of the words has.
    const MAX_BYTES: usize = 32;
    text.len() <= MAX_BYTES && MISSING.contains(NormalizedName::new(text).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_vocabularies_are_no_missing_values() {
        for text in ["None known", "(none)", "N / A", "n/k", "TBD", "k.A.", "Unbekannt"] {
            assert!(is_missing_value(text), "{text:?}");
        }
        for text in ["other", "Monday", "Na", "Nan", "UNK", "nos", "", "unknown primary"] {
            assert!(!is_missing_value(text), "{text:?}");
        }
    }
}
