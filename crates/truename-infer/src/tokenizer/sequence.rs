//! Tokens of one or several texts, each with its place in them.

use std::ops::Range;

use truename_text::Span;

use crate::Input;

/// Tokens made of one or several texts, each token with its place in them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sequence {
    /// The tokens.
    pub input: Input,
    /// The place of each token; none for special tokens, fixed text and tokens without a letter or sign of a text.
    pub places: Vec<Option<Place>>,
    /// The tokens of each part of the template; of a window its special tokens and its text in their order.
    pub parts: Vec<Range<usize>>,
    /// The slots whose text was cut, by number.
    pub truncated: Vec<usize>,
}

/// The place of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the text, counted over all slots.
    pub text: usize,
    /// The bytes of that text. A letter that is several tokens is the span of each.
    pub span: Span,
}

impl Sequence {
    /// Adds a special token before the one at a place.
    pub(crate) fn insert(&mut self, at: usize, id: u32) {
        self.input.insert(at, id);
        self.places.insert(at, None);
        for part in &mut self.parts {
            part.start += usize::from(part.start >= at);
            part.end += usize::from(part.end > at);
        }
    }

    /// The span of a token in its text, if it has one.
    pub fn span(&self, token: usize) -> Option<Span> {
        self.places[token].map(|place| place.span)
    }
}
