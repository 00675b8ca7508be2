//! Documents with gold mentions and those of a recognizer.

use truename_text::{Mention, Span};

/// A document with the mentions of its annotators and those of a recognizer.
///
/// Mentions may nest, and several may share a span with different types. Exact duplicates count once.
#[derive(Clone, Debug, Default)]
pub struct JudgedDocument {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The mentions of the annotators. One of the type [`Mention::UNKNOWN`] is undecided: neither it nor a found mention
    /// at its place counts.
    pub gold: Vec<Mention>,
    /// The mentions of the recognizer. One of the type [`Mention::UNKNOWN`] does not count.
    pub found: Vec<FoundMention>,
}

/// A mention of a recognizer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundMention {
    /// Its place in the text.
    pub span: Span,
    /// The pieces of a discontinuous mention; empty where the mention is the whole span.
    pub fragments: Vec<Span>,
    /// Its type; may be empty.
    pub mention_type: String,
    /// Score minus threshold, higher is likelier. The mention counts only if it is above 0; others show in a
    /// [`ThresholdCurve`](super::ThresholdCurve). `None` where the recognizer has no threshold: the mention always counts.
    pub margin: Option<f64>,
}

impl FoundMention {
    /// Creates a mention in one piece, without a margin.
    pub fn new(span: Span, mention_type: impl Into<String>) -> Self {
        Self { span, mention_type: mention_type.into(), ..Self::default() }
    }
}
