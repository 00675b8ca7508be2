//! The words of two vocabularies by number.

use std::collections::HashMap;

use truename_text::{NormalizedName, content_words};

/// Letters that two words of one stem share at least, and letters of the shorter one that they need not share: `thymus` and `thymic`.
const SHARED_LETTERS: usize = 4;
const FREE_LETTERS: usize = 3;

/// Words by number, with the weight of each by its rarity.
#[derive(Default)]
pub(crate) struct WordTable {
    numbers: HashMap<String, u32>,
    words: Vec<String>,
    /// Number of names with each word.
    counts: Vec<u32>,
    names: u32,
}

impl WordTable {
    /// Returns the numbers of the content words of a name, ascending, and counts them.
    pub(crate) fn add(&mut self, name: &NormalizedName) -> Vec<u32> {
        let mut found: Vec<u32> = content_words(name).into_iter().map(|word| self.number(word)).collect();
        found.sort_unstable();
        found.dedup();
        found.iter().for_each(|word| self.counts[*word as usize] += 1);
        self.names += 1;
        found
    }

    fn number(&mut self, word: String) -> u32 {
        if let Some(known) = self.numbers.get(&word) {
            return *known;
        }
        let number = self.words.len() as u32;
        self.words.push(word.clone());
        self.counts.push(0);
        self.numbers.insert(word, number);
        number
    }

    /// Returns the weight of a word relative to one that a single name has, from 0 to 1.
    pub(crate) fn weight(&self, word: u32) -> f32 {
        let idf = |count: u32| ((1.0 + self.names as f32) / (1.0 + count as f32)).ln() + 1.0;
        idf(self.counts[word as usize]) / idf(1)
    }

    /// Returns true if two words are the same or of one stem, such as a noun and its adjective.
    pub(crate) fn are_related(&self, one: u32, other: u32) -> bool {
        if one == other {
            return true;
        }
        let (one, other) = (&self.words[one as usize], &self.words[other as usize]);
        let shared = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
        shared >= SHARED_LETTERS && shared + FREE_LETTERS >= one.len().min(other.len())
    }

    /// Returns true if a word is a number, in Arabic or Roman digits.
    pub(crate) fn is_number(&self, word: u32) -> bool {
        let word = &self.words[word as usize];
        let all = |digits: &str| word.chars().all(|letter| digits.contains(letter));
        all("0123456789") || all("ivx")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_compared() {
        let mut table = WordTable::default();
        let mut add = |name: &str| table.add(&NormalizedName::new(name));
        let (thymus, thymic) = (add("capsule of the thymus"), add("Thymic capsules"));
        let [third, nerve] = add("nerve III")[..] else { panic!("two words") };
        let [capsule, thymus] = thymus[..] else { panic!("two words") };
        assert_eq!(thymic[0], capsule);
        assert!(table.are_related(thymus, thymic[1]) && !table.are_related(thymus, capsule));
        assert!(table.weight(capsule) < table.weight(thymus) && table.weight(thymus) == 1.0);
        assert_eq!([third, nerve].map(|word| table.is_number(word)), [true, false]);
    }
}
