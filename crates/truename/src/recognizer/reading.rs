//! Readings: documents with the abbreviations that they define, the input of recognizers.

use truename_text::{Abbreviation, Document, Span, abbreviations};

use crate::short_forms::{ShortForms, defined_behind};

/// A document with the abbreviations that it defines, input of a [`Recognizer`](super::Recognizer).
pub struct Reading<'a> {
    document: &'a Document,
    abbreviations: Vec<Abbreviation>,
    short_forms: ShortForms<'a>,
    /// True if abbreviations are expanded.
    expands: bool,
}

impl<'a> Reading<'a> {
    /// Finds the abbreviations that a document defines.
    pub fn new(document: &'a Document) -> Self {
        let abbreviations = abbreviations(&document.text);
        let short_forms = ShortForms::of(&document.text, &abbreviations);
        Self { document, abbreviations, short_forms, expands: true }
    }

    /// Creates a reading that takes every word as written.
    pub fn without_abbreviations(document: &'a Document) -> Self {
        let short_forms = ShortForms::of(&document.text, &[]);
        Self { document, abbreviations: Vec::new(), short_forms, expands: false }
    }

    /// Returns the document.
    pub fn document(&self) -> &'a Document {
        self.document
    }

    /// Returns the abbreviations that the document defines.
    pub fn abbreviations(&self) -> &[Abbreviation] {
        &self.abbreviations
    }

    /// Returns a mention that begins at byte `place` of the document with its short forms expanded, each by its nearest definition above; `None`
    /// if it has none.
    pub fn expand(&self, mention: &str, place: usize) -> Option<String> {
        self.short_forms.expand(mention, place)
    }

    /// Adds short forms in brackets behind mentions with the same initials in any order (`myotonic dystrophy (DM)`).
    /// Returns whether there was any.
    pub fn define_behind(&mut self, mentions: impl Iterator<Item = Span>) -> bool {
        if !self.expands {
            return false;
        }
        let mut more = defined_behind(&self.document.text, mentions, &self.abbreviations);
        if more.is_empty() {
            return false;
        }
        more.append(&mut self.abbreviations);
        self.short_forms = ShortForms::of(&self.document.text, &more);
        self.abbreviations = more;
        true
    }

    pub(crate) fn short_forms(&self) -> &ShortForms<'a> {
        &self.short_forms
    }
}
