//! Whole names of persons.

use super::words::{Alignment, have_other_given_names, words};
use super::{Comparison, Level, level};
use crate::fellegi_sunter::name_suffix::{suffix, without_suffix};

/// Words before a name that are no part of it.
const TITLES: [&str; 16] =
    ["mr", "mrs", "ms", "miss", "dr", "prof", "sir", "herr", "frau", "mme", "mlle", "sra", "don", "dna", "ing", "rev"];

/// The name of a person. The family name is the last word, or stands before a comma; names in another order have the same words.
pub(in crate::fellegi_sunter) struct PersonName {
    given: Vec<String>,
    family: Vec<String>,
    /// Generation, as `jr` of `John Sample Jr.`
    suffix: Option<&'static str>,
}

impl PersonName {
    /// Level of a name that shares the family name alone.
    pub(in crate::fellegi_sunter) const FAMILY_ALONE: usize = 2;
    /// Level of a name that differs by the suffix alone.
    pub(in crate::fellegi_sunter) const SUFFIX_DIFFERS: usize = 3;

    fn all(&self) -> Vec<String> {
        [&self.given[..], &self.family].concat()
    }
}

impl Comparison for PersonName {
    const LEVELS: &'static [Level] = &[
        level("differs", 0.03, 0.98),
        level("given name alone", 0.02, 0.01),
        level("family name alone", 0.01, 0.008),
        level("suffix differs", 0.002, 0.0001),
        level("part or short form", 0.08, 0.0005),
        level("similar", 0.1, 0.0005),
        level("equal", 0.758, 0.0009),
    ];

    fn parse(text: &str) -> Option<Self> {
        let (before, after) = text.split_once(',').unwrap_or(("", text));
        let (mut family, mut given) = (words(before), words(after));
        let mut generation = None;
        if let [only] = &given[..]
            && suffix(only).is_some()
        {
            // A suffix behind the comma, and no given name: `John Sample, Jr.`
            generation = suffix(only);
            given = std::mem::take(&mut family);
        }
        let (mut given, of_given) = without_suffix(given);
        let (mut family, of_family) = without_suffix(family);
        given.drain(
            ..given.iter().take_while(|word| TITLES.contains(&word.as_str())).count().min(given.len().max(1) - 1),
        );
        if family.is_empty() {
            family.extend(given.pop());
        }
        (!family.is_empty()).then(|| Self { given, family, suffix: generation.or(of_given).or(of_family) })
    }

    fn key(&self) -> String {
        let mut words = self.all();
        words.sort_unstable();
        words.extend(self.suffix.map(str::to_owned));
        words.join(" ")
    }

    fn level(&self, other: &Self) -> usize {
        let (left, right) = (self.all(), other.all());
        let found = Alignment::of_persons(&left, &right);
        let is_full = left.len().min(right.len()) > 1 || left.len() == right.len();
        let has_equal = found.equal + found.similar > 0;
        let has_other_given = found.similar > 0 && have_other_given_names(&self.given, &other.given);
        match () {
            () if found.is_contained() && has_other_given => Self::FAMILY_ALONE,
            () if found.is_contained() && is_full && has_equal && self.suffix != other.suffix => Self::SUFFIX_DIFFERS,
            () if found.is_whole() => 5,
            () if left.concat() == right.concat() => 5,
            () if found.is_contained() && is_full && has_equal => 4,
            () if Alignment::of(&self.family, &other.family).is_contained() => Self::FAMILY_ALONE,
            () if are_of_one_family(&self.family, &other.family) => Self::FAMILY_ALONE,
            () if has_equal && !have_other_given_names(&self.given, &other.given) => 1,
            () => 0,
        }
    }

    /// Returns true for persons of one family with known given names that are no spellings of one another.
    fn contradicts(&self, other: &Self) -> bool {
        self.level(other) == Self::FAMILY_ALONE && have_other_given_names(&self.given, &other.given)
    }
}

/// Endings of the family names of men and women of one family.
const GENDERED: [(&str, &str); 5] = [("", "ova"), ("", "a"), ("ski", "ska"), ("cki", "cka"), ("sky", "ska")];

/// Returns true for a family name of a man and that of a woman: `Novak` and `Novakova`.
fn are_of_one_family(left: &[String], right: &[String]) -> bool {
    let (Some(left), Some(right)) = (left.last(), right.last()) else { return false };
    let are_forms = |man: &str, woman: &str| {
        let stem = |(of_man, of_woman)| Some((man.strip_suffix(of_man)?, woman.strip_suffix(of_woman)?));
        GENDERED.into_iter().filter_map(stem).any(|(man, woman)| man == woman)
    };
    are_forms(left, right) || are_forms(right, left)
}

#[cfg(test)]
mod tests {
    use super::super::agreement;
    use super::*;

    fn of(left: &str, right: &str) -> &'static str {
        agreement::<PersonName>(left, right)
    }

    #[test]
    fn order_titles_and_initials_are_known() {
        assert_eq!(of("Anna Woods", "Woods, Anna"), "equal");
        assert_eq!(of("Dr. Anna Woods", "anna woods"), "equal");
        assert_eq!(of("A. Woods", "Anna Woods"), "part or short form");
        assert_eq!(of("Anna Maria Woods", "Anna Woods"), "part or short form");
        assert_eq!(of("Bob Woods", "Woods, Robert"), "part or short form");
        assert_eq!(of("Zoe Quendler", "Zoe Quendlar"), "similar");
        assert_eq!(of("山田太郎", "山田 太郎"), "similar");
    }

    #[test]
    fn other_persons_are_told_apart() {
        assert_eq!(of("John Sample", "John Sample Jr."), "suffix differs");
        assert_eq!(of("John Sample, Sr.", "John Sample Jr."), "suffix differs");
        assert_eq!(of("Sample Jr., John", "John Sample Jr."), "equal");
        assert_eq!(of("Anna Woods", "Ella Woods"), "family name alone");
        assert_eq!(of("Julia Woods", "Woods, Julian"), "family name alone");
        assert_eq!(of("Julia Woods", "Julian Kaya"), "differs");
        assert_eq!(of("Jan Novak", "Jana Novakova"), "family name alone");
        assert_eq!(of("Piotr Kowalski", "Anna Kowalska"), "family name alone");
        assert_eq!(of("Anna Woods", "Anna Kaya"), "given name alone");
        assert_eq!(of("Anna Woods", "Zoe Kaya"), "differs");
        assert!(PersonName::parse(" . ").is_none() && PersonName::parse("Dr").is_some());
    }
}
