//! Literals of RDF whose value is markup.

use std::borrow::Cow;
use std::io::Cursor;
use std::path::Path;

use oxrdf::LiteralRef;
use oxrdf::vocab::rdf;
use truename_read::xml::{Piece, Pieces};
use truename_read::{Source, SourceOptions};

/// Returns the text of a literal: without its elements where it is XML or HTML (`rdf:parseType="Literal"`). HTML that is no XML is returned
/// as written.
pub(super) fn plain_value(literal: LiteralRef<'_>) -> Cow<'_, str> {
    let is_markup = [rdf::XML_LITERAL, rdf::HTML].contains(&literal.datatype()) && literal.value().contains(['<', '&']);
    let text = is_markup.then(|| text_of(literal.value())).flatten();
    text.map_or(Cow::Borrowed(literal.value()), Cow::Owned)
}

/// Returns the text between the elements of a piece of XML.
fn text_of(markup: &str) -> Option<String> {
    let document = Cursor::new(format!("<literal>{markup}</literal>"));
    let source = Source::of_reader(Path::new("literal"), document, &SourceOptions::default()).ok()?;
    let (mut pieces, mut text) = (Pieces::new(source.into_text(), "a literal of XML"), String::new());
    while let Some(piece) = pieces.read().ok()? {
        if let Piece::Text(piece) = piece {
            text.push_str(&piece);
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use oxrdf::{Literal, NamedNodeRef};

    use super::*;

    #[test]
    fn elements_are_taken_out_of_markup_alone() {
        let value = |text: &str, datatype: NamedNodeRef<'_>| {
            plain_value(Literal::new_typed_literal(text, datatype).as_ref()).into_owned()
        };
        assert_eq!(value("CO<sub xmlns=\"http://x.org\">2</sub> &amp; <i>water</i>", rdf::XML_LITERAL), "CO2 & water");
        assert_eq!(value("a <br> b", rdf::HTML), "a <br> b");
        assert_eq!(value("p <b>0.05</b>", oxrdf::vocab::xsd::STRING), "p <b>0.05</b>");
    }
}
