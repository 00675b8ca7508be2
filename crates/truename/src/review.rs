//! Order in which a person reviews answers.

use truename_text::SplitMix64;

use crate::Link;

/// Returns how doubtful an answer is, from 0 to 1: one minus the margin between the two likeliest of its candidates and "none of
/// them" (margin sampling; Scheffer, Decomain and Wrobel, 2001).
pub fn doubt(link: &Link) -> f64 {
    doubt_of(link.candidates.iter().map(|candidate| candidate.probability))
}

/// Returns the doubt of an answer by the probabilities of its candidates.
pub fn doubt_of(probabilities: impl IntoIterator<Item = f64>) -> f64 {
    let (mut first, mut second, mut none) = (0.0f64, 0.0f64, 1.0f64);
    let mut weigh = |probability: f64| {
        second = second.max(first.min(probability));
        first = first.max(probability);
    };
    for probability in probabilities {
        weigh(probability);
        none -= probability;
    }
    weigh(none.max(0.0));
    1.0 - (first - second)
}

/// Returns the indices of answers in the order of their review: the most doubtful first, ties by index, and one in `1 / share` drawn at
/// random from the others, so that answers that are wrong and certain are seen too.
pub fn review_order(doubts: &[f64], share: f64, seed: u64) -> Vec<usize> {
    let mut random = SplitMix64::new(seed);
    let mut by_doubt: Vec<usize> = (0..doubts.len()).collect();
    by_doubt.sort_by(|left, right| doubts[*right].total_cmp(&doubts[*left]).then(left.cmp(right)));
    let mut shuffled = by_doubt.clone();
    for at in (1..shuffled.len()).rev() {
        shuffled.swap(at, random.below(at as u64 + 1) as usize);
    }
    let mut is_taken = vec![false; doubts.len()];
    let (mut by_doubt, mut shuffled) = (by_doubt.into_iter(), shuffled.into_iter());
    let mut order = Vec::with_capacity(doubts.len());
    while order.len() < doubts.len() {
        let is_random = ((random.draw() >> 11) as f64) < share * (1u64 << 53) as f64;
        let mut free = |at: &usize| !std::mem::replace(&mut is_taken[*at], true);
        let next = if is_random { shuffled.find(&mut free) } else { by_doubt.find(&mut free) };
        order.extend(next);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_is_high_where_two_options_are_close() {
        assert!((doubt_of([0.5, 0.45]) - 0.95).abs() < 1e-9);
        assert!((doubt_of([0.98, 0.01]) - 0.03).abs() < 1e-9);
        // "None of them" is an option.
        assert!((doubt_of([0.5]) - 1.0).abs() < 1e-9);
        assert!(doubt_of([0.02]) < 0.05);
        assert_eq!(doubt_of([]), 0.0);
    }

    #[test]
    fn the_most_doubtful_come_first_and_each_once() {
        let doubts: Vec<f64> = (0..200).map(|at| f64::from(at % 10) / 10.0).collect();
        assert_eq!(review_order(&[0.1, 0.9, 0.9, 0.3], 0.0, 1), [1, 2, 3, 0]);
        let order = review_order(&doubts, 0.2, 7);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..200).collect::<Vec<_>>());
        let certain = order[..20].iter().filter(|at| doubts[**at] < 0.9).count();
        assert!((1..=10).contains(&certain), "{certain}");
        assert_eq!(order, review_order(&doubts, 0.2, 7));
    }
}
