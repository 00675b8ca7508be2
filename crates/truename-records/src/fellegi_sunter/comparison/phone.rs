//! Phone numbers.

use truename_text::similarity::spelling_edits;

use super::{Comparison, Level, level};

/// Words before the number of an extension.
const EXTENSIONS: [&str; 4] = ["ext", "x", "durchwahl", "#"];
/// Fewest digits of a number that one with a prefix may end with.
const SUBSCRIBER: usize = 6;
/// Most digits of a country code and a trunk prefix.
const PREFIX: usize = 4;

/// A phone number without trunk zeros, signs and extension.
pub(in crate::fellegi_sunter) struct Phone {
    digits: String,
}

impl Comparison for Phone {
    const LEVELS: &'static [Level] =
        &[level("differs", 0.15, 0.99), level("similar", 0.05, 0.0005), level("equal", 0.8, 0.0095)];

    fn parse(text: &str) -> Option<Self> {
        let lower = text.to_lowercase().replace("(0)", "");
        let end =
            EXTENSIONS.iter().filter_map(|word| lower.find(word)).filter(|at| *at > 0).min().unwrap_or(lower.len());
        let digits: String = lower[..end]
            .chars()
            .filter_map(|letter| letter.to_digit(10))
            .map(|digit| char::from(b'0' + digit as u8))
            .collect();
        let digits = digits.trim_start_matches('0').to_owned();
        (!digits.is_empty()).then_some(Self { digits })
    }

    fn key(&self) -> String {
        self.digits.clone()
    }

    fn level(&self, other: &Self) -> usize {
        let (short, long) = match self.digits.len() <= other.digits.len() {
            true => (&self.digits, &other.digits),
            false => (&other.digits, &self.digits),
        };
        let is_enough = short.len() >= SUBSCRIBER && long.len() - short.len() <= PREFIX;
        match () {
            () if is_enough && long.ends_with(short.as_str()) => 2,
            () if short.len() >= SUBSCRIBER && spelling_edits(short, long) <= 1 => 1,
            () => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::agreement;
    use super::*;

    #[test]
    fn numbers_agree_with_and_without_prefixes() {
        let of = agreement::<Phone>;
        assert_eq!(of("+49 547 583699", "0547583699"), "equal");
        assert_eq!(of("0049 (0)547/58-36-99", "0547 583699 ext. 12"), "equal");
        assert_eq!(of("0547 583699", "0547 583698"), "similar");
        assert_eq!(of("0547 583699", "0511 583699"), "differs");
        assert_eq!(of("030 111", "0511 7"), "differs");
        assert!(Phone::parse("nan").is_none() && Phone::parse("000").is_none());
    }
}
