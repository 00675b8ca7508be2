//! Weighted words and n-grams of names as sparse vectors.

use std::collections::HashMap;

use rayon::prelude::*;
use truename_text::{NormalizedName, grams, stable_hash};

/// Terms of a name with their weights, ascending by term.
pub(super) type Terms = Vec<(u32, f32)>;

/// Returns the distinct words of each name, weighted by 1 / ln(1 + names with the word): the weights of CESI's IDF token
/// overlap (Vashishth et al. 2018, section 5.1). Each vector has unit length times the root of `weight`.
pub(super) fn words(names: &[NormalizedName], weight: f32, terms: &mut u32) -> Vec<Terms> {
    let of = |name: &NormalizedName| name.tokens().map(stable_hash).collect::<Vec<u64>>();
    weighted(names.par_iter().map(of).collect(), |count, _| 1.0 / f64::from(count).ln_1p(), weight, terms)
}

/// Returns the character n-grams of each name, weighted by ln((1 + names) / (1 + names with it)) + 1, as the n-gram index
/// does. Each vector has unit length times the root of `weight`.
pub(super) fn ngrams(names: &[NormalizedName], weight: f32, terms: &mut u32) -> Vec<Terms> {
    let of = |name: &NormalizedName| grams(name).into_iter().map(|gram| gram.0).collect::<Vec<u64>>();
    let idf = |count: u32, names: usize| ((1.0 + names as f64) / (1.0 + f64::from(count))).ln() + 1.0;
    weighted(names.par_iter().map(of).collect(), idf, weight, terms)
}

/// Numbers the keys of each name from `terms` on and weighs them by the number of names that have each.
fn weighted(mut keys: Vec<Vec<u64>>, idf: impl Fn(u32, usize) -> f64, weight: f32, terms: &mut u32) -> Vec<Terms> {
    let mut known: HashMap<u64, (u32, u32)> = HashMap::new();
    for keys in &mut keys {
        keys.sort_unstable();
        keys.dedup();
        for key in keys.iter() {
            let (_, count) = known.entry(*key).or_insert_with(|| {
                *terms += 1;
                (*terms - 1, 0)
            });
            *count += 1;
        }
    }
    let names = keys.len();
    let of = |keys: Vec<u64>| {
        let mut row: Vec<(u32, f64)> =
            keys.iter().map(|key| known[key]).map(|(term, count)| (term, idf(count, names))).collect();
        row.sort_unstable_by_key(|(term, _)| *term);
        let length = row.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
        let scale = f64::from(weight).sqrt() / length;
        row.into_iter().map(|(term, value)| (term, (value * scale) as f32)).collect()
    };
    keys.into_iter().map(of).collect()
}

/// Returns the dot product of two sparse vectors.
pub(super) fn dot(left: &[(u32, f32)], right: &[(u32, f32)]) -> f32 {
    let (mut at, mut sum) = (0, 0.0);
    for (term, weight) in left {
        while right.get(at).is_some_and(|(other, _)| other < term) {
            at += 1;
        }
        match right.get(at) {
            Some((other, value)) if other == term => sum += weight * value,
            Some(_) => {}
            None => break,
        }
    }
    sum
}

/// Returns the sum of two sparse vectors.
pub(super) fn sum(left: &[(u32, f32)], right: &[(u32, f32)]) -> Terms {
    let mut sum: Terms = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some((one, value)), Some((other, more))) if one == other => {
                let both = (*one, value + more);
                left.next();
                right.next();
                both
            }
            (Some((one, _)), Some((other, _))) if one > other => *right.next().expect("peeked"),
            (Some(_), _) => *left.next().expect("peeked"),
            (None, Some(_)) => *right.next().expect("peeked"),
            (None, None) => return sum,
        };
        sum.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(names: &[&str]) -> Vec<NormalizedName> {
        names.iter().map(|name| NormalizedName::new(name)).collect()
    }

    /// Python: a, b, c = (1 / math.log(1 + n) for n in (2, 1, 1)); a * a / math.hypot(a, b) / math.hypot(a, c).
    #[test]
    fn words_weigh_less_the_more_names_have_them() {
        let rows = words(&normalized(&["state university", "state park", "river river"]), 1.0, &mut 0);
        assert!((dot(&rows[0], &rows[1]) - 0.284_729_4).abs() < 1e-6, "{}", dot(&rows[0], &rows[1]));
        assert_eq!((dot(&rows[0], &rows[2]), rows[2].len()), (0.0, 1));
        assert!((dot(&rows[0], &rows[0]) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn terms_of_words_and_ngrams_are_apart_and_shares_add_up() {
        let (names, mut terms) = (normalized(&["heart attack", ""]), 0);
        let (words, grams) = (words(&names, 0.25, &mut terms), ngrams(&names, 0.75, &mut terms));
        assert!(words[0].iter().all(|(word, _)| grams[0].iter().all(|(gram, _)| gram != word)));
        let both = sum(&words[0], &grams[0]);
        assert_eq!((both.len(), terms as usize), (words[0].len() + grams[0].len(), both.len()));
        assert!((dot(&both, &both) - 1.0).abs() < 1e-6);
        assert!(words[1].is_empty() && grams[1].is_empty());
    }

    #[test]
    fn sums_are_in_order_and_join_equal_terms() {
        assert_eq!(
            sum(&[(1, 1.0), (3, 1.0)], &[(0, 2.0), (3, 0.5), (9, 1.0)]),
            [(0, 2.0), (1, 1.0), (3, 1.5), (9, 1.0)]
        );
        assert_eq!(dot(&[(1, 2.0), (3, 1.0)], &[(0, 2.0), (3, 0.5), (9, 1.0)]), 0.5);
    }
}
