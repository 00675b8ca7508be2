//! Terms of all records, weighted by rarity.

use std::collections::HashMap;

use rayon::prelude::*;
use truename_text::{NormalizedName, grams};

/// Smallest code of a trigram; shorter n-grams, which short texts alone have, lie below.
const FIRST_TRIGRAM: u64 = 1 << 42;

/// Returns the trigrams of a text.
pub(crate) fn trigrams(text: &NormalizedName) -> Vec<u64> {
    grams(text).into_iter().map(|gram| gram.0).filter(|gram| *gram >= FIRST_TRIGRAM).collect()
}

/// Records counted by one task.
const PIECE: usize = 4096;

/// The terms of all records, numbered in the order of their hashes, with their weights.
pub(crate) struct Vocabulary {
    numbers: HashMap<u64, u32>,
    /// Number of records with each term, by number.
    counts: Vec<u32>,
    /// Squared inverse document frequencies by number, smoothed as in scikit-learn's `TfidfTransformer`.
    weights: Vec<f32>,
}

impl Vocabulary {
    /// Counts the records that have each term; `terms` gives the distinct ones of a record.
    pub(crate) fn of<T: Sync>(records: &[T], terms: impl Fn(&T) -> Vec<u64> + Sync) -> Self {
        let count = |piece: &[T]| {
            let mut counts: HashMap<u64, u32> = HashMap::new();
            piece.iter().flat_map(&terms).for_each(|term| *counts.entry(term).or_default() += 1);
            counts
        };
        let add = |mut counts: HashMap<u64, u32>, further: HashMap<u64, u32>| {
            further.into_iter().for_each(|(term, count)| *counts.entry(term).or_default() += count);
            counts
        };
        let counts = records.par_chunks(PIECE).map(count).reduce(HashMap::new, add);
        let mut counts: Vec<(u64, u32)> = counts.into_iter().collect();
        counts.sort_unstable();
        let weights = counts.iter().map(|(_, count)| weight(records.len(), *count)).collect();
        let numbers = (0..).zip(&counts).map(|(number, (term, _))| (*term, number)).collect();
        Self { numbers, counts: counts.into_iter().map(|(_, count)| count).collect(), weights }
    }

    /// Returns the terms with the number of records that have each.
    pub(crate) fn counts(&self) -> Vec<(u64, u32)> {
        self.numbers.iter().map(|(term, number)| (*term, self.counts[*number as usize])).collect()
    }

    /// Weighs the terms by their counts among so many records.
    pub(crate) fn take_counts(&mut self, records: usize, count: impl Fn(u64) -> u32) {
        for (term, number) in &self.numbers {
            self.counts[*number as usize] = count(*term);
        }
        self.weights = self.counts.iter().map(|count| weight(records, *count)).collect();
    }

    /// Returns the numbers of terms, each once, ascending.
    pub(crate) fn numbers(&self, terms: impl IntoIterator<Item = u64>) -> Box<[u32]> {
        let mut numbers: Vec<u32> = terms.into_iter().filter_map(|term| self.numbers.get(&term).copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into()
    }

    pub(super) fn weight(&self, number: u32) -> f64 {
        f64::from(self.weights[number as usize])
    }

    /// Returns the sum of the weights of terms.
    pub(super) fn total(&self, numbers: &[u32]) -> f64 {
        numbers.iter().map(|number| self.weight(*number)).sum()
    }

    /// Returns the weights of the terms that two records share, and of the terms that one of them alone has.
    pub(crate) fn shared(&self, left: &[u32], right: &[u32]) -> SharedWeights {
        let mut shared = SharedWeights::default();
        walk(left, right, |number, side| shared.add(self.weight(number), side));
        shared
    }
}

/// Returns the weight of a term that `count` of `records` have.
pub(super) fn weight(records: usize, count: u32) -> f32 {
    let idf = ((1.0 + records as f64) / (1.0 + f64::from(count))).ln() + 1.0;
    (idf * idf) as f32
}

/// Records that have a term.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Both,
}

/// Visits the terms of two ascending lists in order.
pub(super) fn walk(left: &[u32], right: &[u32], mut visit: impl FnMut(u32, Side)) {
    let (mut left, mut right) = (left, right);
    loop {
        match (left, right) {
            ([], []) => break,
            ([first, rest @ ..], [second, ..]) if first < second => {
                visit(*first, Side::Left);
                left = rest;
            }
            ([first, ..], [second, rest @ ..]) if second < first => {
                visit(*second, Side::Right);
                right = rest;
            }
            ([first, left_rest @ ..], [_, right_rest @ ..]) => {
                visit(*first, Side::Both);
                (left, right) = (left_rest, right_rest);
            }
            ([first, rest @ ..], []) => {
                visit(*first, Side::Left);
                left = rest;
            }
            ([], [second, rest @ ..]) => {
                visit(*second, Side::Right);
                right = rest;
            }
        }
    }
}

/// Weights of the terms of two records.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SharedWeights {
    pub both: f64,
    pub left: f64,
    pub right: f64,
    /// Weight of the heaviest term of each kind.
    pub heaviest_both: f64,
    pub heaviest_left: f64,
    pub heaviest_right: f64,
}

impl SharedWeights {
    pub(super) fn add(&mut self, weight: f64, side: Side) {
        let (sum, heaviest) = match side {
            Side::Both => (&mut self.both, &mut self.heaviest_both),
            Side::Left => (&mut self.left, &mut self.heaviest_left),
            Side::Right => (&mut self.right, &mut self.heaviest_right),
        };
        *sum += weight;
        *heaviest = heaviest.max(weight);
    }

    /// TF-IDF cosine; a term counts once a record.
    pub(crate) fn cosine(&self) -> f64 {
        ratio(self.both, ((self.both + self.left) * (self.both + self.right)).sqrt())
    }

    /// Share of the lighter record that the other has.
    pub(super) fn containment(&self) -> f64 {
        ratio(self.both, self.both + self.left.min(self.right))
    }

    /// Share of the terms of either record that both have.
    pub(super) fn jaccard(&self) -> f64 {
        ratio(self.both, self.total())
    }

    /// Twice the terms that either record has and the other lacks, of which each has some, as a share of all.
    pub(super) fn conflict(&self) -> f64 {
        ratio(2.0 * self.left.min(self.right), self.total())
    }

    pub(super) fn total(&self) -> f64 {
        self.both + self.left + self.right
    }
}

/// Returns a quotient, 0 where nothing is divided.
pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_terms_are_weighed() {
        // scikit-learn 1.5: TfidfVectorizer(binary=True, analyzer=str.split).fit(["a b", "a c", "a"]).idf_
        // → a 1.0, b 1.6931472, c 1.6931472; cosine of the first two rows 0.2586
        let records = [vec![1, 2], vec![1, 3], vec![1]];
        let vocabulary = Vocabulary::of(&records, Clone::clone);
        let of = |record: &Vec<u64>| vocabulary.numbers(record.iter().copied());
        let shared = vocabulary.shared(&of(&records[0]), &of(&records[1]));
        assert!((shared.cosine() - 1.0 / (1.0 + 1.693_147_2_f64.powi(2))).abs() < 1e-6);
        assert!((shared.left - 1.693_147_2_f64.powi(2)).abs() < 1e-6 && shared.heaviest_both == 1.0);
        assert!(shared.conflict() > 0.8 && shared.containment() < 0.3);
        assert_eq!(vocabulary.numbers([2, 1, 2, 9]).as_ref(), [0, 1]);
    }

    #[test]
    fn what_is_empty_has_nothing_in_common() {
        let none = SharedWeights::default();
        assert_eq!([none.cosine(), none.containment(), none.jaccard(), none.conflict()], [0.0; 4]);
    }

    #[test]
    fn lists_are_walked_in_order() {
        let mut seen = Vec::new();
        walk(&[1, 3, 5], &[2, 3, 6, 7], |number, side| seen.push((number, side == Side::Both)));
        assert_eq!(seen, [(1, false), (2, false), (3, true), (5, false), (6, false), (7, false)]);
    }
}
