//! Frequencies of values in whole tables, by which the pairs of a part of them are scored.

use rayon::prelude::*;
use truename_error::ErrorKind;
use truename_text::{SplitMix64, stable_hash};

use crate::Error;

/// Beginning of the bytes of frequencies.
const MAGIC: &[u8; 8] = b"tn freq1";
/// Bytes of a count with its term.
const ENTRY: usize = 12;
/// Bit of the terms of values.
const VALUE: u64 = 1;

/// Frequencies of the values, words and n-grams of whole tables. With them [`FellegiSunterModel::scorer_of_part`] gives the pairs of a part the
/// probabilities that they have in the whole. They are sums of the counts of [`FellegiSunterModel::value_terms`].
///
/// [`FellegiSunterModel::scorer_of_part`]: super::FellegiSunterModel::scorer_of_part
/// [`FellegiSunterModel::value_terms`]: super::FellegiSunterModel::value_terms
#[derive(Clone, Debug, PartialEq)]
pub struct ValueFrequencies {
    /// Number of distinct records.
    pub(super) records: f64,
    /// Number of their pairs that may be compared.
    pub(super) pairs: f64,
    /// Terms, ascending.
    terms: Vec<u64>,
    counts: Vec<u32>,
}

/// A kind of term of a column, with what its count is the number of.
#[derive(Clone, Copy)]
pub(super) enum Term<'a> {
    /// Records with a value of this key.
    Value(&'a str),
    /// Records with a value.
    Filled,
    /// Distinct texts.
    Texts,
    /// Distinct texts with a word.
    Word(u64),
    /// Distinct texts with an n-gram.
    Gram(u64),
}

impl Term<'_> {
    /// Returns the number of the term of a column.
    pub(super) fn of(self, column: &str) -> u64 {
        let (kind, key) = match self {
            Self::Value(key) => (0, stable_hash(key)),
            Self::Filled => (1, 0),
            Self::Texts => (2, 0),
            Self::Word(word) => (3, word),
            Self::Gram(gram) => (4, gram),
        };
        let term = SplitMix64::at(SplitMix64::at(stable_hash(column), kind), key);
        if kind == 0 { term | VALUE } else { term & !VALUE }
    }
}

/// Returns the term of the full name of a given and a family name, by the terms of these.
pub(super) fn full_name(given: u64, family: u64) -> u64 {
    SplitMix64::at(given, family) | VALUE
}

impl ValueFrequencies {
    /// Collects the counts of the terms of one table of so many distinct records. A term may have several counts, which are added.
    pub fn new(records: u64, counts: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let records = records as f64;
        Self::of_sizes((records, records * (records - 1.0).max(0.0) / 2.0), counts.into_iter().collect())
    }

    pub(super) fn of_sizes((records, pairs): (f64, f64), mut counts: Vec<(u64, u64)>) -> Self {
        add_up(&mut counts);
        counts.retain(|(term, count)| Self::tells(*term, *count));
        let saturated = |(term, count): (u64, u64)| (term, u32::try_from(count).unwrap_or(u32::MAX));
        let (terms, counts) = counts.into_iter().map(saturated).unzip();
        Self { records, pairs, terms, counts }
    }

    /// Returns false for a term that occurs so seldom that its count need not be kept.
    pub fn tells(term: u64, count: u64) -> bool {
        count > 1 + (term & VALUE)
    }

    /// Returns the count of a term; 1 where it is not kept.
    pub(super) fn count(&self, term: u64) -> u32 {
        self.terms.binary_search(&term).map_or(1, |at| self.counts[at])
    }

    /// Returns the frequencies as bytes, which [`Self::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.records.to_le_bytes());
        bytes.extend(self.pairs.to_le_bytes());
        for (term, count) in self.terms.iter().zip(&self.counts) {
            bytes.extend(term.to_le_bytes());
            bytes.extend(count.to_le_bytes());
        }
        bytes
    }

    /// Reads the bytes of frequencies.
    ///
    /// # Errors
    /// If the bytes are others.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let refused = || Error::new(ErrorKind::Syntax, "the bytes are no frequencies of values");
        let (sizes, entries) = bytes
            .strip_prefix(MAGIC)
            .and_then(|rest| rest.split_first_chunk::<16>())
            .filter(|(_, entries)| entries.len() % ENTRY == 0)
            .ok_or_else(refused)?;
        let number = |bytes: &[u8]| u64::from_le_bytes(std::array::from_fn(|at| bytes[at]));
        let count = |bytes: &[u8]| u32::from_le_bytes(std::array::from_fn(|at| bytes[at]));
        let (terms, counts): (Vec<u64>, Vec<u32>) =
            entries.chunks_exact(ENTRY).map(|entry| (number(entry), count(&entry[8..]))).unzip();
        let [records, pairs] = [0, 8].map(|at| f64::from_bits(number(&sizes[at..])));
        let are_sizes = [records, pairs].iter().all(|size| size.is_finite() && *size >= 0.0);
        if !are_sizes || !terms.is_sorted() {
            return Err(refused());
        }
        Ok(Self { records, pairs, terms, counts })
    }
}

/// Adds up the counts of equal terms.
pub(super) fn add_up(terms: &mut Vec<(u64, u64)>) {
    terms.par_sort_unstable();
    terms.dedup_by(|(term, count), (known, sum)| {
        let is_same = term == known;
        *sum += if is_same { *count } else { 0 };
        is_same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_added_and_rare_ones_are_left_out() {
        let [value, word] = [Term::Value("ulm").of("city"), Term::Word(7).of("city")];
        let found = ValueFrequencies::new(5, [(value, 2), (word, 1), (value, 1), (word, 1), (9, 1), (11, 2)]);
        assert_eq!((found.count(value), found.count(word), found.count(9), found.count(11)), (3, 2, 1, 1));
        assert_eq!((found.records, found.pairs), (5.0, 10.0));
        let bytes = found.to_bytes();
        assert_eq!(ValueFrequencies::from_bytes(&bytes).unwrap(), found);
        for bad in [&bytes[..bytes.len() - 1], &bytes[1..], b""] {
            assert!(ValueFrequencies::from_bytes(bad).is_err());
        }
    }

    #[test]
    fn terms_of_columns_and_kinds_differ() {
        let terms = [
            Term::Value("a").of("x"),
            Term::Value("a").of("y"),
            Term::Filled.of("x"),
            Term::Texts.of("x"),
            Term::Word(1).of("x"),
            Term::Gram(1).of("x"),
            full_name(Term::Value("a").of("x"), Term::Value("a").of("y")),
        ];
        assert!((1..terms.len()).all(|at| !terms[..at].contains(&terms[at])));
    }
}
