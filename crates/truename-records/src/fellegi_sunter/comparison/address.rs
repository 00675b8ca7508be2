//! Streets and addresses.

use super::words::{Alignment, has_digit, words};
use super::{Comparison, Level, level};

/// Spellings of kinds of streets and of parts of buildings, and the short one.
const SHORT: [(&str, &str); 34] = [
    ("street", "st"),
    ("str", "st"),
    ("strasse", "st"),
    ("saint", "st"),
    ("road", "rd"),
    ("avenue", "ave"),
    ("av", "ave"),
    ("boulevard", "blvd"),
    ("bd", "blvd"),
    ("lane", "ln"),
    ("drive", "dr"),
    ("court", "ct"),
    ("place", "pl"),
    ("platz", "pl"),
    ("square", "sq"),
    ("crescent", "cres"),
    ("terrace", "ter"),
    ("parkway", "pkwy"),
    ("highway", "hwy"),
    ("close", "cl"),
    ("circuit", "cct"),
    ("apartment", "apt"),
    ("suite", "ste"),
    ("floor", "fl"),
    ("building", "bldg"),
    ("north", "n"),
    ("south", "s"),
    ("east", "e"),
    ("west", "w"),
    ("rue", "r"),
    ("calle", "c"),
    ("mount", "mt"),
    ("number", "no"),
    ("nr", "no"),
];
/// Ends of words that are kinds of streets, longest first, and the short one.
const GLUED: [(&str, &str); 3] = [("strasse", "st"), ("platz", "pl"), ("str", "st")];
/// Fewest letters before a glued kind of street.
const FEWEST_BEFORE: usize = 3;

/// A street or an address.
pub(in crate::fellegi_sunter) struct Address {
    words: Vec<String>,
    /// Words with a digit.
    numbers: Vec<String>,
}

impl Comparison for Address {
    const LEVELS: &'static [Level] = &[
        level("differs", 0.1, 0.97),
        level("some words", 0.03, 0.01),
        level("number differs", 0.03, 0.01),
        level("part", 0.05, 0.002),
        level("similar", 0.15, 0.001),
        level("equal", 0.64, 0.007),
    ];

    fn parse(text: &str) -> Option<Self> {
        let (numbers, words): (Vec<String>, Vec<String>) =
            words(text).into_iter().flat_map(pieces).partition(|word| has_digit(word));
        (words.len() + numbers.len() > 0).then_some(Self { words, numbers })
    }

    fn key(&self) -> String {
        let mut words: Vec<&str> = self.words.iter().chain(&self.numbers).map(String::as_str).collect();
        words.sort_unstable();
        words.join(" ")
    }

    fn level(&self, other: &Self) -> usize {
        let words = Alignment::of(&self.words, &other.words);
        let numbers = Alignment::of(&self.numbers, &other.numbers);
        let are_alike = words.is_whole() || self.words.concat() == other.words.concat();
        match () {
            () if are_alike && numbers.left + numbers.right == 0 => 4,
            () if words.is_contained() && numbers.left.min(numbers.right) == 0 => 3,
            () if words.is_contained() => 2,
            () if 2 * words.together() >= self.words.len().max(other.words.len()) && words.together() > 0 => 1,
            () => 0,
        }
    }
}

/// Returns a word in its short spelling; the kind of a street that is written together with its name, and the letter of a number that
/// stands apart, are words of their own: `Hauptstraße` is `haupt st`.
fn pieces(word: String) -> Vec<String> {
    if let Some((_, short)) = SHORT.iter().find(|(long, _)| *long == word) {
        return vec![(*short).to_owned()];
    }
    let glued = GLUED.iter().find_map(|(end, short)| Some((word.strip_suffix(end)?, short)));
    match glued.filter(|(name, _)| name.len() >= FEWEST_BEFORE) {
        Some((name, short)) => vec![name.to_owned(), (*short).to_owned()],
        None => vec![word],
    }
}

#[cfg(test)]
mod tests {
    use super::super::agreement;
    use super::*;

    #[test]
    fn addresses_agree_by_levels() {
        let of = agreement::<Address>;
        assert_eq!(of("12 Elm Street", "12 Elm St."), "equal");
        assert_eq!(of("Hauptstraße 5", "Haupt-Str. 5"), "equal");
        assert_eq!(of("12 Elmwood Street", "12 Elmwod St."), "similar");
        assert_eq!(of("12 Elm Street", "Elm Street"), "part");
        assert_eq!(of("12 Elm Street", "14 Elm Street"), "number differs");
        assert_eq!(of("12 Elm Street", "14 Oak Street"), "some words");
        assert_eq!(of("6", "69"), "differs");
        assert!(Address::parse("--").is_none());
    }
}
