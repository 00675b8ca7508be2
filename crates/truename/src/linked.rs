use std::sync::Arc;

use truename_text::{Document, Span};

use crate::Link;

/// A document with the mentions found in it, each linked.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedDocument {
    /// The document as it was given.
    pub document: Document,
    /// The mentions by start, longer ones first.
    pub mentions: Vec<LinkedMention>,
}

/// A span of a document and the concept it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedMention {
    /// Where it is.
    pub span: Span,
    /// The pieces of a discontinuous mention; none where it is the whole span.
    pub fragments: Vec<Span>,
    /// The types of the concept, or what the recognizer or the input says it is; may be empty.
    pub types: Vec<String>,
    /// Score of the recognizer, higher is likelier; `None` for one that gives none.
    pub score: Option<f64>,
    /// The name it was linked by, where that is not the text itself: an abbreviation in full.
    pub long_form: Option<String>,
    /// The answer to its text, or to the long form; mentions of one name share it. One of more than
    /// [`LONGEST_NAME_BYTES`](crate::LONGEST_NAME_BYTES) is no name and has an empty one.
    pub link: Arc<Link>,
}

impl LinkedMention {
    /// Creates a mention with its answer.
    pub fn new(span: Span, link: Arc<Link>) -> Self {
        Self { span, fragments: Vec::new(), types: Vec::new(), score: None, long_form: None, link }
    }
}
