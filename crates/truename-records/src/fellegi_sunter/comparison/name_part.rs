//! Given names or family names of persons.

use super::words::{Alignment, have_other_given_names, words};
use super::{Comparison, Level, level};
use crate::fellegi_sunter::name_suffix::without_suffix;

/// The given or the family names of a person.
pub(in crate::fellegi_sunter) struct NamePart {
    words: Vec<String>,
    /// Generation, as `jr` of `Sample Jr.`
    suffix: Option<&'static str>,
}

impl NamePart {
    /// Level of a value that differs by the suffix alone.
    pub(in crate::fellegi_sunter) const SUFFIX_DIFFERS: usize = 1;
    /// Level of a part of a value, its initial or a short form of it.
    pub(in crate::fellegi_sunter) const PART: usize = 2;
    /// Level of a value that stands in the other record's column of the other part.
    pub(in crate::fellegi_sunter) const SWAPPED: usize = 3;
    /// Lowest level of a value spelt otherwise.
    pub(in crate::fellegi_sunter) const SIMILAR: usize = 4;
}

impl Comparison for NamePart {
    const LEVELS: &'static [Level] = &[
        level("differs", 0.02, 0.98),
        level("suffix differs", 0.002, 0.0005),
        level("part or short form", 0.03, 0.005),
        level("swapped", 0.01, 0.0005),
        level("similar", 0.1, 0.005),
        level("equal", 0.838, 0.009),
    ];

    fn parse(text: &str) -> Option<Self> {
        let (words, suffix) = without_suffix(words(text));
        (!words.is_empty()).then_some(Self { words, suffix })
    }

    fn key(&self) -> String {
        self.words.iter().map(String::as_str).chain(self.suffix).collect::<Vec<_>>().join(" ")
    }

    fn level(&self, other: &Self) -> usize {
        let found = Alignment::of_persons(&self.words, &other.words);
        match () {
            () if !found.is_contained() && self.words.concat() != other.words.concat() => 0,
            () if found.similar > 0 && have_other_given_names(&self.words, &other.words) => 0,
            () if self.suffix != other.suffix => Self::SUFFIX_DIFFERS,
            () if found.is_whole() || self.words.concat() == other.words.concat() => Self::SIMILAR,
            () => Self::PART,
        }
    }

    /// Returns true for known given names that are no spellings of one another: those of twins.
    fn contradicts(&self, other: &Self) -> bool {
        self.level(other) == 0 && have_other_given_names(&self.words, &other.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_names_agree_by_levels() {
        let of = |left: &str, right: &str| {
            let level = NamePart::parse(left).unwrap().level(&NamePart::parse(right).unwrap());
            NamePart::LEVELS[level].name
        };
        assert_eq!(of("Anna", "Ella"), "differs");
        assert_eq!(of("Jan", "Jana"), "differs");
        assert_eq!(of("Anna Maria", "Anna Marie"), "differs");
        assert_eq!(of("Katherine", "Catherine"), "similar");
        assert_eq!(of("Jonh", "John"), "similar");
        assert_eq!(of("Sample", "Sample Jr."), "suffix differs");
        assert_eq!(of("Anna", "Anna Maria"), "part or short form");
        assert_eq!(of("A.", "Anna"), "part or short form");
        assert_eq!(of("Bob", "Robert"), "part or short form");
        assert_eq!(of("Peggy", "Margaret"), "part or short form");
        assert!(!NamePart::parse("Bill").unwrap().contradicts(&NamePart::parse("William").unwrap()));
        assert_eq!(of("Dorothy W", "Dortha W."), "similar");
        assert_eq!(of("Anne-Marie", "Annemarie"), "similar");
        assert!(NamePart::parse("-").is_none());
    }
}
