//! Escapes text for XML and HTML.

use std::fmt::{self, Write};

/// Text for an element or a quoted attribute. Characters forbidden in XML or HTML become U+FFFD, a form feed becomes a
/// space.
pub struct EscapedText<'a>(pub &'a str);

impl fmt::Display for EscapedText<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '&' => formatter.write_str("&amp;"),
            '<' => formatter.write_str("&lt;"),
            '>' => formatter.write_str("&gt;"),
            '"' => formatter.write_str("&quot;"),
            '\'' => formatter.write_str("&#39;"),
            '\u{C}' => formatter.write_char(' '),
            // A bare one would be read as a line feed.
            '\r' => formatter.write_str("&#13;"),
            other if is_forbidden(other) => formatter.write_char(char::REPLACEMENT_CHARACTER),
            other => formatter.write_char(other),
        })
    }
}

/// Escapes what askama's templates show.
#[derive(Clone, Copy, Debug)]
pub struct Escaper;

impl askama::filters::Escaper for Escaper {
    fn write_escaped_str<W: Write>(&self, mut out: W, text: &str) -> fmt::Result {
        write!(out, "{}", EscapedText(text))
    }
}

/// Returns whether a character is a control other than white space, or a noncharacter:
/// <https://www.w3.org/TR/xml/#charsets> and <https://html.spec.whatwg.org/multipage/dom.html#text-content>.
fn is_forbidden(character: char) -> bool {
    let code = u32::from(character);
    let is_noncharacter = (0xFDD0..=0xFDEF).contains(&code) || code & 0xFFFE == 0xFFFE;
    is_noncharacter || character.is_control() && !matches!(character, '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_what_is_forbidden_is_no_more() {
        assert_eq!(EscapedText("<a b=\"c\">&'é").to_string(), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;é");
        let text = "\t\n\u{C}\r|\u{1}\u{7F}\u{85}\u{9B}\u{FDD0}\u{FFFE}\u{1FFFF}|\u{A0}é🧠";
        assert_eq!(EscapedText(text).to_string(), format!("\t\n &#13;|{}|\u{A0}é🧠", "\u{FFFD}".repeat(7)));
    }
}
