//! Character n-grams of a normalised name.

use crate::NormalizedName;

/// An n-gram: one to three characters packed into an integer, 21 bits each, in the order of the characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gram(pub u64);

/// Longest short name, in characters.
const SHORT: usize = 12;

/// Returns the distinct n-grams of `name` in ascending order.
///
/// Each word is taken between two boundary marks and gives its trigrams, as scikit-learn's `char_wb`
/// analyser. A short name also gives its bigrams, for a typo may leave it no trigram; in a long one they
/// would add little and cost most of a search.
pub fn grams(name: &NormalizedName) -> Vec<Gram> {
    let is_short = name.as_str().chars().count() <= SHORT;
    let mut found = Vec::with_capacity(2 * name.as_str().len() + 4);
    for token in name.tokens() {
        let (mut before, mut last) = (0, u64::from(' '));
        for character in token.chars().chain([' ']) {
            let next = u64::from(character);
            if before != 0 {
                found.push(Gram(before << 42 | last << 21 | next));
            }
            if is_short {
                found.push(Gram(last << 21 | next));
            }
            (before, last) = (last, next);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> Vec<String> {
        let unpack = |Gram(packed): Gram| {
            [packed >> 42, packed >> 21 & 0x1f_ffff, packed & 0x1f_ffff]
                .into_iter()
                .filter_map(|code| u32::try_from(code).ok().and_then(char::from_u32))
                .filter(|&c| c != '\0')
                .collect()
        };
        grams(&NormalizedName::new(name)).into_iter().map(unpack).collect()
    }

    #[test]
    fn grams_stay_inside_words() {
        assert_eq!(shown("ab"), [" a", "ab", "b ", " ab", "ab "]);
        assert_eq!(shown("a b"), [" a", " b", "a ", "b ", " a ", " b "]);
        assert_eq!(shown("aaaa"), [" a", "a ", "aa", " aa", "aa ", "aaa"]);
        assert!(shown("").is_empty());
        assert_eq!(shown("acetaminophen")[0], " ac");
        assert_eq!(shown("日本"), [" 日", "日本", "本 ", " 日本", "日本 "]);
    }
}
