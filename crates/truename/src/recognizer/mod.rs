//! Recognizers: each finds the pieces of a document that may refer to concepts.

mod dictionary;
mod spelling;

use truename_text::{Abbreviation, Document, Span};

pub use dictionary::DictionaryRecognizer;

use crate::Error;

/// Finds mentions in documents; what they refer to is for the [`Linker`](crate::Linker) to say.
pub trait Recognizer: Send + Sync {
    /// The mentions of a document, in any order; `abbreviations` are those that it defines.
    ///
    /// # Errors
    /// Where what it needs cannot be read.
    fn recognize(&self, document: &Document, abbreviations: &[Abbreviation]) -> Result<Vec<Recognized>, Error>;
}

/// A piece of a document that a [`Recognizer`] takes for a mention.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recognized {
    /// Where it is.
    pub span: Span,
    /// The pieces of a discontinuous mention; none where it is the whole span.
    pub fragments: Vec<Span>,
    /// The type it has for the recognizer; empty where the concept's own types are to say.
    pub kind: String,
    /// Whether it is one only if the concept that its long form is linked to has that or the mention for a name.
    pub tentative: bool,
}
