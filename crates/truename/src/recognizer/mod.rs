//! Recognizers: find the spans of documents that may refer to concepts.

mod annotator;
mod composite;
mod dictionary;
mod options;
mod reading;
mod senses;
mod spelling;
mod trained;
mod union;

use std::borrow::Cow;
use std::sync::Arc;

use truename_text::{Document, Mention, Span};

pub use annotator::Annotator;
pub use composite::CompositeRecognizer;
pub use dictionary::DictionaryRecognizer;
pub use options::RecognizerOptions;
pub use reading::Reading;
pub use trained::TrainedRecognizer;
pub use union::UnionRecognizer;

use crate::Error;

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

    /// Returns a hash of the models that the mentions depend on, for [`Linker::fingerprint`](crate::Linker::fingerprint); `None` where
    /// there are none but those of the knowledge base.
    fn fingerprint(&self) -> Option<String> {
        None
    }
}

impl<R: Recognizer + ?Sized> Recognizer for Arc<R> {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        R::recognize(self, readings)
    }

    fn fingerprint(&self) -> Option<String> {
        R::fingerprint(self)
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
    /// True if the recognizer was not trained on the type, and knows it by its description alone.
    pub is_zero_shot: bool,
    /// True if the span is a mention only if its long form links to a concept that has the long form or the span among
    /// its names.
    pub tentative: bool,
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
