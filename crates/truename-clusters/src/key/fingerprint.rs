//! Fingerprints: parts of a name, each once, in order of the alphabet.

use std::collections::BTreeSet;

/// Returns the words, each once, in order.
pub(super) fn of_words(words: impl Iterator<Item = String>) -> String {
    let words: BTreeSet<String> = words.filter(|word| !word.is_empty()).collect();
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// Returns the pairs of neighbouring letters, each once, in order; of one letter itself.
pub(super) fn of_bigrams(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let bigrams: BTreeSet<&[char]> = letters.windows(2).collect();
    if bigrams.is_empty() { text.to_owned() } else { bigrams.into_iter().flatten().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_once_and_in_order() {
        assert_eq!(of_words(["b", "a", "", "b"].map(str::to_owned).into_iter()), "a b");
        // OpenRefine's example: `Paris` has the bigrams ar, is, pa, ri.
        assert_eq!(
            (of_bigrams("paris"), of_bigrams("x"), of_bigrams("")),
            ("arispari".into(), "x".into(), String::new())
        );
    }
}
