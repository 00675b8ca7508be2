//! Suffixes of generations in names of persons.

use crate::header::header_words;

/// Spellings of suffixes, and the suffix.
const SUFFIXES: [(&str, &str); 12] = [
    ("jr", "jr"),
    ("jnr", "jr"),
    ("junior", "jr"),
    ("sr", "sr"),
    ("snr", "sr"),
    ("senior", "sr"),
    ("ii", "ii"),
    ("iii", "iii"),
    ("iv", "iv"),
    ("2nd", "ii"),
    ("3rd", "iii"),
    ("4th", "iv"),
];

/// Names of columns of suffixes.
const COLUMNS: [&str; 5] = ["suffix", "name suffix", "suffix name", "generation", "generational suffix"];

/// Returns true for the name of a column of suffixes.
pub(super) fn is_suffix_column(name: &str) -> bool {
    COLUMNS.contains(&header_words(name).join(" ").as_str())
}

/// Takes the last word off if it is a suffix of a generation. A suffix alone is a name.
pub(super) fn without_suffix(mut words: Vec<String>) -> (Vec<String>, Option<&'static str>) {
    let suffix = words.last().filter(|_| words.len() > 1).and_then(|word| suffix(word));
    if suffix.is_some() {
        words.pop();
    }
    (words, suffix)
}

/// Returns the suffix of a generation that a word is a spelling of.
pub(super) fn suffix(word: &str) -> Option<&'static str> {
    SUFFIXES.iter().find(|(spelling, _)| *spelling == word).map(|(_, suffix)| *suffix)
}
