//! Recognizers: each finds the spans of documents that may refer to concepts.

mod dictionary;
mod reading;
mod spelling;

use truename_text::Span;

pub use dictionary::DictionaryRecognizer;
pub use reading::Reading;

use crate::Error;

/// Finds mentions in documents; the [`Linker`](crate::Linker) says which concepts they refer to.
///
/// The mentions of a document depend on nothing but the document, its abbreviations and the recognizer, whatever
/// other documents are in the batch.
pub trait Recognizer: Send + Sync {
    /// Finds the mentions of a batch of documents, in any order: one list a document.
    ///
    /// A recognizer may add abbreviations that its mentions reveal ([`Reading::define_behind`]); the linker reads them in full too.
    ///
    /// # Errors
    /// [`Error::other`] with the cause where the recognizer fails.
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<Recognized>>, Error>;
}

/// A span of a document that a [`Recognizer`] takes for a mention.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Recognized {
    /// Place in the document's text.
    pub span: Span,
    /// Pieces of a discontinuous mention; empty where it is the whole span.
    pub fragments: Vec<Span>,
    /// Type that the recognizer gives; empty where the concept's own types count.
    pub kind: String,
    /// Score of the recognizer, higher is likelier; `None` for one that gives none.
    pub score: Option<f64>,
    /// Whether the span is a mention only if its long form links to a concept that has the long form or the span among
    /// its names.
    pub tentative: bool,
}

impl Recognized {
    /// Creates a mention without a type.
    pub fn new(span: Span) -> Self {
        Self { span, ..Self::default() }
    }

    /// Sets the type.
    #[must_use]
    pub fn of_kind(self, kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), ..self }
    }

    /// Sets the score.
    #[must_use]
    pub fn with_score(self, score: f64) -> Self {
        Self { score: Some(score), ..self }
    }
}
