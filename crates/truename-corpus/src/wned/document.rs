//! Documents of WNED: the annotations whose text stands at their offset, with titles as ids.

use truename_text::Document;

use crate::ReadOptions;
use crate::annotation::{AnnotatedText, Annotation, piece};
use crate::elements::Element;
use crate::output::ReadDocument;
use crate::wrong::Wrong;

/// Returns a document with its text, or its problem.
pub(super) fn with_text(element: Element, text: String, options: &ReadOptions) -> Result<ReadDocument, Wrong> {
    let mut document = Document::new(element.attribute("docName").unwrap_or_default(), text);
    if !options.mentions {
        return Ok(document.into());
    }
    let annotated = AnnotatedText::new(&document.text, options.offsets);
    let (mut mentions, mut misplaced, mut left_out) = (Vec::new(), None, 0);
    for (place, mut element) in (1..).zip(element.children) {
        let line = element.line;
        let [mention, title, offset, length] =
            [element.only("mention")?, element.only("wikiName")?, element.only("offset")?, element.only("length")?];
        let missing = |name: &str| Wrong::at(line, format!("annotation {place} has no <{name}>"));
        let (offset, length) = (offset.ok_or_else(|| missing("offset"))?, length.ok_or_else(|| missing("length"))?);
        let wrong = |wrong: Wrong| Wrong::at(line, wrong.within(format_args!("annotation {place}")));
        let piece = piece(&offset, &length).map_err(wrong)?;
        let id = title.as_deref().and_then(id);
        match annotated.mention(Annotation { pieces: vec![piece], text: mention, id, ..Annotation::default() }) {
            Ok(mention) => mentions.push(mention),
            Err(reason) => {
                misplaced.get_or_insert_with(|| wrong(reason));
                left_out += 1;
            }
        }
    }
    match misplaced {
        Some(wrong) if mentions.is_empty() => Err(wrong),
        _ => {
            document.mentions = mentions;
            Ok(ReadDocument { document, left_out })
        }
    }
}

/// Returns the id that a title is.
pub(crate) fn id(title: &str) -> Option<String> {
    let title = title.trim();
    if title.is_empty() || title == "NIL" {
        return None;
    }
    let mut id = String::with_capacity(title.len());
    for character in title.chars() {
        match character {
            character if character.is_whitespace() => id.push('_'),
            ',' | ';' | '+' | '|' | '%' => id.push_str(&format!("%{:02X}", u32::from(character))),
            other => id.push(other),
        }
    }
    Some(id)
}
