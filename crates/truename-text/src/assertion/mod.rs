//! Assertions: what a text says of a mention, after ConText.
//!
//! Harkema et al., "ConText: An algorithm for determining negation, experiencer, and temporal status from clinical reports" (2009), which
//! builds on NegEx (Chapman et al. 2001). A trigger, such as `denies`, gives its effect to the mentions before or behind it, up to the end
//! of the sentence or to a phrase that ends its scope, such as `but`.

mod rules;
#[cfg(test)]
mod tests;
mod tokens;

use std::fmt;
use std::str::FromStr;

pub use rules::{AssertionRules, ENGLISH_TRIGGERS};

/// Statement of a text about a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assertion {
    /// The text says that there is none ("no fever").
    Negated,
    /// It may come ("return if fever develops").
    Hypothetical,
    /// It was there earlier ("history of asthma").
    Historical,
    /// Somebody else has it ("his mother had asthma").
    Family,
    /// It is suspected ("possible pneumonia").
    Uncertain,
}

impl Assertion {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Negated, Self::Hypothetical, Self::Historical, Self::Family, Self::Uncertain];

    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Negated => "negated",
            Self::Hypothetical => "hypothetical",
            Self::Historical => "historical",
            Self::Family => "family",
            Self::Uncertain => "uncertain",
        }
    }
}

impl fmt::Display for Assertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Assertion {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|one| one.as_str().eq_ignore_ascii_case(name));
        known.ok_or_else(|| format!("\"{name}\" is no assertion; they are {}", Self::ALL.map(Self::as_str).join(", ")))
    }
}

/// Set of assertions about one mention; empty if the text affirms it of the patient now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Assertions(u8);

impl Assertions {
    /// Adds an assertion.
    pub fn insert(&mut self, assertion: Assertion) {
        self.0 |= 1 << assertion as u8;
    }

    /// Returns true if the text makes an assertion.
    pub fn contains(self, assertion: Assertion) -> bool {
        self.0 >> assertion as u8 & 1 == 1
    }

    /// Returns true if there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if the text says that the patient has it or had it.
    pub fn is_affirmed(self) -> bool {
        self.iter().all(|assertion| assertion == Assertion::Historical)
    }

    /// Returns the assertions, in the order of [`Assertion::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Assertion> {
        Assertion::ALL.into_iter().filter(move |assertion| self.contains(*assertion))
    }

    /// Returns the names of the assertions.
    pub fn names(self) -> Vec<&'static str> {
        self.iter().map(Assertion::as_str).collect()
    }
}

impl FromIterator<Assertion> for Assertions {
    fn from_iter<I: IntoIterator<Item = Assertion>>(assertions: I) -> Self {
        let mut set = Self::default();
        assertions.into_iter().for_each(|assertion| set.insert(assertion));
        set
    }
}

impl fmt::Display for Assertions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().join(","))
    }
}

impl FromStr for Assertions {
    type Err = String;

    fn from_str(names: &str) -> Result<Self, String> {
        names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::parse).collect()
    }
}
