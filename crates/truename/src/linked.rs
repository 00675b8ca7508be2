use std::sync::Arc;

use truename_text::{Document, Span};

use crate::{Link, Recognized};

/// A document with its linked mentions.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedDocument {
    /// Document as it was given.
    pub document: Document,
    /// Mentions by start, longer ones first.
    pub mentions: Vec<LinkedMention>,
}

/// A span of a document with the concept that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedMention {
    /// Span in the document's text.
    pub span: Span,
    /// Pieces of a discontinuous mention; empty if the mention is the whole span.
    pub fragments: Vec<Span>,
    /// Types given by the recognizer or the input, else the concept's types; may be empty.
    pub types: Vec<String>,
    /// Score of the recognizer, higher is likelier; `None` if it gives none.
    pub score: Option<f64>,
    /// Score above which the recognizer takes a span for a mention; `None` if it gives none.
    pub threshold: Option<f64>,
    /// True if the recognizer was not trained on the type, and knows it by its description alone.
    pub is_zero_shot: bool,
    /// Long form that was linked if the mention is an abbreviation.
    pub long_form: Option<String>,
    /// Answer to the text or the long form; mentions with the same name share it. A text longer than
    /// [`LONGEST_NAME_BYTES`](crate::LONGEST_NAME_BYTES) has an empty answer.
    pub link: Arc<Link>,
}

impl LinkedMention {
    /// Creates a mention with its answer.
    pub fn new(span: Span, link: Arc<Link>) -> Self {
        let (score, threshold, is_zero_shot) = (None, None, false);
        Self { span, fragments: Vec::new(), types: Vec::new(), score, threshold, is_zero_shot, long_form: None, link }
    }

    /// Creates a mention that is not linked.
    pub fn unlinked(recognized: Recognized) -> Self {
        let Recognized { span, fragments, kind, score, threshold, is_zero_shot, .. } = recognized;
        let types = if kind.is_empty() { Vec::new() } else { vec![kind] };
        let link = Arc::new(Link::new("", Vec::new(), false));
        Self { fragments, types, score, threshold, is_zero_shot, ..Self::new(span, link) }
    }

    /// Returns whether the mention was linked, to a concept or to NIL.
    pub fn is_linked(&self) -> bool {
        self.link.is_nil || !self.link.candidates.is_empty()
    }
}
