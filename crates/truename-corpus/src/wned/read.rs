use std::ops::ControlFlow;
use std::path::{Component, Path};

use quick_xml::Reader;
use quick_xml::encoding::EncodingError;
use quick_xml::events::{BytesStart, Event};
use truename_read::Source;
use truename_text::{Document, excerpt};

use super::document::{RawAnnotation, RawDocument};
use super::{ROOT, TEXTS, no_texts};
use crate::bioc::REST;
use crate::bioc::xml::{attributes, copied, resolved};
use crate::output::Output;
use crate::source::{failure, of_reader, open_with_mark, text};
use crate::wrong::{Wrong, not_utf8};
use crate::{Error, Problem, ReadOptions};

/// Returns the text of a document by its name, or its problem.
type TextOf<'a> = &'a dyn Fn(&str) -> Result<Result<String, Problem>, Error>;

/// Reads a file beside the folder of its texts.
pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let folder = source.path().parent().unwrap_or(Path::new("")).join(TEXTS);
    if !folder.is_dir() {
        return Err(no_texts(source.path()));
    }
    let (file, options) = (source.path().to_owned(), output.options.clone());
    read_all(source, output, &|name| text_of(&folder, name, &file, &options))
}

/// Reads the annotations of `xml`, with the text of each document by `text_of`; `name` stands for the file in messages.
///
/// # Errors
/// If the XML is not WNED's.
pub fn read_wned(
    name: &Path,
    xml: &[u8],
    text_of: &dyn Fn(&str) -> Option<String>,
    options: &ReadOptions,
    visit: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
) -> Result<(), Error> {
    let source = of_reader(name, std::io::Cursor::new(xml.to_vec()), options)?;
    let mut output = Output::new(name, options, visit);
    read_all(source, &mut output, &|id| Ok(text_of(id).ok_or_else(|| no_text(name, name, id))))
}

fn text_of(folder: &Path, name: &str, file: &Path, options: &ReadOptions) -> Result<Result<String, Problem>, Error> {
    let path = folder.join(name);
    if !path.is_file() {
        return Ok(Err(no_text(&path, file, name)));
    }
    let text = text(open_with_mark(&path, options)?, options)?;
    Ok(text.map_err(|wrong| wrong.in_file(&path, Some(name))))
}

fn no_text(path: &Path, file: &Path, name: &str) -> Problem {
    let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let message = format!("there is no such text; docName in {file} names it");
    Wrong { line: None, message }.in_file(path, Some(name))
}

fn read_all(source: Source, output: &mut Output<'_>, text_of: TextOf<'_>) -> Result<(), Error> {
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
            Ok(event) => state.take(event, line),
        };
        if state.other.is_some() || (ended && !state.begun) {
            return Err(not_wned(&path, state.other.as_deref()));
        }
        if let Err(message) = taken {
            let id = state.document.map(|document| document.id).unwrap_or_default();
            output.give_one(&id, Err(Wrong::at(line, format!("{message}; {REST}"))));
            return Ok(());
        }
        if let Some(document) = state.ended.take() {
            give(document, output, text_of)?;
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

fn give(document: RawDocument, output: &mut Output<'_>, text_of: TextOf<'_>) -> Result<(), Error> {
    let id = document.id.clone();
    if let Some(wrong) = document.problem {
        output.give_one(&id, Err(wrong));
        return Ok(());
    }
    match text_of(&id)? {
        Ok(text) => {
            let read = document.finish(text, &output.options);
            output.give_one(&id, read);
        }
        Err(problem) => output.give(Err(problem)),
    }
    Ok(())
}

fn not_wned(path: &Path, root: Option<&str>) -> Error {
    let what = root.map_or("it has no element".into(), |root| format!("its root is <{}>", excerpt(root)));
    let message = format!("this XML is not WNED: {what}, not one that ends in {ROOT}");
    Error::refused(Some(path), message, "name the format with --input-format")
}

/// The reader's place in the file.
#[derive(Default)]
struct State {
    within: Vec<String>,
    /// The text of the element so far.
    text: String,
    document: Option<RawDocument>,
    /// The document whose end was read.
    ended: Option<RawDocument>,
    begun: bool,
    /// The root, where it is none of WNED.
    other: Option<String>,
}

impl State {
    fn take(&mut self, event: Event<'_>, line: u64) -> Result<(), String> {
        match event {
            Event::Eof if !self.within.is_empty() => Err("the file ends within a corpus".into()),
            Event::Eof => self.check_text(line),
            Event::Start(start) => self.start(&start, line),
            Event::Text(piece) => {
                self.text.push_str(&piece.xml10_content());
                Ok(())
            }
            Event::CData(piece) => {
                self.text.push_str(&piece.xml10_content());
                Ok(())
            }
            Event::GeneralRef(reference) => match resolved(&reference) {
                Some(text) => {
                    self.text.push_str(&text);
                    Ok(())
                }
                None => {
                    let entity = excerpt(&reference);
                    self.fail(line, format!("the entity &{entity}; is not expanded; write the character itself"))
                }
            },
            Event::End(_) => self.end(line),
            _ => Ok(()),
        }
    }

    fn parent(&self) -> &str {
        self.within.last().map_or("", String::as_str)
    }

    /// Keeps the problem of the document; outside a document it ends the reading.
    fn fail(&mut self, line: u64, message: String) -> Result<(), String> {
        let Some(document) = &mut self.document else { return Err(message) };
        document.problem.get_or_insert(Wrong::at(line, message));
        Ok(())
    }

    fn start(&mut self, start: &BytesStart<'_>, line: u64) -> Result<(), String> {
        let name = start.local_name().as_ref().to_owned();
        if !self.begun && !name.ends_with(ROOT) {
            self.other = Some(name);
            return Ok(());
        }
        if self.within.is_empty() && self.begun {
            return Err(format!("<{}> stands outside the corpus", excerpt(&name)));
        }
        self.begun = true;
        self.check_text(line)?;
        let attributes = attributes(start)?;
        match (self.within.len(), name.as_str()) {
            (0, _) => {}
            (1, "document") => self.begin(attributes, line),
            (2, "annotation") => {
                if let Some(document) = &mut self.document {
                    document.annotations.push(RawAnnotation { line, ..RawAnnotation::default() });
                }
            }
            (3, "mention" | "wikiName" | "offset" | "length") => {}
            (depth, _) if depth > DEEPEST => return Err(format!("more than {DEEPEST} elements lie in one another")),
            _ => {
                let message = format!("WNED has no <{}> within <{}>", excerpt(&name), excerpt(self.parent()));
                self.fail(line, message)?;
            }
        }
        self.within.push(name);
        Ok(())
    }

    fn begin(&mut self, attributes: Vec<(String, String)>, line: u64) {
        let name = attributes.into_iter().find(|(key, _)| key == "docName").map(|(_, value)| value);
        let problem = match &name {
            None => Some("a document without docName".to_owned()),
            Some(name) if !is_file_name(name) => Some(format!("\"{}\" is no name of a file", excerpt(name))),
            Some(_) => None,
        };
        let problem = problem.map(|message| Wrong::at(line, message));
        self.document = Some(RawDocument { id: name.unwrap_or_default(), problem, ..RawDocument::default() });
    }

    /// Reports text beside elements, and forgets it.
    fn check_text(&mut self, line: u64) -> Result<(), String> {
        let text = std::mem::take(&mut self.text);
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        let message = match self.parent() {
            "" => format!("the text \"{}\" stands outside the corpus", excerpt(text)),
            parent => {
                format!("the text \"{}\" stands in <{}> itself, where WNED has none", excerpt(text), excerpt(parent))
            }
        };
        self.fail(line, message)
    }

    fn end(&mut self, line: u64) -> Result<(), String> {
        let depth = self.within.len();
        if depth < 4 {
            self.check_text(line)?;
        }
        let (name, text) = (self.within.pop().unwrap_or_default(), std::mem::take(&mut self.text));
        let taken = self.document.as_mut().filter(|_| depth == 4).map_or(Ok(()), |document| document.take(&name, text));
        if let Err(message) = taken {
            self.fail(line, message)?;
        }
        if depth == 2 {
            self.ended = self.document.take();
        }
        Ok(())
    }
}

/// Deepest nesting of elements; WNED has no more than four levels.
const DEEPEST: usize = 16;

/// Returns whether a name is that of a file in a folder, and leads nowhere else.
fn is_file_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
}
