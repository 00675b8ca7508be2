//! Numbers that look random and are the same on every machine.

/// The `number`th number of a seed, by SplitMix64 (Steele, Lea and Flood 2014).
pub fn drawn(seed: u64, number: u64) -> u64 {
    let mut bits = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// The same, spread evenly from -1 to 1.
pub fn around_zero(seed: u64, number: u64) -> f64 {
    (drawn(seed, number) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_paper() {
        // The first numbers of java.util.SplittableRandom's generator with seed 1234567.
        let expected = [6457827717110365317, 3203168211198807973, 9817491932198370423];
        assert_eq!([0, 1, 2].map(|number| drawn(1234567, number)), expected);
    }

    #[test]
    fn numbers_lie_around_zero() {
        let numbers: Vec<f64> = (0..1000).map(|number| around_zero(7, number)).collect();
        assert!(numbers.iter().all(|number| (-1.0..1.0).contains(number)));
        assert!(numbers.iter().sum::<f64>().abs() < 50.0);
    }
}
