//! Documents in XML: one walk over the elements of every format.
//!
//! Each document becomes a tree of the elements that its format has. An element or a text in another place would be lost, so
//! it is a problem of the document.

use truename_error::{ErrorKind, HintPart, hint};
use truename_read::Source;
use truename_read::xml::{Piece, Pieces, UnresolvedReferences, attribute, local};
use truename_text::excerpt;

use crate::output::Output;
use crate::source::read_failure;
use crate::wrong::Wrong;
use crate::{Error, ReadOptions};

/// Name of the element of a document.
const DOCUMENT: &str = "document";

/// The elements of a format.
pub(crate) struct Schema {
    /// Name of the format.
    pub(crate) format: &'static str,
    /// Name of the root in messages about its content.
    pub(crate) whole: &'static str,
    /// Description of the root for files with another.
    pub(crate) root: &'static str,
    /// Elements within an element; those within `""` may be the root. One that begins with a dot is the end of a name.
    pub(crate) children: fn(&str) -> &'static [&'static str],
    /// Elements that hold content of documents, and must not stand outside of one.
    pub(crate) content: &'static [&'static str],
    /// True for elements whose content is not looked at.
    pub(crate) is_skipped: fn(&str, &ReadOptions) -> bool,
    /// Id of a document, as far as it was read.
    pub(crate) id: fn(&Element) -> &str,
}

/// An element of a document.
#[derive(Default)]
pub(crate) struct Element {
    pub(crate) name: &'static str,
    pub(crate) line: u64,
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        attribute(&self.attributes, name)
    }

    /// Takes the text of the only child of a name.
    pub(crate) fn only(&mut self, name: &str) -> Result<Option<String>, Wrong> {
        let mut found = self.children.iter_mut().filter(|child| child.name == name);
        let first = found.next().map(|child| std::mem::take(&mut child.text));
        match found.next() {
            Some(second) => Err(Wrong::at(second.line, format!("a second <{name}> stands in one <{}>", self.name))),
            None => Ok(first),
        }
    }
}

/// Reads a file, and passes each whole document on.
pub(crate) fn read(
    source: Source,
    schema: &Schema,
    output: &mut Output<'_>,
    mut take: impl FnMut(Element, &mut Output<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let path = source.path().to_owned();
    let mut pieces = Pieces::new(source.into_text(), "XML").several();
    let unresolved = pieces.unresolved();
    let mut walk = Walk { schema, unresolved, open: Vec::new(), within: None, problem: None, begun: false };
    while !output.stopped {
        let piece = match pieces.read() {
            Ok(piece) => piece,
            Err(error) if !walk.begun && error.kind() != ErrorKind::TooLong => return Err(error),
            Err(error) => {
                let wrong = read_failure(error, &output.options)?;
                output.give_one(walk.document().map_or("", schema.id), Err(wrong));
                return Ok(());
            }
        };
        let line = pieces.line();
        match piece {
            None => break,
            Some(Piece::Text(text)) => walk.text(&text, line, output),
            Some(Piece::Start { name, attributes }) => {
                if !walk.begun && walk.known(local(&name)).is_none() {
                    let what = format!("its root is <{}>, not {}", excerpt(local(&name)), schema.root);
                    let message = format!("this XML is not {}: {what}", schema.format);
                    let format = || HintPart::setting("input_format");
                    let advice = hint!["name the format with ", format(), "; for plain text, ", format().value("text")];
                    return Err(Error::at(ErrorKind::Syntax, &path, None, message).with_hint(advice));
                }
                if walk.start(local(&name), attributes, line, output) {
                    pieces.begin_value();
                }
            }
            Some(Piece::End { .. }) => {
                if let Some(document) = walk.end() {
                    pieces.end_value();
                    let (id, problem) = ((schema.id)(&document).to_owned(), walk.problem.take());
                    match problem {
                        Some(wrong) => output.give_one(&id, Err(wrong)),
                        None => take(document, output)?,
                    }
                }
            }
        }
    }
    Ok(())
}

/// An element that has not ended.
struct OpenElement {
    /// Name in the file.
    name: String,
    element: Element,
    /// True if what stands in it is left out.
    is_skipped: bool,
}

/// The place in a file.
struct Walk<'s> {
    schema: &'s Schema,
    unresolved: UnresolvedReferences,
    open: Vec<OpenElement>,
    /// Place of the document among the open elements.
    within: Option<usize>,
    /// First problem of the document.
    problem: Option<Wrong>,
    begun: bool,
}

impl Walk<'_> {
    fn document(&self) -> Option<&Element> {
        self.within.map(|at| &self.open[at].element)
    }

    /// Returns the name in the schema of an element that may stand here.
    fn known(&self, name: &str) -> Option<&'static str> {
        let parent = self.open.last().map_or("", |open| open.element.name);
        // What is not in the schema has no name.
        let children = if parent.is_empty() && !self.open.is_empty() { &[] } else { (self.schema.children)(parent) };
        children.iter().copied().find(|known| *known == name || (known.starts_with('.') && name.ends_with(known)))
    }

    /// Returns true if a document begins.
    fn start(&mut self, name: &str, attributes: Vec<(String, String)>, line: u64, output: &mut Output<'_>) -> bool {
        self.begun = true;
        let is_within = self.within.is_some();
        let known = self.known(name);
        let mut is_skipped = self.open.last().is_some_and(|open| open.is_skipped);
        if !is_skipped {
            match known {
                Some(known) => is_skipped = (self.schema.is_skipped)(known, &output.options),
                None => {
                    self.misplaced(name, line, output);
                    is_skipped = is_within;
                }
            }
        }
        let attributes = if known.is_some() { attributes } else { Vec::new() };
        let element = Element { name: known.unwrap_or_default(), line, attributes, ..Element::default() };
        self.open.push(OpenElement { name: name.to_owned(), element, is_skipped });
        let begins = !is_within && known == Some(DOCUMENT);
        if begins {
            self.within = Some(self.open.len() - 1);
        }
        begins
    }

    /// Returns the document that ends.
    fn end(&mut self) -> Option<Element> {
        let OpenElement { element, .. } = self.open.pop()?;
        if self.within == Some(self.open.len()) {
            self.within = None;
            return Some(element);
        }
        if self.within.is_some()
            && let Some(parent) = self.open.last_mut().filter(|parent| !parent.is_skipped)
            && !element.name.is_empty()
        {
            parent.element.children.push(element);
        }
        None
    }

    fn text(&mut self, text: &str, line: u64, output: &mut Output<'_>) {
        let unresolved = std::mem::take(&mut *self.unresolved.borrow_mut());
        let is_within = self.within.is_some();
        let parent = self.open.last_mut();
        if parent.as_ref().is_some_and(|parent| parent.is_skipped) {
            return;
        }
        for (line, reference) in unresolved.into_iter().filter(|_| is_within) {
            let message = match reference.strip_prefix("&#") {
                Some(_) => format!("{} stands for no character", excerpt(&reference)),
                None => format!("the entity {} is not declared; write the character itself", excerpt(&reference)),
            };
            self.problem.get_or_insert_with(|| Wrong::at(line, message));
        }
        match parent {
            Some(parent)
                if (self.schema.children)(parent.element.name).is_empty() || parent.element.name.is_empty() =>
            {
                if is_within {
                    parent.element.text.push_str(text);
                }
            }
            _ if text.trim().is_empty() => {}
            parent => {
                let (text, Schema { format, whole, .. }) = (excerpt(text.trim()), self.schema);
                let message = match parent {
                    None => format!("the text \"{text}\" stands outside the {whole}"),
                    Some(parent) => {
                        format!(
                            "the text \"{text}\" stands in <{}> itself, where {format} has none",
                            excerpt(&parent.name)
                        )
                    }
                };
                self.tell(line, message, output);
            }
        }
    }

    /// Reports an element that the format does not have here, where content would be lost.
    fn misplaced(&mut self, name: &str, line: u64, output: &mut Output<'_>) {
        let Schema { format, whole, .. } = self.schema;
        let message = match self.open.last() {
            None => format!("<{}> stands outside the {whole}", excerpt(name)),
            Some(open) if self.within.is_some() && (self.schema.children)(open.element.name).is_empty() => {
                format!("<{}> stands within <{}>, which holds text alone; write < as &lt;", excerpt(name), open.name)
            }
            Some(open) => format!("{format} has no <{}> within <{}>", excerpt(name), excerpt(&open.name)),
        };
        if self.open.is_empty() || self.within.is_some() || self.schema.content.contains(&name) {
            self.tell(line, message, output);
        }
    }

    /// Keeps the problem of the document; outside of a document it is one of the file.
    fn tell(&mut self, line: u64, message: String, output: &mut Output<'_>) {
        let wrong = Wrong::at(line, message);
        match self.within {
            Some(_) => _ = self.problem.get_or_insert(wrong),
            None => output.give_one("", Err(wrong)),
        }
    }
}
