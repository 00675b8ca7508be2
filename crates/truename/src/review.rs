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

/// An answer in the order of a review.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Index of the answer.
    pub index: usize,
    /// Chance with which the answer is drawn first, beside 1 for the one in most doubt.
    pub chance: f64,
}

/// Share of the draws of pairs that is even, whatever their doubt; by their judgements the others are decided no worse.
pub const EVEN_SHARE: f64 = 0.2;

/// Returns the doubt of a probability that is compared with a threshold: 1 at the threshold, 0 at the farther end.
pub fn doubt_at(probability: f64, threshold: f64) -> f64 {
    1.0 - (probability - threshold).abs() / threshold.max(1.0 - threshold)
}

/// Returns answers in an order for their review: a weighted random sample without replacement (Efraimidis and Spirakis, 2006). A `share` of
/// the first draws is even, the others go by the doubts, so that doubtful answers come sooner and each has a chance, by which its judgement
/// is weighed ([`truename_text::sampling_weights`]; a defensive mixture, Hesterberg, 1995).
///
/// With the most doubtful strictly first, `calibrate` would learn from the hardest names alone, which makes it worse for all others.
pub fn review_order(doubts: &[f64], share: f64, seed: u64) -> Vec<Drawn> {
    let mean = doubts.iter().map(|doubt| doubt.max(0.0)).sum::<f64>() / doubts.len().max(1) as f64;
    let weight = |doubt: &f64| match mean > 0.0 {
        true => share + (1.0 - share) * doubt.max(0.0) / mean,
        false => 1.0,
    };
    let weights: Vec<f64> = doubts.iter().map(weight).map(|weight| weight.max(f64::MIN_POSITIVE)).collect();
    let largest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut random = SplitMix64::new(seed);
    let mut drawn: Vec<(f64, Drawn)> = weights
        .into_iter()
        .enumerate()
        .map(|(index, weight)| {
            let draw = ((random.draw() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            (draw.ln() / weight, Drawn { index, chance: weight / largest })
        })
        .collect();
    drawn.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.index.cmp(&right.1.index)));
    drawn.into_iter().map(|(_, drawn)| drawn).collect()
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
        let doubts: Vec<f64> = (0..2000).map(|at| if at % 2 == 0 { 0.9 } else { 0.1 }).collect();
        let order = review_order(&doubts, 0.2, 7);
        let mut sorted: Vec<usize> = order.iter().map(|drawn| drawn.index).collect();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..2000).collect::<Vec<_>>());
        assert_eq!(order, review_order(&doubts, 0.2, 7));
        // Weights of .2 + .8 × 1.8 and .2 + .8 × .2.
        let doubtful = |order: &[Drawn]| order[..200].iter().filter(|drawn| doubts[drawn.index] > 0.5).count();
        assert!((148..=180).contains(&doubtful(&order)), "{}", doubtful(&order));
        let alike = doubtful(&review_order(&doubts, 1.0, 7));
        assert!((78..=122).contains(&alike), "{alike}");
        for Drawn { index, chance } in order {
            let expected = if doubts[index] > 0.5 { 1.0 } else { 0.36 / 1.64 };
            assert!((chance - expected).abs() < 1e-9, "{chance}");
        }
    }

    #[test]
    fn weighed_by_their_chance_the_first_stand_for_all() {
        // Of doubtful answers 40 % are right, of the others 90 %.
        let doubts: Vec<f64> = (0..10_000).map(|at| if at % 4 == 0 { 1.0 } else { 0.05 }).collect();
        let is_right = |at: usize| if at.is_multiple_of(4) { (at / 4) % 5 < 2 } else { at % 10 != 1 };
        let all = (0..doubts.len()).filter(|at| is_right(*at)).count() as f64 / doubts.len() as f64;
        let (mut weighed, mut plain) = (0.0, 0.0);
        for seed in 0..50 {
            let first = &review_order(&doubts, 0.1, seed)[..200];
            let weights = truename_text::sampling_weights(&first.iter().map(|drawn| drawn.chance).collect::<Vec<_>>());
            let right = |weight: &dyn Fn(usize) -> f64| -> f64 {
                (0..first.len()).filter(|at| is_right(first[*at].index)).map(weight).sum::<f64>() / first.len() as f64
            };
            (weighed, plain) = (weighed + right(&|at| weights[at]) / 50.0, plain + right(&|_| 1.0) / 50.0);
        }
        assert!((weighed - all).abs() < 0.02 && (plain - all).abs() > 0.2, "{weighed} {plain} {all}");
    }

    #[test]
    fn without_doubt_all_are_drawn_alike() {
        assert!(review_order(&[], 0.1, 1).is_empty());
        assert!(review_order(&[0.0; 9], 0.0, 1).iter().all(|drawn| drawn.chance == 1.0));
    }
}
