//! Writes BioC collections in XML, without the characters that XML 1.0 lacks.

use std::io::{self, Write};

use truename_text::{Document, Mention, OffsetUnit, Offsets};

use crate::bioc::{ASSERTIONS, locations, parts};

pub(crate) const BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE collection SYSTEM \"BioC.dtd\">\n\
                                <collection><source></source><date></date><key></key>\n";
pub(crate) const END: &str = "</collection>\n";

/// Returns the number of characters of a text that XML 1.0 has no place for.
pub(crate) fn replaced(text: &str) -> u64 {
    text.chars().filter(|c| replacement(*c).is_some()).count() as u64
}

/// Returns what stands for a character that XML 1.0 has no place for, most control characters, U+FFFE and U+FFFF: a space or U+FFFD, which
/// moves no offset.
fn replacement(character: char) -> Option<char> {
    match character {
        '\t' | '\n' | '\r' => None,
        '\0'..' ' => Some(' '),
        '\u{FFFE}' | '\u{FFFF}' => Some('\u{FFFD}'),
        _ => None,
    }
}

/// Writes a document of a collection, with the [`replacement`] of each character that XML 1.0 has no place for.
pub(crate) fn write(out: &mut impl Write, document: &Document, unit: OffsetUnit) -> io::Result<()> {
    let offsets = Offsets::new(&document.text, unit);
    let mut number = 0;
    writeln!(out, "<document><id>{}</id>", escaped(&document.id))?;
    for part in parts(document) {
        let (offset, text) = (offsets.of_byte(part.span.start), &document.text[part.span.range()]);
        out.write_all(b"<passage>")?;
        if let Some(kind) = part.kind {
            write_infon(out, "type", kind)?;
        }
        writeln!(out, "<offset>{offset}</offset><text>{}</text>", escaped(text))?;
        for mention in part.mentions {
            number += 1;
            write_annotation(out, number, &document.text, mention, &offsets)?;
        }
        writeln!(out, "</passage>")?;
    }
    writeln!(out, "</document>")
}

fn write_annotation(
    out: &mut impl Write,
    number: usize,
    text: &str,
    mention: &Mention,
    offsets: &Offsets,
) -> io::Result<()> {
    write!(out, "<annotation id=\"{number}\">")?;
    if !mention.mention_type.is_empty() {
        write_infon(out, "type", &mention.mention_type)?;
    }
    if let Some(id) = &mention.id {
        write_infon(out, "identifier", id)?;
    }
    if let Some(probability) = mention.probability {
        write_infon(out, "probability", &probability.to_string())?;
    }
    if !mention.assertions.is_empty() {
        write_infon(out, ASSERTIONS, &mention.assertions.to_string())?;
    }
    for span in locations(mention) {
        let offset = offsets.of_byte(span.start);
        write!(out, "<location offset=\"{offset}\" length=\"{}\"/>", offsets.of_byte(span.end) - offset)?;
    }
    writeln!(out, "<text>{}</text></annotation>", escaped(&mention.surface(text)))
}

fn write_infon(out: &mut impl Write, key: &str, value: &str) -> io::Result<()> {
    write!(out, "<infon key=\"{key}\">{}</infon>", escaped(value))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // A parser would make it, or it and the line feed after it, a line feed.
            '\r' => escaped.push_str("&#13;"),
            _ => escaped.push(replacement(character).unwrap_or(character)),
        }
    }
    escaped
}
