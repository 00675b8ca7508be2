//! Differences of names: the words of one that the other lacks.
//!
//! Pairs whose names differ in the same words stand or fall together: if `spleen capsule` is the `splenic capsule`, `spleen hilum` is the
//! `splenic hilum`.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use rayon::prelude::*;

use crate::compared::Compared;
use crate::feature::Feature;
use crate::word_table::WordTable;

/// Most words of each name that the other lacks.
const MOST_WORDS: usize = 2;
/// Weight of "nothing is known" beside the other pairs with the same difference.
const SHRINKAGE: f32 = 1.0;
/// Stands for all numbers.
const NUMBER: u32 = u32::MAX;

/// The words that only one of two names has.
pub(crate) struct Difference {
    /// Words of the source's name, then of the target's.
    pub(crate) words: [Vec<u32>; 2],
    /// True if both names share a word.
    shares_words: bool,
}

impl Difference {
    /// Compares the words of two names, which ascend.
    pub(crate) fn of(source: &[u32], target: &[u32]) -> Self {
        let lacks = |words: &[u32], other: &[u32]| -> Vec<u32> {
            words.iter().filter(|word| other.binary_search(word).is_err()).copied().collect()
        };
        let words = [lacks(source, target), lacks(target, source)];
        Self { shares_words: words[0].len() < source.len(), words }
    }

    /// Returns the key of the difference, in which all numbers are the same; none if the names share no word, differ in none or in too many.
    pub(crate) fn key(&self, table: &WordTable) -> Option<u64> {
        let is_small = self.words.iter().all(|words| words.len() <= MOST_WORDS);
        let differs = self.words.iter().any(|words| !words.is_empty());
        let plain = |words: &Vec<u32>| -> Vec<u32> {
            words.iter().map(|word| if table.is_number(*word) { NUMBER } else { *word }).collect()
        };
        let mut hasher = DefaultHasher::new();
        self.words.each_ref().map(plain).hash(&mut hasher);
        (self.shares_words && is_small && differs).then(|| hasher.finish())
    }
}

/// Probabilities of the pairs with one difference.
#[derive(Clone, Copy, Default)]
struct Share {
    probabilities: f32,
    pairs: f32,
}

/// Writes how many of the other pairs with the same difference are likely, and how many are not.
pub(crate) fn add_differences(compared: &mut [Compared], probabilities: &[f32]) {
    let mut shares: HashMap<u64, Share> = HashMap::new();
    for (pair, probability) in compared.iter().zip(probabilities) {
        for difference in &pair.differences {
            let share = shares.entry(*difference).or_default();
            share.probabilities += probability;
            share.pairs += 1.0;
        }
    }
    compared.par_iter_mut().zip(probabilities).for_each(|(pair, probability)| {
        let of_others = |difference: &u64| {
            let share = shares[difference];
            let (likely, others) = (share.probabilities - probability, share.pairs - 1.0);
            [likely.max(0.0), (others - likely).max(0.0)].map(|count| count / (others + SHRINKAGE))
        };
        let most = pair.differences.iter().map(of_others).max_by(|one, other| one[0].total_cmp(&other[0]));
        let [agree, differ] = most.unwrap_or_default();
        pair.features.set([(Feature::DifferenceAgrees, agree), (Feature::DifferenceDiffers, differ)]);
    });
}
