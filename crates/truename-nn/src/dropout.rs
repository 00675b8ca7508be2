//! Dropout whose mask is a function of a seed and a place, so that a step can be made again to the bit.

use truename_text::SplitMix64;

/// Random bits of one number; the probability is exact to their number of values.
const BITS: u32 = 16;
const PER_WORD: u64 = 64 / BITS as u64;

/// Dropout (Srivastava et al. 2014) of one step and place in the network: a number is 0 with the probability, else it is
/// divided by what is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dropout {
    seed: u64,
    /// Below this, of `2^BITS`, a number is dropped.
    threshold: u64,
    scale: f32,
}

impl Dropout {
    /// # Panics
    /// Where the probability is not in `[0, 1)`.
    pub fn new(probability: f64, seed: u64) -> Self {
        assert!((0.0..1.0).contains(&probability), "a dropout of {probability}");
        let values = f64::from(1u32 << BITS);
        let threshold = (probability * values).round();
        Self { seed, threshold: threshold as u64, scale: (values / (values - threshold)) as f32 }
    }

    /// Nothing is dropped.
    pub fn none() -> Self {
        Self::new(0.0, 0)
    }

    /// The same for another place in the network.
    #[must_use]
    pub fn at(self, place: u64) -> Self {
        Self { seed: SplitMix64::at(self.seed ^ SplitMix64::at(place + 1, 0), 0), ..self }
    }

    pub fn is_none(self) -> bool {
        self.threshold == 0
    }

    /// Multiplies numbers by the mask, the first of them number `first` of all.
    pub fn apply(self, values: &mut [f32], first: usize) {
        if self.is_none() {
            return;
        }
        let bits_of = |word| SplitMix64::at(self.seed ^ word, 0);
        let mut word = bits_of(first as u64 / PER_WORD);
        for (at, value) in (first as u64..).zip(values) {
            if at.is_multiple_of(PER_WORD) {
                word = bits_of(at / PER_WORD);
            }
            let bits = (word >> ((at % PER_WORD) * u64::from(BITS))) & ((1 << BITS) - 1);
            *value *= if bits < self.threshold { 0.0 } else { self.scale };
        }
    }

    /// The mask of the first `len` numbers.
    pub fn mask(self, len: usize) -> Vec<f32> {
        let mut mask = vec![1.0; len];
        self.apply(&mut mask, 0);
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_drops_its_share_and_keeps_the_mean() {
        let mask = Dropout::new(0.1, 7).at(3).mask(100_000);
        let dropped = mask.iter().filter(|value| **value == 0.0).count();
        assert!((9_600..10_400).contains(&dropped), "{dropped}");
        let mean = mask.iter().sum::<f32>() / mask.len() as f32;
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
        assert!(Dropout::none().mask(10).iter().all(|value| *value == 1.0));
    }

    #[test]
    fn a_part_of_the_mask_is_that_part() {
        let dropout = Dropout::new(0.5, 1);
        let mask = dropout.mask(50);
        let mut part = vec![1.0; 20];
        dropout.apply(&mut part, 17);
        assert_eq!(part, mask[17..37]);
        assert_ne!(dropout.at(1).mask(50), mask);
    }
}
