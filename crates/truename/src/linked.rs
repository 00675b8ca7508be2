//! Documents with their linked mentions.

use std::cmp::Reverse;
use std::sync::Arc;

use truename_text::{Assertions, Document, Span};

use crate::{Error, Link, RecognizedMention, Recognizer};

/// A document with its linked mentions.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedDocument {
    /// Document as it was given.
    pub document: Document,
    /// Mentions by start, longer ones first.
    pub mentions: Vec<LinkedMention>,
}

impl LinkedDocument {
    /// Gives mentions without a type this one.
    pub fn set_missing_types(&mut self, type_name: &str) {
        let untyped = self.mentions.iter_mut().filter(|mention| mention.types.is_empty());
        untyped.for_each(|mention| mention.types.push(type_name.to_owned()));
    }
}

/// A span of a document with the concept that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedMention {
    /// Span in the document's text.
    pub span: Span,
    /// Pieces of a discontinuous mention; empty if the mention is the whole span.
    pub fragments: Vec<Span>,
    /// Text of the mention; that between its pieces is left out.
    pub text: String,
    /// Types given by the recognizer or the input, else the concept's types; may be empty.
    pub types: Vec<String>,
    /// Score of the recognizer, higher is likelier; `None` if it gives none.
    pub score: Option<f64>,
    /// Score above which the recognizer takes a span for a mention; `None` if it gives none.
    pub threshold: Option<f64>,
    /// Probability that the span is a mention, by its score; `None` if the recognizer is not calibrated. The probabilities of the link
    /// have it as a factor.
    pub mention_probability: Option<f64>,
    /// True if the recognizer was not trained on the type, and knows it by its description alone.
    pub is_zero_shot: bool,
    /// Reasons for and against the mention, in words, of a recognizer that explains its mentions; empty once a linker has added them to the
    /// explanation of the answer.
    pub evidence: String,
    /// Long form that was linked if the mention is an abbreviation.
    pub long_form: Option<String>,
    /// Assertions of the document about the mention: negated, historical and others.
    pub assertions: Assertions,
    /// Answer to the text or the long form; mentions with the same name share it. A text longer than
    /// [`LONGEST_NAME_BYTES`](crate::LONGEST_NAME_BYTES) has an empty answer.
    pub link: Arc<Link>,
}

impl LinkedMention {
    /// Creates a mention with its text and its answer.
    pub fn new(span: Span, text: impl Into<String>, link: Arc<Link>) -> Self {
        Self {
            span,
            fragments: Vec::new(),
            text: text.into(),
            types: Vec::new(),
            score: None,
            threshold: None,
            mention_probability: None,
            is_zero_shot: false,
            evidence: String::new(),
            long_form: None,
            assertions: Assertions::default(),
            link,
        }
    }

    /// Creates a mention of a document as a recognizer found it, with its answer.
    pub(crate) fn of(recognized: RecognizedMention, text: String, link: Arc<Link>) -> Self {
        let RecognizedMention {
            span,
            fragments,
            mention_type,
            score,
            threshold,
            probability,
            is_zero_shot,
            tentative: _,
            evidence,
            assertions,
            vector: _,
        } = recognized;
        let types = if mention_type.is_empty() { Vec::new() } else { vec![mention_type] };
        let mention_probability = probability;
        let mention = Self::new(span, text, link);
        Self { fragments, types, score, threshold, mention_probability, is_zero_shot, evidence, assertions, ..mention }
    }

    /// Creates a mention that is not linked.
    pub(crate) fn unlinked(recognized: RecognizedMention, document: &Document) -> Self {
        let text = recognized.text(document).into_owned();
        Self::of(recognized, text, Arc::new(Link::new("", Vec::new(), false)))
    }

    /// Returns whether the mention was linked, to a concept or to NIL.
    pub fn is_linked(&self) -> bool {
        self.link.is_nil || !self.link.candidates.is_empty()
    }
}

/// Finds the mentions of documents, without linking them ([`Recognizer::recognize_documents`]). Returns the documents in the same order, with
/// their mentions by start, longer ones first.
///
/// # Errors
/// If the recognizer fails.
pub fn recognize_all(
    recognizer: &dyn Recognizer,
    documents: Vec<Document>,
    abbreviations: bool,
) -> Result<Vec<LinkedDocument>, Error> {
    let found = recognizer.recognize_documents(&documents, abbreviations)?;
    let with_mentions = |(document, found): (Document, Vec<RecognizedMention>)| {
        // A tentative mention is none unless a linker confirms it.
        let kept = found.into_iter().filter(|one| !one.tentative);
        let mut mentions: Vec<LinkedMention> = kept.map(|one| LinkedMention::unlinked(one, &document)).collect();
        mentions.sort_by_key(|mention| (mention.span.start, Reverse(mention.span.end)));
        LinkedDocument { document, mentions }
    };
    Ok(documents.into_iter().zip(found).map(with_mentions).collect())
}
