use truename_text::{Document, excerpt};

use crate::ReadOptions;
use crate::annotation::{Annotated, Annotation, number};
use crate::output::Read;
use crate::wrong::Wrong;

/// A document as the file has it.
#[derive(Default)]
pub(super) struct RawDocument {
    pub(super) id: String,
    pub(super) annotations: Vec<RawAnnotation>,
    /// The first problem.
    pub(super) problem: Option<Wrong>,
}

/// An annotation as the file has it.
#[derive(Default)]
pub(super) struct RawAnnotation {
    pub(super) line: u64,
    pub(super) mention: Option<String>,
    pub(super) title: Option<String>,
    pub(super) offset: Option<String>,
    pub(super) length: Option<String>,
}

impl RawDocument {
    /// Takes the text of an element within the last annotation.
    pub(super) fn take(&mut self, name: &str, text: String) -> Result<(), String> {
        let Some(annotation) = self.annotations.last_mut() else { return Ok(()) };
        let slot = match name {
            "mention" => &mut annotation.mention,
            "wikiName" => &mut annotation.title,
            "offset" => &mut annotation.offset,
            "length" => &mut annotation.length,
            _ => return Ok(()),
        };
        match slot.replace(text) {
            Some(_) => Err(format!("a second <{name}> stands in one <annotation>")),
            None => Ok(()),
        }
    }

    /// Returns the document with its text, or its problem.
    pub(super) fn finish(self, text: String, options: &ReadOptions) -> Result<Read, Wrong> {
        let mut document = Document::new(self.id, text);
        if !options.mentions {
            return Ok(document.into());
        }
        let annotated = Annotated::new(&document.text, options.offsets);
        let (mut mentions, mut misplaced, mut left_out) = (Vec::new(), None, 0);
        for (place, annotation) in (1..).zip(self.annotations) {
            let line = annotation.line;
            let wrong = |message: String| Wrong::at(line, message);
            let annotation = annotation.parsed(place).map_err(wrong)?;
            match annotated.mention(annotation) {
                Ok(mention) => mentions.push(mention),
                Err(message) => {
                    misplaced.get_or_insert_with(|| wrong(format!("annotation {place}: {message}")));
                    left_out += 1;
                }
            }
        }
        match misplaced {
            Some(wrong) if mentions.is_empty() => Err(wrong),
            _ => {
                document.mentions = mentions;
                Ok(Read { document, left_out })
            }
        }
    }
}

impl RawAnnotation {
    fn parsed(self, place: usize) -> Result<Annotation, String> {
        let given =
            |value: Option<String>, name: &str| value.ok_or_else(|| format!("annotation {place} has no <{name}>"));
        let of_annotation = |message: String| format!("annotation {place}: {message}");
        let start = number(&given(self.offset, "offset")?).map_err(of_annotation)?;
        let length = given(self.length, "length")?;
        let length: usize =
            length.trim().parse().map_err(|_| of_annotation(format!("\"{}\" is no length", excerpt(&length))))?;
        let end = start.checked_add(length).ok_or_else(|| of_annotation("the span is too long".into()))?;
        let id = self.title.as_deref().and_then(id);
        Ok(Annotation { pieces: vec![(start, end)], text: self.mention, id, ..Annotation::default() })
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
