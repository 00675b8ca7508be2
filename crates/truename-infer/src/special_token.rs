//! Special tokens that heads add to a vocabulary, each with the word whose vector it begins with.

use std::borrow::Cow;

/// A special token for a vocabulary, such as `[START]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecialToken {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The word whose vector it begins with; `None` for a random vector.
    pub like: Option<Cow<'static, str>>,
}

impl SpecialToken {
    /// Creates a token that begins with a random vector.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), like: None }
    }

    /// Sets the word whose vector it begins with: a network that never met the token reads it as that word.
    #[must_use]
    pub fn like(self, word: impl Into<Cow<'static, str>>) -> Self {
        Self { like: Some(word.into()), ..self }
    }
}
