//! Queries: names to link, with the document around them where there is one.

use std::borrow::Cow;

use truename_text::{Document, Span};

use crate::MentionVector;

/// A name to link, optionally with its context.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Query<'a> {
    /// Name as written, or the long form of an abbreviation.
    pub name: &'a str,
    /// Place of the mention in its document.
    pub context: Option<Context<'a>>,
    /// Vector of the mention, where a network has read the document already.
    pub vector: Option<&'a MentionVector>,
}

/// The document around a mention.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Document with the mention.
    pub document: &'a Document,
    /// Span of the mention in the document's text.
    pub span: Span,
}

impl<'a> Query<'a> {
    /// Creates a query without context.
    pub fn new(name: &'a str) -> Self {
        Self { name, context: None, vector: None }
    }

    /// Adds the document that mentions the name.
    #[must_use]
    pub fn in_context(self, document: &'a Document, span: Span) -> Self {
        Self { context: Some(Context { document, span }), ..self }
    }

    /// Adds the vector of the mention, which counts where the encoder of the knowledge base is the network that made it.
    #[must_use]
    pub fn with_vector(self, vector: Option<&'a MentionVector>) -> Self {
        Self { vector, ..self }
    }

    /// Answers the queries that have a context by `answer`, which is given the text of each with the name in the place of the mention, and the
    /// place of the name there. The others have the default answer.
    ///
    /// # Errors
    /// If `answer` fails.
    pub fn answer_in_context<T: Default, E>(
        queries: &[Self],
        answer: impl FnOnce(&[(&str, Span)]) -> Result<Vec<T>, E>,
    ) -> Result<Vec<T>, E> {
        let contexts: Vec<Option<(Cow<'_, str>, Span)>> = queries.iter().map(Self::named_context).collect();
        let asked: Vec<(&str, Span)> = contexts.iter().flatten().map(|(text, name)| (text.as_ref(), *name)).collect();
        let mut answers = answer(&asked)?.into_iter();
        let of = |context: &Option<_>| context.as_ref().and_then(|_| answers.next()).unwrap_or_default();
        Ok(contexts.iter().map(of).collect())
    }

    /// Returns the text of the document with the name in the place of the mention, and the place of the name there; `None` without context.
    pub(crate) fn named_context(&self) -> Option<(Cow<'a, str>, Span)> {
        let Context { document, span } = self.context?;
        Some(span.replaced(&document.text, self.name))
    }
}

impl<'a> From<&'a str> for Query<'a> {
    fn from(name: &'a str) -> Self {
        Self::new(name)
    }
}
