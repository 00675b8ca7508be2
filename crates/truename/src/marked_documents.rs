//! Documents with markup, read without it.

use rayon::prelude::*;
use truename_text::{Document, Mention, PlainText, Span};

/// A batch of documents of which some have markup, and what is read in their place.
pub(crate) struct MarkedDocuments {
    texts: Vec<Option<PlainText>>,
    /// All documents without markup; none if none has any.
    plain: Vec<Document>,
}

impl MarkedDocuments {
    pub(crate) fn of(documents: &[Document]) -> Self {
        let texts: Vec<Option<PlainText>> =
            documents.par_iter().map(|document| PlainText::of(&document.text)).collect();
        let plain = |(document, text): (&Document, &Option<PlainText>)| match text {
            Some(text) => text.document(document),
            None => document.clone(),
        };
        let has_markup = texts.iter().any(Option::is_some);
        let plain = if has_markup { documents.iter().zip(&texts).map(plain).collect() } else { Vec::new() };
        Self { texts, plain }
    }

    /// Returns the documents to read, given those of the batch.
    pub(crate) fn plain<'d>(&'d self, documents: &'d [Document]) -> &'d [Document] {
        if self.plain.is_empty() { documents } else { &self.plain }
    }

    /// Returns the place of a mention in document number `at` of the batch, given its place in what was read; `None` if that is the document
    /// itself. A mention that the document has keeps its own place.
    pub(crate) fn written(&self, documents: &[Document], at: usize, span: Span, fragments: &[Span]) -> Option<Mention> {
        let (document, text) = (&documents[at], self.texts[at].as_ref()?);
        let given = document.mentions.iter().zip(&self.plain[at].mentions);
        let mut given = given.filter(|(_, plain)| plain.span == span && plain.fragments == fragments);
        if let Some((given, _)) = given.next() {
            return Some(Mention { span: given.span, fragments: given.fragments.clone(), ..Mention::default() });
        }
        let place = |span: Span| text.written_span(&document.text, span);
        let fragments = fragments.iter().map(|span| place(*span)).collect();
        Some(Mention { span: place(span), fragments, ..Mention::default() })
    }
}
