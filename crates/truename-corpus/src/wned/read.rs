//! Reads the XML file of WNED with the text of each document from the folder beside it.

use std::ops::ControlFlow;
use std::path::{Component, Path};

use truename_error::ErrorKind;
use truename_read::Source;
use truename_text::{Document, excerpt};

use super::document::with_text;
use super::{ROOT, TEXTS};
use crate::elements::{self, Schema};
use crate::output::Output;
use crate::source::text;
use crate::wrong::Wrong;
use crate::{Error, Problem, ReadOptions};

/// Returns the text of a document by its name, or its problem.
type TextOf<'a> = &'a dyn Fn(&str) -> Result<Result<String, Problem>, Error>;

/// Reads a file beside the folder of its texts.
pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let folder = source.path().parent().unwrap_or(Path::new("")).join(TEXTS);
    if !folder.is_dir() {
        let message = format!("there is no folder {TEXTS} with the texts beside it");
        let advice = "put it there, as the data set has it; the files in it have the documents' names";
        return Err(Error::at(ErrorKind::NotFound, source.path(), None, message).with_hint(advice));
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
    let source = Source::of_reader(name, std::io::Cursor::new(xml.to_vec()), &options.source)?;
    let mut output = Output::new(name, options, visit);
    read_all(source, &mut output, &|id| Ok(text_of(id).ok_or_else(|| no_text(name, name, id))))
}

fn text_of(folder: &Path, name: &str, file: &Path, options: &ReadOptions) -> Result<Result<String, Problem>, Error> {
    let path = folder.join(name);
    if !path.is_file() {
        return Ok(Err(no_text(&path, file, name)));
    }
    let text = text(Source::open_with_mark(&path, &options.source)?, options)?;
    Ok(text.map_err(|wrong| wrong.in_file(&path, Some(name))))
}

fn no_text(path: &Path, file: &Path, name: &str) -> Problem {
    let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let message = format!("there is no such text; docName in {file} names it");
    Problem::new(path, None, message).in_document(Some(name.to_owned()))
}

/// The elements of WNED.
const SCHEMA: Schema = Schema {
    format: "WNED",
    whole: "corpus",
    root: "one that ends in .entityAnnotation",
    children: |parent| match parent {
        "" => &[ROOT],
        ROOT => &["document"],
        "document" => &["annotation"],
        "annotation" => &["mention", "wikiName", "offset", "length"],
        _ => &[],
    },
    content: &["document", "annotation", "mention", "wikiName"],
    is_skipped: |_, _| false,
    id: |document| document.attribute("docName").unwrap_or_default(),
};

fn read_all(source: Source, output: &mut Output<'_>, text_of: TextOf<'_>) -> Result<(), Error> {
    elements::read(source, &SCHEMA, output, |document, output| {
        let (name, line) = (document.attribute("docName").map(str::to_owned), document.line);
        let refused = match &name {
            None => Some("a document without docName".to_owned()),
            Some(name) if !is_file_name(name) => Some(format!("\"{}\" is no name of a file", excerpt(name))),
            Some(_) => None,
        };
        let id = name.unwrap_or_default();
        if let Some(message) = refused {
            output.give_one(&id, Err(Wrong::at(line, message)));
            return Ok(());
        }
        match text_of(&id)? {
            Ok(text) => output.give_one(&id, with_text(document, text, &output.options)),
            Err(problem) => output.give(Err(problem)),
        }
        Ok(())
    })
}

/// Returns whether a name is that of a file in a folder, and leads nowhere else.
fn is_file_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
}
