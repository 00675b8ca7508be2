//! Lookup keys: hashes of forms that spellings of one name share.

use crate::{NormalizedName, stable_hash};

/// Hash of a form of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u64);

/// Closest kind of key that two names share; later is closer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyMatch {
    /// No shared key.
    #[default]
    None,
    /// Acronym and its long form.
    Acronym,
    /// The same words in another order, up to inflection and stop words.
    Reordered,
    /// The same up to plural and British or American spelling.
    Variant,
    /// The same normal form, up to spacing.
    Exact,
}

impl KeyMatch {
    /// Returns the closeness as a number from 0 to 1; higher is closer.
    pub fn score(self) -> f64 {
        f64::from(self as u8) / 4.0
    }

    /// Returns the word used in scores and explanations.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Acronym => "acronym",
            Self::Reordered => "reordered",
            Self::Variant => "variant",
            Self::Exact => "exact",
        }
    }
}

/// Keys of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameKeys {
    /// The normal form without spaces.
    pub exact: Key,
    /// Each word in the singular and in American spelling.
    pub variant: Key,
    /// The words of `variant` sorted, without stop words.
    pub reordered: Key,
    /// The initials of a name of two to eight words; none for other names.
    pub initials: Option<Key>,
}

/// Stop words: they come and go when the words of a name change places ("cancer of the lung").
const STOP_WORDS: [&str; 6] = ["of", "the", "a", "an", "in", "for"];

/// Returns the words of a name in the singular and in American spelling, sorted and without stop words: those of [`NameKeys::reordered`].
pub fn content_words(name: &NormalizedName) -> Vec<String> {
    let mut words: Vec<String> =
        name.tokens().map(variant_of).filter(|word| !STOP_WORDS.contains(&word.as_str())).collect();
    words.sort_unstable();
    words
}

/// Largest number of words of an acronym.
const LONGEST_ACRONYM: usize = 8;

impl NameKeys {
    /// Returns the keys of `name`.
    pub fn of(name: &NormalizedName) -> Self {
        let inflected: Vec<String> = name.tokens().map(variant_of).collect();
        let sorted = content_words(name);
        Self {
            exact: Key(stable_hash(&name.squeezed())),
            variant: Key(stable_hash(&inflected.concat())),
            reordered: Key(stable_hash(&sorted.concat())),
            initials: initials(name).map(|letters| Key(stable_hash(&letters))),
        }
    }

    /// Returns the distinct keys under which a knowledge base files the name.
    pub fn filed(&self) -> impl Iterator<Item = Key> {
        let Self { exact, variant, reordered, .. } = *self;
        [
            Some(exact),
            (variant != exact).then_some(variant),
            (reordered != exact && reordered != variant).then_some(reordered),
        ]
        .into_iter()
        .flatten()
    }

    /// Returns the closest kind of key that two sets share.
    pub fn meet(&self, other: &Self) -> KeyMatch {
        if self.exact == other.exact {
            KeyMatch::Exact
        } else if self.variant == other.variant {
            KeyMatch::Variant
        } else if self.reordered == other.reordered {
            KeyMatch::Reordered
        } else if self.initials == Some(other.exact) || other.initials == Some(self.exact) {
            KeyMatch::Acronym
        } else {
            KeyMatch::None
        }
    }
}

/// Numbers of letters of names that are also filed under their deletions.
const SHORT: std::ops::RangeInclusive<usize> = 3..=14;

impl Key {
    /// Returns the keys of a short name with one letter left out, each letter in turn; none for other names.
    ///
    /// Two names one edit apart share such a key, or the exact key of one is among those of the other
    /// (deletion neighbourhood, as in `SymSpell`). N-grams say little of names this short.
    pub fn deletions(name: &NormalizedName) -> Vec<Self> {
        let letters: Vec<char> = name.squeezed().chars().collect();
        if !SHORT.contains(&letters.len()) {
            return Vec::new();
        }
        let without = |at: usize| -> String {
            letters.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, letter)| letter).collect()
        };
        let mut keys: Vec<Self> = (0..letters.len()).map(|at| Self(stable_hash(&without(at)))).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Returns the key in a namespace of its own, so that names filed there are not found under the key itself.
    pub fn in_namespace(self, namespace: u64) -> Self {
        Self((self.0 ^ namespace.wrapping_mul(0x9E37_79B9_7F4A_7C15)).rotate_left(23))
    }
}

/// Returns the initials of a name that has neither too few nor too many for an acronym.
fn initials(name: &NormalizedName) -> Option<String> {
    let letters = initial_letters(name);
    (2..=LONGEST_ACRONYM).contains(&letters.chars().count()).then_some(letters)
}

/// Returns the first letters of the words, without stop words.
pub(crate) fn initial_letters(name: &NormalizedName) -> String {
    name.tokens().filter(|token| !STOP_WORDS.contains(token)).filter_map(|word| word.chars().next()).collect()
}

/// Returns the form that a word shares with its plural and its British or American spelling.
pub(crate) fn variant_of(word: &str) -> String {
    american(&singular(word))
}

/// Returns true if [`variant_of`] a word may be another one: it ends in `s`, `tre` or `bre`, or has letters of a
/// spelling that is folded.
pub(crate) fn may_vary(word: &str) -> bool {
    let word = word.as_bytes();
    let is_folded =
        |three: &[u8]| matches!(three, [b'a' | b'o', b'e', _] | b"our" | b"ulp" | b"isa" | b"ise" | b"yse" | b"alu");
    let ends = [&b"s"[..], b"tre", b"bre", b"ae", b"oe"].iter().any(|ending| word.ends_with(ending));
    word.len() > 3 && (ends || word.windows(3).any(is_folded))
}

/// Returns the word without an English plural ending; Greek ones (`thrombosis`, `thromboses`) both lose theirs.
fn singular(word: &str) -> String {
    if word.len() <= 3 || !word.ends_with('s') || !word.is_ascii() {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("sis").filter(|stem| stem.len() > 2) {
        return format!("{stem}se");
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    let sibilant = ["sses", "xes", "ches", "shes"].iter().any(|ending| word.ends_with(ending));
    if sibilant {
        return word[..word.len() - 2].to_owned();
    }
    if ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        return word.to_owned();
    }
    word[..word.len() - 1].to_owned()
}

/// British spellings, each with the American one that replaces it anywhere in a word.
///
/// Both names of a pair are folded, so a rule that also hits other words costs little.
const AMERICAN: [(&str, &str); 8] = [
    ("ae", "e"),
    ("oe", "e"),
    ("our", "or"),
    ("sulph", "sulf"),
    ("isation", "ization"),
    ("ise", "ize"),
    ("yse", "yze"),
    ("aluminium", "aluminum"),
];

fn american(word: &str) -> String {
    if word.len() <= 3 {
        return word.to_owned();
    }
    let mut folded = word.to_owned();
    for (british, american) in AMERICAN {
        if folded.contains(british) {
            folded = folded.replace(british, american);
        }
    }
    for (british, american) in [("tre", "ter"), ("bre", "ber")] {
        if let Some(stem) = folded.strip_suffix(british) {
            folded = format!("{stem}{american}");
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meet(left: &str, right: &str) -> KeyMatch {
        NameKeys::of(&NormalizedName::new(left)).meet(&NameKeys::of(&NormalizedName::new(right)))
    }

    #[test]
    fn names_meet_as_closely_as_they_are_written() {
        let cases = [
            ("p70 S6K", "P70-S6K", KeyMatch::Exact),
            ("p70S6K", "p70 s6k", KeyMatch::Exact),
            ("Oedema", "edema", KeyMatch::Variant),
            ("tumours", "Tumor", KeyMatch::Variant),
            ("ovaries", "ovary", KeyMatch::Variant),
            ("metastases", "Metastasis", KeyMatch::Variant),
            ("Carcinoma of the lung", "lung carcinoma", KeyMatch::Reordered),
            ("anaemia, aplastic", "Aplastic Anemias", KeyMatch::Reordered),
            ("job entry subsystem", "JES", KeyMatch::Acronym),
            ("virus", "viru", KeyMatch::None),
            ("C++", "C", KeyMatch::None),
        ];
        for (left, right, expected) in cases {
            assert_eq!(meet(left, right), expected, "{left} / {right}");
            assert_eq!(meet(right, left), expected, "{right} / {left}");
        }
    }

    proptest::proptest! {
        #[test]
        fn only_words_that_may_vary_do(word in "[a-z]{0,8}(ae|our|ise|yse|tre|ulph|sis|s)?[a-zé]{0,3}") {
            proptest::prop_assert!(may_vary(&word) || variant_of(&word) == word);
        }
    }

    #[test]
    fn names_one_edit_apart_share_a_deletion() {
        let keys = |name: &str| Key::deletions(&NormalizedName::new(name));
        let exact = |name: &str| NameKeys::of(&NormalizedName::new(name)).exact;
        for changed in ["TP54", "PT53", "T-P-5-9"] {
            assert!(keys("TP53").iter().any(|key| keys(changed).contains(key)), "{changed}");
        }
        assert!(keys("TP533").contains(&exact("TP53")) && keys("TP53").contains(&exact("TP5")));
        assert!(keys("ab").is_empty() && keys("a much longer name").is_empty());
    }

    #[test]
    fn keys_never_change() {
        // Stores hold these hashes: python -c "import xxhash; print(xxhash.xxh3_64_intdigest(b'tnfalpha'))"
        assert_eq!(NameKeys::of(&NormalizedName::new("TNF-α")).exact, Key(stable_hash("tnfalpha")));
        assert_eq!(stable_hash(""), 0x2d06800538d394c2);
    }
}
