//! Documents: a text with its passages and mentions, as every reader makes them and every linker takes them.

use std::borrow::Cow;

use crate::{Assertions, Span};

/// A text with its passages and mentions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Id in the corpus; not always unique there.
    pub id: String,
    /// The text, to which all spans refer. Readers change nothing in it.
    pub text: String,
    /// Passages in order, such as title and abstract; none where the whole text is one.
    pub passages: Vec<Passage>,
    /// Mentions, in the order in which they were given.
    pub mentions: Vec<Mention>,
}

/// A part of a document. No recognized mention lies in two passages.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Kind, such as `title`.
    pub kind: String,
    /// Place in the text.
    pub span: Span,
}

/// A piece of a document that may refer to a concept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mention {
    /// Place in the text; from the first fragment to the last where there are several.
    pub span: Span,
    /// Pieces of a discontinuous mention, in order; none where the mention is the whole span.
    pub fragments: Vec<Span>,
    /// Type, such as `Disease`; may be empty.
    pub mention_type: String,
    /// Id as the corpus writes it; none where it is not known or there is no concept.
    pub id: Option<String>,
    /// Probability of the id, from 0 to 1, where a tool gave one.
    pub probability: Option<f64>,
    /// Assertions about the mention, such as that it is negated; none where no tool gave any.
    pub assertions: Assertions,
}

impl Document {
    /// Returns a document of one passage.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), ..Self::default() }
    }

    /// Returns the spans of the passages; the whole text where there are none.
    pub fn passage_spans(&self) -> Vec<Span> {
        if self.passages.is_empty() {
            return vec![Span::new(0, self.text.len())];
        }
        self.passages.iter().map(|passage| passage.span).collect()
    }
}

impl Mention {
    /// Type of a mention whose type is not known: neither a mention of any type nor none, so that training and scores
    /// leave it out.
    pub const UNKNOWN: &str = "unknown";

    /// Returns a mention in one piece.
    pub fn new(span: Span, mention_type: impl Into<String>, id: Option<String>) -> Self {
        Self { span, mention_type: mention_type.into(), id, ..Self::default() }
    }

    /// Returns the text of the mention in `text`, its fragments joined by spaces.
    pub fn surface<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.fragments.is_empty() {
            return Cow::Borrowed(self.span.of(text).unwrap_or_default());
        }
        let pieces: Vec<&str> = self.fragments.iter().filter_map(|fragment| fragment.of(text)).collect();
        Cow::Owned(pieces.join(" "))
    }

    /// Returns the parts of a composite (`D001943|D010051`) or joint (`D1+D2`) id; none where there is no id.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.id.iter().flat_map(|id| id.split(['|', '+', ',', ';'])).map(str::trim).filter(|id| !id.is_empty())
    }
}
