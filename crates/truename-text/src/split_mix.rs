//! SplitMix64: random numbers that a seed decides, on every machine and in every version.
//!
//! Weights, dropout, pictures, samples and intervals are compared between versions. Batches and augmentation, which a run of training
//! draws for itself, come from `fastrand`.

/// SplitMix64 (Steele, Lea and Flood 2014): random numbers that a seed decides, the same on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

/// Step of the state: 2^64 divided by the golden ratio.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

impl SplitMix64 {
    /// Creates a generator of the numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the number at a place among those of a seed; the first is at 0. Neighbouring places, and the same place of
    /// neighbouring seeds, have numbers without relation.
    pub fn at(seed: u64, place: u64) -> u64 {
        Self(seed.wrapping_add(place.wrapping_mul(GAMMA))).draw()
    }

    /// Returns the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// Returns the next number modulo `limit`. Smaller values are more likely by at most `limit` in 2^64.
    ///
    /// # Panics
    /// If the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.draw() % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the reference implementation (Vigna, splitmix64.c) for the seed 1234567; the same as those of
    /// `java.util.SplittableRandom`.
    const REFERENCE: [u64; 5] = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];

    #[test]
    fn the_numbers_are_those_of_the_reference() {
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(std::array::from_fn(|_| random.draw()), REFERENCE);
        assert_eq!([0, 1, 2, 3, 4].map(|place| SplitMix64::at(1_234_567, place)), REFERENCE);
        assert_eq!(SplitMix64::new(1_234_567).below(1000), 317);
    }
}
