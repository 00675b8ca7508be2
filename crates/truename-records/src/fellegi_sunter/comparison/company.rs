//! Names of companies.

use truename_text::{LegalForm, LegalName};

use super::words::{Alignment, words};
use super::{Comparison, Level, level};

/// Words that names have or lack.
const EMPTY_WORDS: [&str; 6] = ["the", "and", "of", "und", "et", "y"];

/// The name of a company with its legal form apart.
pub(in crate::fellegi_sunter) struct Company {
    words: Vec<String>,
    form: Option<LegalForm>,
}

impl Company {
    /// Level of the same words with another legal form.
    pub(in crate::fellegi_sunter) const OTHER_FORM: usize = 2;
}

impl Comparison for Company {
    const LEVELS: &'static [Level] = &[
        level("differs", 0.03, 0.99),
        level("part", 0.03, 0.003),
        level("legal form differs", 0.002, 0.0005),
        level("similar", 0.13, 0.0005),
        level("equal", 0.808, 0.001),
    ];

    fn parse(text: &str) -> Option<Self> {
        let LegalName { core, form, .. } = LegalName::new(text);
        let mut all = words(if core.is_empty() { text } else { &core });
        if all.iter().any(|word| !EMPTY_WORDS.contains(&word.as_str())) {
            all.retain(|word| !EMPTY_WORDS.contains(&word.as_str()));
        }
        (!all.is_empty()).then_some(Self { words: all, form })
    }

    fn key(&self) -> String {
        // Forms are told apart by `level`: a form that one name lacks contradicts none.
        let form = self.form.as_ref().map_or("", |form| form.spellings()[0]);
        format!("{}\t{form}", self.words.concat())
    }

    fn level(&self, other: &Self) -> usize {
        let found = Alignment::of(&self.words, &other.words);
        let are_joined = self.words.concat() == other.words.concat();
        let contradicts =
            self.form.as_ref().zip(other.form.as_ref()).is_some_and(|(one, other)| one.contradicts(other));
        match () {
            () if are_joined && contradicts => Self::OTHER_FORM,
            () if are_joined => 4,
            () if found.is_whole() && !contradicts => 3,
            () if found.is_contained() && found.equal > 0 && !contradicts => 1,
            () => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::agreement;
    use super::*;

    #[test]
    fn companies_agree_by_levels() {
        let of = agreement::<Company>;
        assert_eq!(of("Adler Werke AG", "Adler-Werke Aktiengesellschaft"), "equal");
        assert_eq!(of("Adler Werke AG", "Adler Werke"), "equal");
        assert_eq!(of("Adler Werke AG", "Adler Werke GmbH"), "legal form differs");
        assert_eq!(of("Adler Werke AG", "Adler Werkee AG"), "similar");
        assert_eq!(of("Adler Werke AG", "Adler"), "part");
        assert_eq!(of("Gapukuta Nigo SpA", "Gapukuta BV"), "differs");
        assert_eq!(of("The Sample Company", "Other GmbH"), "differs");
    }
}
