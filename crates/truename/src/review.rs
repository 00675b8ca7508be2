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

/// Returns the indices of answers in an order for their review: a weighted random sample without replacement (Efraimidis and Spirakis,
/// 2006), in which an answer has the weight `share + (1 - share) · √doubt`. Doubtful answers come sooner.
///
/// With the most doubtful strictly first, `calibrate` would learn from the hardest names alone, which makes it worse for all others.
pub fn review_order(doubts: &[f64], share: f64, seed: u64) -> Vec<usize> {
    let mut random = SplitMix64::new(seed);
    let mut key = |doubt: &f64| {
        let drawn = ((random.draw() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let weight = share + (1.0 - share) * doubt.max(0.0).sqrt();
        drawn.ln() / weight.max(f64::MIN_POSITIVE)
    };
    let keys: Vec<f64> = doubts.iter().map(&mut key).collect();
    let mut order: Vec<usize> = (0..doubts.len()).collect();
    order.sort_by(|left, right| keys[*right].total_cmp(&keys[*left]).then(left.cmp(right)));
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
    fn doubtful_answers_come_sooner_and_each_once() {
        let doubts: Vec<f64> = (0..2000).map(|at| if at % 2 == 0 { 0.81 } else { 0.01 }).collect();
        let order = review_order(&doubts, 0.1, 7);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..2000).collect::<Vec<_>>());
        assert_eq!(order, review_order(&doubts, 0.1, 7));
        // Weights of .91 and .19: five in six of the first are doubtful.
        let doubtful = |order: &[usize]| order[..200].iter().filter(|at| doubts[**at] > 0.5).count();
        assert!((150..=182).contains(&doubtful(&order)), "{}", doubtful(&order));
        let alike = doubtful(&review_order(&doubts, 1.0, 7));
        assert!((78..=122).contains(&alike), "{alike}");
    }
}
