//! Weights of n-grams, from the number of names that have each.

use truename_text::Gram;

use crate::frequencies::ROW;

/// Returns the squared inverse document frequency, smoothed as in scikit-learn's `TfidfTransformer`.
pub(super) fn weight(names: u32, with_gram: u32) -> f32 {
    let idf = ((1.0 + f64::from(names)) / (1.0 + f64::from(with_gram))).ln() + 1.0;
    (idf * idf) as f32
}

/// Returns the number of names with an n-gram.
pub(super) fn count_of(directory: &[u8], gram: Gram) -> u32 {
    let row = |at: usize| &directory[at * ROW..(at + 1) * ROW];
    let gram_at = |at: usize| u64::from_le_bytes(row(at)[..8].try_into().expect("eight bytes"));
    let (mut low, mut high) = (0, directory.len() / ROW);
    while low < high {
        let middle = (low + high) / 2;
        if gram_at(middle) < gram.0 { low = middle + 1 } else { high = middle }
    }
    let found = low < directory.len() / ROW && gram_at(low) == gram.0;
    if found { u32::from_le_bytes(row(low)[8..].try_into().expect("four bytes")) } else { 0 }
}
