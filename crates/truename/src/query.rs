use truename_text::{Document, Span};

/// A name to link, with its context where there is one.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Query<'a> {
    /// The name as it is written, or an abbreviation in full.
    pub name: &'a str,
    /// The place of the mention in its document.
    pub context: Option<Context<'a>>,
}

/// The document around a mention.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The document.
    pub document: &'a Document,
    /// The mention in the document's text.
    pub span: Span,
}

impl<'a> Query<'a> {
    /// Asks for a name without context.
    pub fn new(name: &'a str) -> Self {
        Self { name, context: None }
    }

    /// Adds the document that mentions the name.
    #[must_use]
    pub fn in_context(self, document: &'a Document, span: Span) -> Self {
        Self { context: Some(Context { document, span }), ..self }
    }
}

impl<'a> From<&'a str> for Query<'a> {
    fn from(name: &'a str) -> Self {
        Self::new(name)
    }
}
