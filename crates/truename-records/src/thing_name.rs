//! Names of things, which a designator or a distinguishing word tells apart.

use std::collections::HashMap;

use rayon::prelude::*;
use truename_text::{Designators, LegalName, NormalizedName, stable_hash};

/// Longest name in bytes; longer texts are descriptions, which nothing here tells apart.
const LONGEST_NAME: usize = 200;
/// Most words of a name that a distinguishing word tells apart; longer ones, as titles, are often written in other words.
const MOST_WORDS: usize = 5;
/// Most words of a name that a designator tells apart; longer ones, as offers of shops, have numbers of many kinds.
const MOST_WORDS_WITH_DESIGNATORS: usize = 8;
/// A word is generic, as `cafe` and `restaurant`, if this many times more names have it than the rarest word that two names share.
const GENERIC_FACTOR: u32 = 4;

/// Distinct names of one column, by number.
pub(crate) struct ThingNames(Vec<ThingName>);

/// A name taken apart.
#[derive(Default)]
struct ThingName {
    designators: Designators,
    legal: LegalName,
    /// Hashes of the words beside the legal form, ascending, each with the number of names that have it; none where no word tells names apart, and of a name of many words.
    words: Box<[(u64, u32)]>,
}

impl ThingNames {
    /// Takes names apart. `by_words`: whether distinguishing words tell them apart too.
    pub(crate) fn of(texts: &[&str], by_words: bool) -> Self {
        let mut names = Self(texts.par_iter().map(|text| ThingName::new(text, by_words)).collect());
        let mut counts: HashMap<u64, u32> = HashMap::new();
        names.words().for_each(|word| *counts.entry(word).or_default() += 1);
        names.take_counts(|word| counts[&word]);
        names
    }

    /// Returns the hashes of the words of the names, those of each name once.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        self.0.iter().flat_map(|name| &name.words).map(|(word, _)| *word)
    }

    /// Sets the number of names that have each word.
    pub(crate) fn take_counts(&mut self, count: impl Fn(u64) -> u32) {
        self.0.iter_mut().flat_map(|name| &mut name.words).for_each(|(word, of)| *of = count(*word));
    }

    /// Returns true if the names differ in a designator: `Galaxy S21` and `Galaxy S22`.
    pub(crate) fn differ_in_designators(&self, left: u32, right: u32) -> bool {
        let [one, other] = [left, right].map(|name| &self.0[name as usize].designators);
        one.contradict(other)
    }

    /// Returns true if each name has a distinguishing word that is no spelling of one of the other, beside words that both have:
    /// `Stadtwerke Ulm` and `Stadtwerke Bonn`.
    pub(crate) fn differ_in_words(&self, left: u32, right: u32) -> bool {
        let [one, other] = [left, right].map(|name| &self.0[name as usize]);
        one.has_distinguishing_word(other)
            && other.has_distinguishing_word(one)
            && one.legal.differs_in_words(&other.legal)
    }
}

impl ThingName {
    fn new(text: &str, by_words: bool) -> Self {
        if text.len() > LONGEST_NAME {
            return Self::default();
        }
        let legal = LegalName::new(text);
        let mut words: Vec<(u64, u32)> =
            NormalizedName::new(&legal.core).tokens().map(|word| (stable_hash(word), 0)).collect();
        words.sort_unstable();
        words.dedup();
        let has_designators = words.len() <= MOST_WORDS_WITH_DESIGNATORS;
        if !by_words || words.len() > MOST_WORDS {
            words.clear();
        }
        let designators = if has_designators { Designators::of(text) } else { Designators::default() };
        Self { designators, legal, words: words.into() }
    }

    /// Returns true if the name has a word that the other lacks and that is not generic beside the rarest one of both.
    fn has_distinguishing_word(&self, other: &Self) -> bool {
        let is_shared = |(word, _): &&(u64, u32)| other.words.binary_search_by_key(word, |known| known.0).is_ok();
        let (shared, own): (Vec<_>, Vec<_>) = self.words.iter().partition(is_shared);
        let rarest = |words: Vec<&(u64, u32)>| words.into_iter().map(|(_, count)| *count).min();
        rarest(shared).zip(rarest(own)).is_some_and(|(shared, own)| own <= GENERIC_FACTOR * shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the first two names differ in a designator, and in a word, among further names.
    fn differ(left: &str, right: &str, further: &[&str]) -> (bool, bool) {
        let names = ThingNames::of(&[&[left, right], further].concat(), true);
        let found = (names.differ_in_designators(0, 1), names.differ_in_words(0, 1));
        assert_eq!(found, (names.differ_in_designators(1, 0), names.differ_in_words(1, 0)), "{left} / {right}");
        found
    }

    #[test]
    fn names_differ_in_designators() {
        for (left, right) in [
            ("type 1 diabetes", "type 2 diabetes"),
            ("Canon EOS 600D", "Canon EOS 60D"),
            ("iPhone 12", "iPhone 13 black"),
            ("Part I", "Part II"),
        ] {
            assert!(differ(left, right, &[]).0, "{left} / {right}");
        }
        let long = "vitamin ".repeat(40);
        for (left, right) in [
            ("Canon EOS 600 D", "Canon EOS600D"),
            ("Galxy S21", "Galaxy S21"),
            ("iPhone", "iPhone 13"),
            (&format!("{long} B1"), &format!("{long} B12")),
        ] {
            assert!(!differ(left, right, &[]).0, "{left} / {right}");
        }
    }

    #[test]
    fn names_differ_in_distinguishing_words() {
        let many: Vec<String> = ["Ada", "Eos", "Ino", "Uma", "Oda", "Lua", "Mia", "Neo", "Pia"]
            .iter()
            .flat_map(|name| [format!("Cafe {name}"), format!("{name} Restaurant")])
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (left, right) in
            [("Stadtwerke Ulm", "Stadtwerke Bonn"), ("Hotel Adler", "Hotel Krone"), ("Ada Ulm AG", "Ada Bonn")]
        {
            assert!(differ(left, right, &many).1, "{left} / {right}");
        }
        for (left, right) in [
            ("Müller GmbH", "Mueller GmbH"),
            ("Siemens", "Siemens AG"),
            ("Stadtwerke Ulm", "Stadtwerke Ulm Nord"),
            ("Sparkasse Trier", "Sparkase Trier"),
            ("Cafe Bizou", "Bizou Restaurant"),
        ] {
            assert!(!differ(left, right, &many).1, "{left} / {right}");
        }
    }
}
