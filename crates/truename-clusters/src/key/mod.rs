//! Keys of names: names with one key are one cluster, as in OpenRefine.

mod cologne;
mod fingerprint;
mod metaphone;

use std::collections::HashMap;
use std::str::FromStr;

use truename_error::ErrorKind;
use truename_text::NormalizedName;

use crate::Error;

/// A method that gives names keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMethod {
    /// The words of the normal form, each once, in order of the alphabet.
    Fingerprint,
    /// The character bigrams of the normal form without spaces, each once, in order of the alphabet.
    NgramFingerprint,
    /// The fingerprint of the words' codes by Metaphone (Philips, 1990): the sound of English.
    Metaphone,
    /// The fingerprint of the words' codes by Cologne phonetics (Postel, 1969): the sound of German.
    Cologne,
}

/// Names of the methods.
const NAMES: [(KeyMethod, &str); 4] = [
    (KeyMethod::Fingerprint, "fingerprint"),
    (KeyMethod::NgramFingerprint, "ngram-fingerprint"),
    (KeyMethod::Metaphone, "metaphone"),
    (KeyMethod::Cologne, "cologne"),
];

impl KeyMethod {
    /// Returns the key of a name; the name itself where it has no letters or digits.
    pub fn key(self, name: &str) -> String {
        let normalized = NormalizedName::new(name);
        let words = || normalized.tokens();
        let key = match self {
            Self::Fingerprint => fingerprint::of_words(words().map(str::to_owned)),
            Self::NgramFingerprint => fingerprint::of_bigrams(&normalized.squeezed()),
            Self::Metaphone => fingerprint::of_words(words().map(metaphone::code)),
            Self::Cologne => fingerprint::of_words(words().map(cologne::code)),
        };
        if key.is_empty() { name.to_owned() } else { key }
    }

    /// Returns the cluster of each name, from 0 in the order of the names: names with one key are one cluster.
    pub fn clusters(self, names: &[String]) -> Vec<usize> {
        let mut clusters: HashMap<String, usize> = HashMap::new();
        names
            .iter()
            .map(|name| {
                let next = clusters.len();
                *clusters.entry(self.key(name)).or_insert(next)
            })
            .collect()
    }
}

impl FromStr for KeyMethod {
    type Err = Error;

    /// Reads the name of a method, such as `ngram-fingerprint`.
    fn from_str(name: &str) -> Result<Self, Error> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(method, _)| *method).ok_or_else(|| {
            let known: Vec<&str> = NAMES.iter().map(|(_, known)| *known).collect();
            Error::new(
                ErrorKind::Choice,
                format!("no key method \"{}\" among {}", name.escape_debug(), known.join(", ")),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(method: KeyMethod, names: &[&str]) -> Vec<usize> {
        method.clusters(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_with_one_key_are_one_cluster() {
        let names = ["Müller, Anna", "anna MULLER", "Anna Mueller", "Ana Muler", "???", "…"];
        assert_eq!(clusters(KeyMethod::Fingerprint, &names), [0, 0, 1, 2, 3, 4]);
        assert_eq!(clusters(KeyMethod::Cologne, &names), [0, 0, 0, 0, 1, 2]);
        assert_eq!(clusters(KeyMethod::NgramFingerprint, &["Gluten free", "gluten-free", "GlutenFree"]), [0, 0, 0]);
        assert_eq!(clusters(KeyMethod::Metaphone, &["Smith, Jon", "John Smyth", "Schmidt"]), [0, 0, 1]);
        // Numbers and letters of other scripts sound as they are written.
        assert_eq!(clusters(KeyMethod::Metaphone, &["Unit 1", "Unit 2", "山田", "山本"]), [0, 1, 2, 3]);
        assert_eq!(clusters(KeyMethod::Cologne, &["Halle 1", "Halle 2", "山田", "山本"]), [0, 1, 2, 3]);
    }

    #[test]
    fn methods_are_read_by_name() {
        for (method, name) in NAMES {
            assert_eq!(name.parse::<KeyMethod>().unwrap(), method);
        }
        let error = "soundex".parse::<KeyMethod>().unwrap_err().to_string();
        assert_eq!(error, "no key method \"soundex\" among fingerprint, ngram-fingerprint, metaphone, cologne");
    }
}
