//! Names in the text that another column of their row holds.

use truename::{Document, Query, Span};

/// A name with the text around it, if there is any.
pub struct InContext {
    name: String,
    context: Option<(Document, Span)>,
}

impl InContext {
    /// Creates a name without a text.
    pub fn alone(name: String) -> Self {
        Self { name, context: None }
    }

    /// Places a name where the text has it first as whole words, in capitals or not; before the text, with a colon, where it does not.
    pub fn new(name: String, text: String) -> Self {
        if name.trim().is_empty() || text.trim().is_empty() || text.trim() == name.trim() {
            return Self::alone(name);
        }
        let (text, span) = match place_of(&name, &text) {
            Some(span) => (text, span),
            None => (format!("{name}: {text}"), Span::new(0, name.len())),
        };
        Self { name, context: Some((Document::new("", text), span)) }
    }

    /// Returns the query for the name.
    pub fn query(&self) -> Query<'_> {
        let query = Query::new(&self.name);
        self.context.as_ref().map_or(query, |(document, span)| query.in_context(document, *span))
    }
}

/// Returns the first place of a name as whole words of a text, in capitals or not.
fn place_of(name: &str, text: &str) -> Option<Span> {
    let name: Vec<char> = name.trim().chars().flat_map(char::to_lowercase).collect();
    let is_inside = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let end_of = |start: usize| {
        let mut wanted = name.iter().peekable();
        for (at, letter) in text[start..].char_indices() {
            if wanted.peek().is_none() {
                return (!letter.is_alphanumeric()).then_some(start + at);
            }
            if !letter.to_lowercase().all(|letter| wanted.next() == Some(&letter)) {
                return None;
            }
        }
        wanted.peek().is_none().then_some(text.len())
    };
    let starts = text.char_indices().filter(|(at, _)| !is_inside(text[..*at].chars().next_back()));
    let mut found = starts.filter_map(|(start, _)| Some(Span::new(start, end_of(start)?)));
    found.next().filter(|_| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_as_whole_words() {
        let place = |name, text: &str| place_of(name, text).map(|span| text[span.range()].to_owned());
        assert_eq!(place("cold", "Scolding the COLD wind"), Some("COLD".into()));
        assert_eq!(place("cold", "colder, scold"), None);
        assert_eq!(place("Straße", "in der straße."), Some("straße".into()));
        assert_eq!(place("a", "İa a"), Some("a".into()));
        assert_eq!(place("", "text"), None);
    }

    #[test]
    fn a_name_that_the_text_lacks_stands_before_it() {
        let named = |text: &str| InContext::new("flu".to_owned(), text.to_owned());
        let beside = named("fever since Monday");
        let context = beside.query().context.unwrap();
        assert_eq!((context.document.text.as_str(), context.span), ("flu: fever since Monday", Span::new(0, 3)));
        assert!(named("a flu").query().context.is_some());
        for empty in ["", " ", "flu"] {
            assert!(named(empty).query().context.is_none(), "{empty}");
        }
        assert!(InContext::new(" ".to_owned(), "fever".to_owned()).query().context.is_none());
    }
}
