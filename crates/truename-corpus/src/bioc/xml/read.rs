use std::io;

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::encoding::EncodingError;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::attributes::{AttrError, Attribute};
use quick_xml::events::{BytesRef, BytesStart, Event};
use truename_read::Source;
use truename_text::excerpt;

use crate::Error;
use crate::bioc::{REST, RawAnnotation, RawDocument, RawPassage, RawPiece};
use crate::output::Output;
use crate::source::failure;
use crate::wrong::Wrong;
use crate::wrong::not_utf8;

/// Deepest nesting of elements; BioC has no more than six levels.
const DEEPEST: usize = 32;

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let (path, text) = (source.path().to_owned(), source.into_text());
    let watch = text.watch();
    let mut reader = Reader::from_reader(text);
    reader.config_mut().expand_empty_elements = true;
    let (mut state, mut buffer) = (State::default(), Vec::new());
    while !output.stopped {
        let event = reader.read_event_into(&mut buffer);
        let line = watch.line();
        let ended = matches!(event, Ok(Event::Eof));
        let taken = match event {
            Err(quick_xml::Error::Io(error)) => Err(failure(&watch, copied(&error), &output.options)?),
            Err(quick_xml::Error::Encoding(EncodingError::Utf8(_))) => Err(not_utf8("a byte here")),
            Err(error) => Err(format!("not XML: {error}")),
            Ok(event) => state.take(event, line, output),
        };
        if state.other.is_some() || (ended && !state.begun) {
            return Err(not_bioc(&path, state.other.as_deref()));
        }
        if let Err(message) = taken {
            let id = state.document.map(|document| document.id).unwrap_or_default();
            output.give_one(&id, Err(Wrong::at(line, format!("{message}; {REST}"))));
            return Ok(());
        }
        if state.document.is_none() {
            watch.begin_value();
        }
        if ended {
            break;
        }
        buffer.clear();
    }
    Ok(())
}

fn not_bioc(path: &std::path::Path, root: Option<&str>) -> Error {
    let what = root.map_or("it has no element".into(), |root| format!("its root is <{}>", excerpt(root)));
    let message = format!("this XML is not BioC: {what}, not <collection>");
    Error::refused(Some(path), message, "name the format with --input-format; for plain text, --input-format text")
}

/// Returns the same error once more.
pub(crate) fn copied(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

/// The reader's place in the file.
#[derive(Default)]
struct State {
    within: Vec<String>,
    /// The text of the element so far.
    text: String,
    infon: String,
    document: Option<RawDocument>,
    begun: bool,
    /// The root, where it is none of BioC.
    other: Option<String>,
}

impl State {
    fn take(&mut self, event: Event<'_>, line: u64, output: &mut Output<'_>) -> Result<(), String> {
        match event {
            Event::Eof if !self.within.is_empty() => return Err("the file ends within a collection".into()),
            Event::Eof => self.check_text(line, output),
            Event::Start(start) => self.start(&start, line, output)?,
            Event::Text(piece) => self.text.push_str(&piece.xml10_content()),
            Event::CData(piece) => self.text.push_str(&piece.xml10_content()),
            Event::GeneralRef(reference) => match resolved(&reference) {
                Some(text) => self.text.push_str(&text),
                None if self.ignored(output) => {}
                None if reference.starts_with('#') => {
                    self.fail(line, format!("&{}; stands for no character", excerpt(&reference)));
                }
                None => {
                    let message = "is not expanded; write the character itself";
                    self.fail(line, format!("the entity &{}; {message}", excerpt(&reference)));
                }
            },
            Event::End(_) => self.end(line, output),
            _ => {}
        }
        Ok(())
    }

    /// Returns true if this is part of a relation, or of an annotation that is not looked at.
    fn ignored(&self, output: &Output<'_>) -> bool {
        let ignored = |name: &String| name == "relation" || (name == "annotation" && !output.options.mentions);
        self.within.iter().any(ignored)
    }

    /// Reports an element in a place where BioC has none and its text would be lost.
    fn check_place(&mut self, name: &str, line: u64, output: &mut Output<'_>) {
        let parent = self.parent();
        if children(parent).contains(&name) || self.ignored(output) {
            return;
        }
        let message = match parent {
            "text" | "infon" | "offset" | "id" => {
                format!("<{}> stands within <{parent}>, which holds text alone; write < as &lt;", excerpt(name))
            }
            "" => format!("<{}> stands outside the collection", excerpt(name)),
            _ => format!("BioC has no <{}> within <{}>", excerpt(name), excerpt(parent)),
        };
        if self.document.is_some() {
            self.fail(line, message);
        } else if matches!(name, "document" | "passage" | "sentence" | "text") || parent.is_empty() {
            output.give_one("", Err(Wrong::at(line, message)));
        }
    }

    /// Reports text beside elements, and forgets it.
    fn check_text(&mut self, line: u64, output: &mut Output<'_>) {
        let text = std::mem::take(&mut self.text);
        let (parent, text) = (self.parent(), text.trim());
        if text.is_empty() || holds_text(parent) || self.ignored(output) {
            return;
        }
        let text = excerpt(text);
        let message = match parent {
            "" => format!("the text \"{text}\" stands outside the collection"),
            _ => format!("the text \"{text}\" stands in <{parent}> itself, where BioC has none"),
        };
        match self.document {
            Some(_) => self.fail(line, message),
            None => output.give_one("", Err(Wrong::at(line, message))),
        }
    }

    fn parent(&self) -> &str {
        self.within.last().map_or("", String::as_str)
    }

    fn fail(&mut self, line: u64, message: String) {
        if let Some(document) = &mut self.document {
            document.problem.get_or_insert(Wrong::at(line, message));
        }
    }

    fn start(&mut self, start: &BytesStart<'_>, line: u64, output: &mut Output<'_>) -> Result<(), String> {
        let name = start.local_name().as_ref().to_owned();
        if !self.begun && !children("").contains(&&*name) {
            self.other = Some(name);
            return Ok(());
        }
        self.begun = true;
        if self.within.len() == DEEPEST {
            return Err(format!("more than {DEEPEST} elements lie in one another"));
        }
        let ignored = self.ignored(output) || holds_text(self.parent());
        self.check_text(line, output);
        self.check_place(&name, line, output);
        let attributes = attributes(start)?;
        let attribute = |key: &str| attributes.iter().find(|(found, _)| found == key).map(|(_, value)| value.clone());
        let parent = self.within.last().map_or("", String::as_str);
        if ignored {
            // Not looked at, or told as a problem.
        } else if name == "document" && self.document.is_none() {
            self.document = Some(RawDocument { line: Some(line), ..RawDocument::default() });
        } else if let Some(document) = &mut self.document {
            match (parent, name.as_str()) {
                (_, "infon") => self.infon = attribute("key").unwrap_or_default(),
                (_, "passage") => document.passages.push(RawPassage::default()),
                (_, "sentence") => document.add_sentence(),
                (_, "relation") => document.relations += 1,
                (_, "annotation") if output.options.mentions => {
                    document.annotations.push(RawAnnotation { line: Some(line), ..RawAnnotation::default() });
                }
                ("annotation", "location") => {
                    if let Some(annotation) = document.annotations.last_mut() {
                        annotation.locations.push((attribute("offset"), attribute("length")));
                    }
                }
                _ => {}
            }
        }
        self.within.push(name);
        Ok(())
    }

    fn end(&mut self, line: u64, output: &mut Output<'_>) {
        if !holds_text(self.parent()) {
            self.check_text(line, output);
        }
        let ignored = self.ignored(output);
        let name = self.within.pop().unwrap_or_default();
        let parent = self.within.last().map_or("", String::as_str);
        let text = std::mem::take(&mut self.text);
        if let Some(document) = &mut self.document
            && !ignored
            && let Err(message) = document.take(parent, &name, &self.infon, text)
        {
            self.fail(line, message);
        }
        if name == "document"
            && !self.within.iter().any(|name| name == "document")
            && let Some(document) = self.document.take()
        {
            document.give(output);
        }
    }
}

impl RawDocument {
    fn add_sentence(&mut self) {
        if let Some(passage) = self.passages.last_mut() {
            passage.pieces.push(RawPiece::default());
        }
    }

    /// Takes the text of an element that ends. An element that there can be one of is not taken twice.
    fn take(&mut self, parent: &str, name: &str, infon: &str, text: String) -> Result<(), String> {
        let passage = self.passages.last_mut();
        let slot = match (parent, name) {
            ("document", "id") if self.id.is_empty() => {
                self.id = text.trim().to_owned();
                return Ok(());
            }
            ("document", "id") => return Err("a second <id> stands in one <document>".into()),
            ("passage", "infon") if infon == "type" => {
                passage.into_iter().for_each(|passage| passage.kind = Some(text.trim().into()));
                return Ok(());
            }
            ("passage", "offset") => passage.map(|passage| &mut passage.offset),
            ("passage", "text") => passage.map(|passage| &mut passage.text),
            ("sentence", "offset") => passage.and_then(|p| p.pieces.last_mut()).map(|piece| &mut piece.offset),
            ("sentence", "text") => passage.and_then(|p| p.pieces.last_mut()).map(|piece| &mut piece.text),
            ("annotation", "text") => self.annotations.last_mut().map(|annotation| &mut annotation.text),
            ("annotation", "infon") => {
                let annotation = self.annotations.last_mut();
                annotation.into_iter().for_each(|annotation| annotation.infons.push((infon.to_owned(), text.clone())));
                return Ok(());
            }
            _ => None,
        };
        match slot.map(|slot| slot.replace(text)) {
            Some(Some(_)) => Err(format!("a second <{name}> stands in one <{parent}>")),
            _ => Ok(()),
        }
    }
}

/// Returns the elements that BioC has within an element (BioC.dtd, and annotations of a whole document).
fn children(parent: &str) -> &'static [&'static str] {
    match parent {
        "" => &["collection", "document"],
        "collection" => &["source", "date", "key", "infon", "document"],
        "document" => &["id", "infon", "passage", "annotation", "relation"],
        "passage" => &["infon", "offset", "text", "sentence", "annotation", "relation"],
        "sentence" => &["infon", "offset", "text", "annotation", "relation"],
        "annotation" => &["infon", "location", "text"],
        _ => &[],
    }
}

/// Returns true if an element may hold text; elements unknown to BioC may.
fn holds_text(name: &str) -> bool {
    !matches!(name, "" | "collection" | "document" | "passage" | "sentence" | "annotation" | "relation")
}

/// Returns the attributes of an element with their values.
pub(crate) fn attributes(start: &BytesStart<'_>) -> Result<Vec<(String, String)>, String> {
    let read = |attribute: Result<Attribute<'_>, AttrError>| {
        let attribute = attribute.map_err(quick_xml::Error::from)?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
        Ok((attribute.key.local_name().as_ref().to_owned(), value.into_owned()))
    };
    let attributes = start.attributes().map(read).collect::<Result<_, quick_xml::Error>>();
    attributes.map_err(|error| format!("not XML: the attributes of <{}>: {error}", excerpt(start.name().as_ref())))
}

/// Returns the text that a reference stands for; none where it is an entity that the file declares, or no character.
pub(crate) fn resolved(reference: &BytesRef<'_>) -> Option<String> {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => Some(character.to_string()),
        Ok(None) => resolve_xml_entity(reference).map(str::to_owned),
        Err(_) => None,
    }
}
