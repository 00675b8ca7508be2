//! Letters and words that abbreviations treat apart.

use unicode_normalization::UnicodeNormalization;

use crate::normalize::small;

/// Returns the letter without case and accent; a Greek one as its name begins in English.
pub(super) fn folded(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    let lower = small(letter);
    let base = std::iter::once(lower).nfkd().next().unwrap_or(lower);
    GREEK_LETTERS.iter().find(|(greek, _)| *greek == base).map_or(base, |(_, name)| name.as_bytes()[0].into())
}

/// Letters that stand in names of substances and genes, with their names.
#[rustfmt::skip]
const GREEK_LETTERS: [(char, &str); 14] = [
    ('α', "alpha"), ('β', "beta"), ('γ', "gamma"), ('δ', "delta"), ('ε', "epsilon"), ('ζ', "zeta"),
    ('η', "eta"), ('θ', "theta"), ('κ', "kappa"), ('λ', "lambda"), ('μ', "mu"), ('π', "pi"), ('σ', "sigma"),
    ('ω', "omega"),
];

/// Number words with the digit that stands for them in "2D" or "3D".
#[rustfmt::skip]
const NUMBER_WORDS: [(&str, char); 17] = [
    ("one", '1'), ("first", '1'), ("mono", '1'), ("two", '2'), ("second", '2'), ("three", '3'), ("third", '3'),
    ("tri", '3'), ("four", '4'), ("tetra", '4'), ("five", '5'), ("penta", '5'), ("six", '6'), ("hexa", '6'),
    ("seven", '7'), ("eight", '8'), ("nine", '9'),
];

/// Returns the digit for the number word that `piece` starts with.
pub(super) fn number_word(piece: &str) -> Option<char> {
    let starts = |word: &str| piece.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    NUMBER_WORDS.iter().find(|(word, _)| starts(word)).map(|(_, digit)| *digit)
}

/// Stop words: an abbreviation often has no letter of them.
const STOP_WORDS: [&str; 25] = [
    "a", "an", "and", "as", "at", "by", "de", "during", "et", "for", "from", "in", "into", "is", "of", "on", "or",
    "per", "plus", "than", "that", "the", "to", "via", "with",
];

pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.iter().any(|little| little.eq_ignore_ascii_case(word))
}

/// Prefixes for the places of a molecule's parts.
const LOCANTS: [&str; 6] = ["cis", "trans", "ortho", "meta", "para", "tert"];

/// Returns true if a part of a chemical name is left out of its abbreviation: a number, a letter, "beta", "trans".
pub(super) fn is_locant(part: &str) -> bool {
    let is_short = part.starts_with(char::is_numeric) || part.chars().nth(1).is_none();
    let greek = GREEK_LETTERS.iter().map(|(_, name)| name);
    is_short || LOCANTS.iter().chain(greek).any(|locant| locant.eq_ignore_ascii_case(part))
}

/// Returns true for a quotation mark.
pub(super) fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '“' | '”' | '‘' | '’' | '«' | '»')
}
