//! XML for every reader: tags balanced to the end of the file, entities resolved within bounds, all text of an
//! element in one piece.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Read};
use std::rc::Rc;

use quick_xml::Reader;
use quick_xml::errors::{Error as XmlError, SyntaxError};
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::error::{Error, undecodable};
use crate::text::{Text, Watch};

/// Elements within each other. No vocabulary goes beyond twenty.
const MAX_DEPTH: usize = 1000;
/// Entities within entities.
const MAX_ENTITY_DEPTH: usize = 16;
/// Bytes that entities may stand for in all, however short the file (libexpat's threshold of activation).
const MAX_EXPANSION_BYTES: u64 = 8 << 20;
/// Largest ratio of expanded to read bytes beyond that. Ontologies that
/// abbreviate every namespace stay below 6; libexpat allows 100, which is much of a file that was compressed.
const MAX_AMPLIFICATION: u64 = 20;

/// A part of a document.
#[derive(Debug)]
pub enum Piece {
    /// The start of an element: its name and attributes as written, with prefixes.
    Start {
        /// The name.
        name: String,
        /// Names and values of the attributes.
        attributes: Vec<(String, String)>,
    },
    /// All text up to the next tag, references resolved.
    Text(String),
    /// The end of an element.
    End {
        /// The name.
        name: String,
    },
}

/// References that could not be resolved, each with its line.
pub type UnresolvedReferences = Rc<RefCell<Vec<(u64, String)>>>;

/// Reads a document piece by piece.
pub struct Pieces {
    reader: Reader<Text>,
    watch: Rc<Watch>,
    what: &'static str,
    buffer: Vec<u8>,
    open: Vec<String>,
    has_root: bool,
    text: String,
    pending: Option<Piece>,
    entities: HashMap<String, Rc<str>>,
    expanded: u64,
    unresolved: UnresolvedReferences,
    is_in_value: bool,
    takes_roots: bool,
}

impl Pieces {
    /// Begins to read; `what` is the name of the format in messages.
    pub fn new(text: Text, what: &'static str) -> Self {
        let watch = text.watch();
        let mut reader = Reader::from_reader(text);
        reader.config_mut().expand_empty_elements = true;
        Self {
            reader,
            watch,
            what,
            buffer: Vec::new(),
            open: Vec::new(),
            has_root: false,
            text: String::new(),
            pending: None,
            entities: HashMap::new(),
            expanded: 0,
            unresolved: UnresolvedReferences::default(),
            is_in_value: false,
            takes_roots: false,
        }
    }

    /// Reads documents one after another; text beside their roots is a piece too.
    #[must_use]
    pub fn several(self) -> Self {
        Self { takes_roots: true, ..self }
    }

    /// Begins a value with the last piece: the pieces up to [`Pieces::end_value`] may be as long as a line together.
    pub fn begin_value(&mut self) {
        self.is_in_value = true;
    }

    /// Ends a value; each piece may be as long as a line again.
    pub fn end_value(&mut self) {
        self.is_in_value = false;
    }

    /// Returns the line that is being read.
    pub fn line(&self) -> u64 {
        self.watch.line()
    }

    /// Returns the references in text that could not be resolved, which the text has as written.
    pub fn unresolved(&self) -> UnresolvedReferences {
        Rc::clone(&self.unresolved)
    }

    /// Returns the next piece; none at the end of the document.
    ///
    /// # Errors
    /// If the document cannot be read, is malformed or cut off, or goes beyond a bound.
    pub fn read(&mut self) -> Result<Option<Piece>, Error> {
        if let Some(piece) = self.pending.take() {
            return Ok(Some(piece));
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let piece = loop {
            buffer.clear();
            if !self.is_in_value {
                self.watch.begin_value();
            }
            let event = match self.reader.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(error) => return Err(self.watch.failure_or(|| self.malformed(&error))),
            };
            match event {
                Event::Start(start) => break Some(self.start(&start)?),
                Event::End(_) => break Some(Piece::End { name: self.open.pop().unwrap_or_default() }),
                Event::Text(text) => self.text.push_str(&text.xml10_content()),
                Event::CData(text) => self.text.push_str(&text.xml10_content()),
                Event::GeneralRef(reference) => self.refer(&reference)?,
                Event::DocType(declaration) => self.declare(&declaration.into_inner()),
                Event::Eof => break None,
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
            self.watch.check(self.text.len() as u64)?;
        };
        self.buffer = buffer;
        self.hand_out(piece)
    }

    /// Returns the text before a tag, which is kept for the next call, or else the tag.
    fn hand_out(&mut self, tag: Option<Piece>) -> Result<Option<Piece>, Error> {
        let text = std::mem::take(&mut self.text);
        let outside = match &tag {
            Some(Piece::Start { .. }) => self.open.len() == 1,
            Some(_) => false,
            None => true,
        };
        if outside && !self.takes_roots && !text.trim().is_empty() {
            return Err(self.error(&format!("text outside of the root element: \"{}\"", truename_text::excerpt(&text))));
        }
        match tag {
            None if !self.has_root => Err(self.watch.ends_early("the file ends before its first element")),
            None => match self.open.last() {
                Some(name) => Err(self.watch.ends_early(&format!("the file ends before </{name}>"))),
                None if text.trim().is_empty() => Ok(None),
                None => Ok(Some(Piece::Text(text))),
            },
            tag if text.is_empty() => Ok(tag),
            tag => {
                self.pending = tag;
                Ok(Some(Piece::Text(text)))
            }
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<Piece, Error> {
        if self.open.is_empty() && self.has_root && !self.takes_roots {
            return Err(self.error("a second root element"));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(self.error(&format!("more than {MAX_DEPTH} elements within each other")));
        }
        let name: &str = start.name().into_inner();
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| self.malformed(&error.into()))?;
            let mut value = String::with_capacity(attribute.value.len());
            let known = self.unresolved.borrow().len();
            self.expand(&attribute.value, 0, &mut value)?;
            if let Some((_, reference)) = self.unresolved.borrow().get(known) {
                return Err(self.error(&format!("no entity {reference} is declared; an attribute has it")));
            }
            attributes.push((attribute.key.into_inner().to_owned(), value));
        }
        self.has_root = true;
        self.open.push(name.to_owned());
        Ok(Piece::Start { name: name.to_owned(), attributes })
    }

    fn refer(&mut self, reference: &BytesRef<'_>) -> Result<(), Error> {
        let mut text = std::mem::take(&mut self.text);
        self.resolve(reference, 0, &mut text)?;
        self.text = text;
        Ok(())
    }

    /// Appends `raw` with its references resolved.
    fn expand(&mut self, raw: &str, depth: usize, into: &mut String) -> Result<(), Error> {
        let mut rest = raw;
        while let Some((before, after)) = rest.split_once('&') {
            into.push_str(before);
            let Some((name, after)) = after.split_once(';') else {
                return Err(self.error("a reference without its `;`"));
            };
            self.resolve(name, depth, into)?;
            rest = after;
        }
        into.push_str(rest);
        Ok(())
    }

    fn resolve(&mut self, name: &str, depth: usize, into: &mut String) -> Result<(), Error> {
        if let Ok(Some(character)) = BytesRef::new(name).resolve_char_ref() {
            into.push(character);
        } else if let Some(predefined) = quick_xml::escape::resolve_xml_entity(name) {
            into.push_str(predefined);
        } else if let Some(value) = self.entities.get(name).cloned() {
            // An entity that is empty costs time too.
            self.expanded += 1 + value.len() as u64;
            let bound = MAX_EXPANSION_BYTES.max(MAX_AMPLIFICATION * self.watch.bytes());
            if depth == MAX_ENTITY_DEPTH || self.expanded > bound {
                return Err(self.error(&format!("the entity &{name}; stands for too much text")));
            }
            self.watch.check((into.len() + value.len()) as u64)?;
            self.expand(&value, depth + 1, into)?;
        } else {
            let reference = format!("&{name};");
            into.push_str(&reference);
            self.unresolved.borrow_mut().push((self.line(), reference));
        }
        Ok(())
    }

    /// Keeps the entities of a document type declaration. Parameter and external entities are left out, so that
    /// nothing but the file itself is read.
    fn declare(&mut self, declaration: &str) {
        let Some((_, mut rest)) = declaration.split_once('[') else { return };
        while let Some(at) = rest.find('<') {
            rest = &rest[at..];
            if let Some(comment) = rest.strip_prefix("<!--") {
                rest = comment.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            let (inside, after) = markup_declaration(rest);
            if let Some((name, value)) = inside.strip_prefix("<!ENTITY").and_then(entity) {
                // XML 1.0, section 4.2: the first declaration is binding.
                self.entities.entry(name.to_owned()).or_insert_with(|| value.into());
            }
            rest = after;
        }
    }

    fn malformed(&self, error: &XmlError) -> Error {
        match error {
            XmlError::Syntax(unclosed) => {
                let unclosed = match unclosed {
                    SyntaxError::UnclosedComment => "a comment",
                    SyntaxError::UnclosedCData => "a CDATA section",
                    SyntaxError::UnclosedDoctype => "the document type declaration",
                    SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl => "a processing instruction",
                    _ => "a tag",
                };
                self.watch.ends_early(&format!("the file ends within {unclosed}"))
            }
            XmlError::Encoding(_) => {
                let message = format!("not {}: a text that is not UTF-8", self.what);
                undecodable(self.watch.path(), Some(self.line()), message)
            }
            error => self.error(&error.to_string()),
        }
    }

    fn error(&self, message: &str) -> Error {
        self.watch.error(format!("not {}: {message}", self.what))
    }
}

/// Returns a declaration up to its `>`, and the rest of the text.
fn markup_declaration(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if byte == b'>' => return text.split_at(at),
            None => {}
        }
    }
    (text, "")
}

/// Returns the name and value of `name "value"`.
fn entity(declaration: &str) -> Option<(&str, &str)> {
    let (name, value) = declaration.trim().split_once(|c: char| c.is_ascii_whitespace())?;
    let value = value.trim();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Some((name, value.strip_prefix(quote)?.strip_suffix(quote)?))
}

/// Returns an attribute's value by its local name.
pub fn attribute<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Returns a name without its prefix.
pub fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// A document reduced to elements, attributes and text, as bytes for another parser.
pub struct Plain {
    pieces: Pieces,
    watch: Rc<Watch>,
    written: Vec<u8>,
    at: usize,
}

impl Plain {
    /// Creates the bytes of a document.
    pub fn new(pieces: Pieces) -> Self {
        let watch = Rc::clone(&pieces.watch);
        Self { pieces, watch, written: Vec::new(), at: 0 }
    }
}

impl Read for Plain {
    /// Reads one piece at most, so that the parser is never further than the line that the watch says.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.written.len() {
            self.written.clear();
            self.at = 0;
            match self.pieces.read() {
                Ok(Some(piece)) => write(&piece, &mut self.written),
                Ok(None) => return Ok(0),
                Err(error) => return Err(self.watch.fail(error)),
            }
        }
        let amount = (&self.written[self.at..]).read(buffer)?;
        self.at += amount;
        Ok(amount)
    }
}

fn write(piece: &Piece, into: &mut Vec<u8>) {
    let mut put = |parts: &[&str]| parts.iter().for_each(|part| into.extend_from_slice(part.as_bytes()));
    match piece {
        Piece::Start { name, attributes } => {
            put(&["<", name]);
            for (name, value) in attributes {
                put(&[" ", name, "=\"", &quick_xml::escape::escape(value.as_str()), "\""]);
            }
            put(&[">"]);
        }
        Piece::Text(text) => put(&[&quick_xml::escape::partial_escape(text.as_str())]),
        Piece::End { name } => put(&["</", name, ">"]),
    }
}
