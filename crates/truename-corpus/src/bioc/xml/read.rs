//! Reads BioC collections in XML.

use truename_read::Source;

use crate::Error;
use crate::bioc::{RawAnnotation, RawDocument, RawPassage, RawPiece};
use crate::elements::{self, Element, Schema};
use crate::output::Output;
use crate::wrong::Wrong;

/// The elements of BioC.dtd, and annotations of a whole document.
const SCHEMA: Schema = Schema {
    format: "BioC",
    whole: "collection",
    root: "<collection>",
    children: |parent| match parent {
        "" => &["collection", "document"],
        "collection" => &["source", "date", "key", "infon", "document"],
        "document" => &["id", "infon", "passage", "annotation", "relation"],
        "passage" => &["infon", "offset", "text", "sentence", "annotation", "relation"],
        "sentence" => &["infon", "offset", "text", "annotation", "relation"],
        "annotation" => &["infon", "location", "text"],
        _ => &[],
    },
    content: &["document", "passage", "sentence", "text"],
    is_skipped: |name, options| name == "relation" || (name == "annotation" && !options.mentions),
    id: |document| document.children.iter().find(|child| child.name == "id").map_or("", |id| id.text.trim()),
};

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    elements::read(source, &SCHEMA, output, |mut element, output| {
        let id = (SCHEMA.id)(&element).to_owned();
        let mut document = RawDocument { id, line: Some(element.line), ..RawDocument::default() };
        document.problem = element.only("id").and_then(|_| document.take(element)).err();
        document.give(output);
        Ok(())
    })
}

impl RawDocument {
    /// Takes the passages, sentences and annotations within an element.
    fn take(&mut self, element: Element) -> Result<(), Wrong> {
        for mut child in element.children {
            match child.name {
                "passage" => {
                    let kind =
                        infons(&child).rev().find(|(key, _)| key == "type").map(|(_, kind)| kind.trim().to_owned());
                    let (offset, text) = (child.only("offset")?, child.only("text")?);
                    self.passages.push(RawPassage { kind, offset, text, pieces: Vec::new() });
                    self.take(child)?;
                }
                "sentence" => {
                    let piece = RawPiece { offset: child.only("offset")?, text: child.only("text")? };
                    if let Some(passage) = self.passages.last_mut() {
                        passage.pieces.push(piece);
                    }
                    self.take(child)?;
                }
                "relation" => self.relations += 1,
                "annotation" => {
                    let owned = |value: Option<&str>| value.map(str::to_owned);
                    let of = |at: &Element| (owned(at.attribute("offset")), owned(at.attribute("length")));
                    self.annotations.push(RawAnnotation {
                        line: Some(child.line),
                        infons: infons(&child).collect(),
                        locations: child.children.iter().filter(|child| child.name == "location").map(of).collect(),
                        text: child.only("text")?,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns the keys and values of an element.
fn infons(element: &Element) -> impl DoubleEndedIterator<Item = (String, String)> {
    let infons = element.children.iter().filter(|child| child.name == "infon");
    infons.map(|infon| (infon.attribute("key").unwrap_or_default().to_owned(), infon.text.clone()))
}
