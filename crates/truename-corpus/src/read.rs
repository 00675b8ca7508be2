use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use truename_read::Source;
use truename_text::{Document, Problem};

use crate::detect::detect;
use crate::error::Error;
use crate::format::Format;
use crate::options::ReadOptions;
use crate::output::Output;
use crate::source::{of_reader, open};
use crate::{bioc, brat, conll, jsonl, pubtator, text, wiki, wned};

/// Counts of a file that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The format of the file.
    pub format: Format,
    /// Annotations that a [`Document`] has no place for: relations, events, attributes, notes, and those
    /// without a place in the text.
    pub left_out: u64,
}

/// Reads a file, and hands each document, or its [`Problem`], to `visit`, which may end the reading.
///
/// A malformed document is one problem, and the next ones are read. Where the syntax of a BioC file is
/// broken, that is the last problem, and nothing after it is read. For brat the path is a `.txt` or `.ann`
/// file, or a folder of them, which is read in the order of names.
///
/// # Errors
/// If the file cannot be opened or read, or is not of its format at all.
pub fn read_path(
    path: &Path,
    options: &ReadOptions,
    visit: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    let mut output = Output::new(path, options, visit);
    if path.is_dir() || options.format == Some(Format::Brat) {
        brat::read(path, &mut output)?;
        return Ok(Summary { format: Format::Brat, left_out: output.left_out });
    }
    let source = open(path, options)?;
    let format = match options.format {
        Some(format) => format,
        None => detect(path, &source.beginning_text(), brat::has_annotations(path) && options.mentions),
    };
    match format {
        Format::Brat => brat::read(path, &mut output)?,
        _ => read_one(format, source, &mut output)?,
    }
    Ok(Summary { format, left_out: output.left_out })
}

/// Reads a file from a reader, as [`read_path`] does; `name` stands for the file in messages and tells its format.
///
/// # Errors
/// The errors of [`read_path`], and for brat, which needs files. WNED needs its texts in a folder beside `name`.
pub fn read_from(
    name: &Path,
    reader: impl Read + Send + 'static,
    options: &ReadOptions,
    visit: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    let source = of_reader(name, reader, options)?;
    let format = match options.format {
        Some(format) => format,
        None => detect(name, &source.beginning_text(), false),
    };
    let mut output = Output::new(name, options, visit);
    read_one(format, source, &mut output)?;
    Ok(Summary { format, left_out: output.left_out })
}

/// Reads all documents of a file.
///
/// # Errors
/// The errors of [`read_path`]; the first problem is an error too.
pub fn read_all(path: &Path, options: &ReadOptions) -> Result<Vec<Document>, Error> {
    let (mut documents, mut first) = (Vec::new(), None);
    read_path(path, options, &mut |read| match read {
        Ok(document) => {
            documents.push(document);
            ControlFlow::Continue(())
        }
        Err(problem) => {
            first = Some(problem);
            ControlFlow::Break(())
        }
    })?;
    first.map_or(Ok(documents), |problem| Err(problem.into()))
}

fn read_one(format: Format, source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    output.encoding = Some(source.encoding()).filter(|encoding| !encoding.is_utf8());
    match format {
        Format::Text => text::read(source, output),
        Format::Jsonl => jsonl::read(source, output),
        Format::Pubtator => pubtator::read(source, output),
        Format::BiocXml => bioc::xml::read(source, output),
        Format::BiocJson => bioc::json::read(source, output),
        Format::Conll => conll::read(source, output),
        Format::Wned => wned::read(source, output),
        Format::Wiki => wiki::read(source, output),
        Format::Brat => Err(brat::needs_files(source.path())),
    }
}
