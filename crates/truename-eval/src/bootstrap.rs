//! The paired bootstrap, a test for a difference between two systems.

use std::fmt;

use serde::Serialize;
use truename_text::SplitMix64;

use crate::JudgedName;
use truename_error::counted;

/// Number of samples drawn.
const SAMPLES: usize = 10_000;

/// Two systems on the same names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// Names.
    pub mentions: usize,
    /// Accuracy at 1.
    pub accuracy: Difference,
    /// Mean reciprocal rank.
    pub mrr: Difference,
}

/// A score of two systems and its difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The first system's score.
    pub left: f64,
    /// The second system's score.
    pub right: f64,
    /// 95 % interval of `right - left`.
    pub interval: (f64, f64),
    /// Two-sided p-value: twice the share of samples in which the difference has the other sign.
    pub p: f64,
}

/// Compares two systems by a paired bootstrap over names (Efron and Tibshirani 1993, chapter 13; Koehn 2004):
/// 10,000 samples of the names with replacement, the same for both, from a fixed seed.
///
/// # Panics
/// If the two slices differ in length.
pub fn compare(left: &[JudgedName], right: &[JudgedName]) -> Comparison {
    assert_eq!(left.len(), right.len(), "both systems answered the same names");
    let first = |judged: &[JudgedName]| judged.iter().map(|one| f64::from(u8::from(one.is_right_at(1)))).collect();
    let reciprocal = |judged: &[JudgedName]| {
        let of = |one: &JudgedName| one.rank().map_or(0.0, |rank| 1.0 / (1 + rank) as f64);
        judged.iter().map(|one| if one.gold.is_empty() { f64::from(u8::from(one.nil)) } else { of(one) }).collect()
    };
    Comparison {
        mentions: left.len(),
        accuracy: difference(first(left), first(right)),
        mrr: difference(reciprocal(left), reciprocal(right)),
    }
}

fn difference(left: Vec<f64>, right: Vec<f64>) -> Difference {
    let count = left.len().max(1);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count as f64;
    let gaps: Vec<f64> = left.iter().zip(&right).map(|(left, right)| right - left).collect();
    let mut random = SplitMix64::new(0x7275_656e_616d_6521);
    let mut samples: Vec<f64> = (0..SAMPLES)
        .map(|_| (0..gaps.len()).map(|_| gaps[random.below(gaps.len() as u64) as usize]).sum::<f64>() / count as f64)
        .collect();
    samples.sort_by(f64::total_cmp);
    let at = |share: f64| samples[(SAMPLES as f64 * share) as usize];
    let (below, above) = (samples.iter().filter(|s| **s <= 0.0).count(), samples.iter().filter(|s| **s >= 0.0).count());
    Difference {
        left: mean(&left),
        right: mean(&right),
        interval: (at(0.025), at(0.975)),
        p: (2.0 * below.min(above) as f64 / SAMPLES as f64).min(1.0),
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, paired bootstrap of {SAMPLES} samples", counted(self.mentions as u64, "mention"))?;
        writeln!(f, "           A        B    B - A   95 % interval        p")?;
        for (name, d, scale) in [("acc@1", &self.accuracy, 100.0), ("MRR", &self.mrr, 1.0)] {
            let [left, right, low, high] = [d.left, d.right, d.interval.0, d.interval.1].map(|value| scale * value);
            let gap = right - left;
            let row = if scale > 1.0 {
                format!("{name:<6} {left:7.2}  {right:7.2}  {gap:+7.2}   {low:+.2} to {high:+.2}")
            } else {
                format!("{name:<6} {left:7.4}  {right:7.4}  {gap:+7.4}   {low:+.4} to {high:+.4}")
            };
            write!(f, "{row:<55} {:.4}", d.p)?;
            if name == "acc@1" {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;

    fn system(right: impl Fn(usize) -> bool) -> Vec<JudgedName> {
        let answer = |at| vec![Answer { id: if right(at) { "A".into() } else { "B".into() }, probability: 1.0 }];
        (0..200).map(|at| JudgedName::new("name", &["A"], answer(at), false)).collect()
    }

    #[test]
    fn a_clear_gain_is_told_from_none() {
        let gain = compare(&system(|at| at % 2 == 0), &system(|at| at % 4 != 1));
        assert_eq!((gain.accuracy.left, gain.accuracy.right), (0.5, 0.75));
        assert!(gain.accuracy.interval.0 > 0.15 && gain.accuracy.interval.1 < 0.35 && gain.accuracy.p < 0.001);
        let none = compare(&system(|at| at % 2 == 0), &system(|at| at % 2 == 1));
        assert!(none.accuracy.p > 0.5, "{none}");
        let same = compare(&system(|_| true), &system(|_| true));
        assert_eq!((same.accuracy.p, same.accuracy.interval), (1.0, (0.0, 0.0)));
    }
}
