//! Recognizers: find the spans of documents that may refer to concepts.

mod address;
mod annotator;
mod company;
mod composite;
mod coverage;
mod decision;
mod dictionary;
mod options;
mod other_names;
mod passage;
mod reading;
mod senses;
mod spelling;
mod trained;
mod union;

use std::borrow::Cow;
use std::sync::Arc;

use truename_text::{Assertions, Document, Mention, Span};

use address::Addresses;
pub use annotator::Annotator;
pub use composite::CompositeRecognizer;
pub use decision::{FormExample, MentionExamples, MentionModel};
pub use dictionary::DictionaryRecognizer;
pub use options::RecognizerOptions;
pub use reading::Reading;
pub use trained::TrainedRecognizer;
pub use union::UnionRecognizer;

pub(crate) use spelling::is_common_word;

use crate::Error;
use crate::marked_documents::MarkedDocuments;

/// Finds mentions in documents; the [`Linker`](crate::Linker) resolves them to concepts.
///
/// The mentions of a document depend only on the document, its abbreviations and the recognizer, never on other
/// documents of the batch.
pub trait Recognizer: Send + Sync {
    /// Finds the mentions of a batch of documents, one list a document, in any order.
    ///
    /// A recognizer may add abbreviations that its mentions reveal ([`Reading::define_behind`]); the linker expands
    /// them too.
    ///
    /// # Errors
    /// If the recognizer fails; [`Error::other`] wraps the cause.
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error>;

    /// Finds the mentions of documents, which are read without HTML or XML markup, one list a document. With `abbreviations` those that a
    /// document defines are known.
    ///
    /// # Errors
    /// As [`recognize`](Self::recognize).
    fn recognize_documents(
        &self,
        documents: &[Document],
        abbreviations: bool,
    ) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let read = if abbreviations { Reading::new } else { Reading::without_abbreviations };
        let marked = MarkedDocuments::of(documents);
        let plain = marked.plain(documents);
        let mut found = self.recognize_outside_addresses(&mut plain.iter().map(read).collect::<Vec<_>>())?;
        for (at, mentions) in found.iter_mut().enumerate() {
            for mention in mentions {
                let Some(written) = marked.written(documents, at, mention.span, &mention.fragments) else { break };
                (mention.span, mention.fragments) = (written.span, written.fragments);
            }
        }
        Ok(found)
    }

    /// As [`recognize`](Self::recognize), without the mentions that are parts of addresses of mail, pages and papers.
    ///
    /// # Errors
    /// As [`recognize`](Self::recognize).
    fn recognize_outside_addresses(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let mut found = self.recognize(readings)?;
        for (reading, mentions) in readings.iter().zip(&mut found) {
            let addresses = Addresses::of(&reading.document().text);
            mentions.retain(|one| !addresses.have(one.span));
        }
        Ok(found)
    }

    /// Returns a hash of the models that the mentions depend on, for [`Linker::fingerprint`](crate::Linker::fingerprint); `None` where
    /// there are none but those of the knowledge base.
    fn fingerprint(&self) -> Option<String> {
        None
    }

    /// Returns the share of its mentions that are expected to have no concept, where that is more than
    /// [`LinkOptions::nil_share`](crate::LinkOptions::nil_share).
    fn nil_share(&self) -> f64 {
        0.0
    }
}

impl<R: Recognizer + ?Sized> Recognizer for Arc<R> {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        R::recognize(self, readings)
    }

    fn fingerprint(&self) -> Option<String> {
        R::fingerprint(self)
    }

    fn nil_share(&self) -> f64 {
        R::nil_share(self)
    }
}

/// A mention found by a [`Recognizer`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecognizedMention {
    /// Span in the document's text.
    pub span: Span,
    /// Pieces of a discontinuous mention; empty if the mention is the whole span.
    pub fragments: Vec<Span>,
    /// Type given by the recognizer; if empty, the concept's own types count.
    pub mention_type: String,
    /// Score of the recognizer, higher is likelier; `None` if it gives none.
    pub score: Option<f64>,
    /// Score above which the recognizer takes a span for a mention; `None` if it gives none.
    pub threshold: Option<f64>,
    /// Probability that the span is a mention of its type; `None` if the recognizer is not calibrated.
    pub probability: Option<f64>,
    /// True if the recognizer was not trained on the type, and knows it by its description alone.
    pub is_zero_shot: bool,
    /// True if the span is a mention only if its long form links to a concept that has the long form or the span among
    /// its names.
    pub tentative: bool,
    /// Reasons for and against the mention, in words; empty unless the recognizer explains its mentions.
    pub evidence: String,
    /// Assertions that the document gives for a mention of its own; where it gives none, they are read from the text.
    pub assertions: Assertions,
    /// Vector of the mention in its text; `None` if the recognizer's network did not learn to place mentions near names. Where the
    /// encoder of the knowledge base is the same network, the linker does not read the text again.
    pub vector: Option<MentionVector>,
}

/// The vector of a mention in its text, by the network that found it.
#[derive(Clone, Debug, PartialEq)]
pub struct MentionVector {
    /// The values, of unit length.
    pub values: Arc<[f32]>,
    /// Hash of the network ([`Encoder::hash`](crate::Encoder::hash)).
    pub network: Arc<str>,
}

impl RecognizedMention {
    /// Creates a mention without a type.
    pub fn new(span: Span) -> Self {
        Self { span, ..Self::default() }
    }

    /// Returns the text of the mention in its document; that between its pieces is left out.
    pub(crate) fn text<'t>(&self, document: &'t Document) -> Cow<'t, str> {
        let Self { span, fragments, .. } = self;
        Mention { span: *span, fragments: fragments.clone(), ..Mention::default() }.surface(&document.text)
    }
}
