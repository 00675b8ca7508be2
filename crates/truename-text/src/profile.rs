//! Input of the similarity measures for a name, computed once.

use crate::normalize::is_greek_letter;
use crate::{Gram, NameKeys, NormalizedName, grams, stable_hash, version};

/// A name taken apart for comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NameProfile {
    /// The name as it was written, outer white space left out.
    pub written: String,
    /// Its normal form.
    pub normalized: NormalizedName,
    /// The characters of the normal form, spaces left out.
    pub letters: Vec<char>,
    /// The words, in order.
    pub tokens: Vec<Token>,
    /// The words sorted and joined by spaces.
    pub sorted: Vec<char>,
    /// The runs of digits, sorted, leading zeros left out, each once.
    pub numbers: Vec<String>,
    /// The first letters of the words.
    pub initials: Vec<char>,
}

/// A word of a name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Token {
    /// Its characters.
    pub letters: Vec<char>,
    /// Its stable hash, under which stores count it.
    pub hash: u64,
}

impl NameProfile {
    /// Takes `name` apart.
    pub fn new(name: &str) -> Self {
        let normalized = NormalizedName::new(name);
        let mut words: Vec<&str> = normalized.tokens().collect();
        let tokens: Vec<Token> =
            words.iter().map(|word| Token { letters: word.chars().collect(), hash: stable_hash(word) }).collect();
        words.sort_unstable();
        Self {
            written: name.trim().to_owned(),
            letters: normalized.as_str().chars().filter(|&c| c != ' ').collect(),
            sorted: words.join(" ").chars().collect(),
            numbers: numbers(normalized.as_str()),
            initials: tokens.iter().filter_map(|token| token.letters.first().copied()).collect(),
            tokens,
            normalized,
        }
    }

    /// Returns the lookup keys.
    pub fn keys(&self) -> NameKeys {
        NameKeys::of(&self.normalized)
    }

    /// Returns the character n-grams.
    pub fn grams(&self) -> Vec<Gram> {
        grams(&self.normalized)
    }

    /// Returns the letters with Greek letters, which are words of their own, by their Latin initials: `tgfb1` of `TGF-beta 1`;
    /// `None` if there are no Greek letters.
    pub fn greek_initials(&self) -> Option<Vec<char>> {
        let words: Vec<&str> = self.normalized.tokens().collect();
        let is_greek: Vec<bool> = words.iter().map(|word| is_greek_letter(word)).collect();
        let initials = |(word, is_greek): (&&str, &bool)| {
            let letters = if *is_greek { 1 } else { word.len() };
            word.chars().take(letters).collect::<Vec<_>>()
        };
        is_greek.contains(&true).then(|| words.iter().zip(&is_greek).flat_map(initials).collect())
    }

    /// Returns true if the name as written looks like an acronym: up to eight letters, most of them capitals.
    pub fn looks_like_acronym(&self) -> bool {
        let letters = self.written.chars().filter(|c| c.is_alphabetic()).count();
        let capitals = self.written.chars().filter(|c| c.is_uppercase()).count();
        self.letters.len() <= 8 && self.tokens.len() == 1 && letters > 0 && 2 * capitals >= letters
    }
}

fn numbers(text: &str) -> Vec<String> {
    let mut found = version::numbers(text);
    found.sort_unstable();
    found.dedup();
    found
}
