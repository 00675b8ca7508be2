//! Reads files, folders and patterns of any format, a document at a time.

use std::collections::HashSet;
use std::error::Error as _;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use truename_error::ErrorKind;
use truename_read::{Source, has_extension};
use truename_text::{Document, Problem};

use crate::Error;
use crate::format::Format;
use crate::options::ReadOptions;
use crate::output::Output;
use crate::{bioc, brat, conll, detect, jsonl, pubtator, text, wiki, wned};

/// Counts of a file that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The format of the file; of several files that of the last.
    pub format: Format,
    /// Annotations that a [`Document`] has no place for: relations, events, attributes, notes, and those
    /// without a place in the text.
    pub left_out: u64,
}

/// Reads a file, and hands each document, or its [`Problem`], to `visit`, which may end the reading.
///
/// The path may be `-` for stdin, a pattern such as `notes/*.txt`, or a folder, whose files are read one by one in the order of
/// their names; one that cannot be read is a problem then. `.txt` and `.ann` files beside each other are brat's, and a
/// folder with `.ann` files has nothing but them.
///
/// A malformed document is one problem, and the next ones are read. Where the syntax of a BioC file is
/// broken, that is the last problem, and nothing after it is read ([`Problem::ends_file`]).
///
/// # Errors
/// If the file cannot be opened or read, or is not of its format at all; if a folder has no files.
pub fn read_path(
    path: &Path,
    options: &ReadOptions,
    visit: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    if path == Path::new("-") {
        let name = Path::new("stdin");
        return read_source(name, Source::of_pipe(name, std::io::stdin(), &options.source)?, options, visit);
    }
    let files = files(path, options)?;
    let mut summary = Summary { format: options.input_format.unwrap_or(Format::Text), left_out: 0 };
    for file in &files {
        let mut output = Output::new(file, options, visit);
        match read_file(file, &mut output) {
            Ok(format) => summary = Summary { format, left_out: summary.left_out + output.left_out },
            Err(error) if files.len() == 1 => return Err(error),
            Err(error) => output.give(Err(error
                .into_problem()
                .unwrap_or_else(|error| {
                    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                    Problem::new(file.as_path(), None, format!("it cannot be read{cause}"))
                })
                .ending_file())),
        }
        if output.stopped {
            break;
        }
    }
    Ok(summary)
}

/// Returns the files that a path stands for, and folders of brat.
fn files(path: &Path, options: &ReadOptions) -> Result<Vec<PathBuf>, Error> {
    let is_folder = path.is_dir();
    if is_folder && options.input_format == Some(Format::Brat) {
        return Ok(vec![path.to_owned()]);
    }
    let files = truename_read::files(path)?;
    if files.is_empty() {
        return Err(Error::at(ErrorKind::NotFound, path, None, "the folder has no files")
            .with_hint("name a folder of documents, or the files in it"));
    }
    let folders_of = |is_one: fn(&Path) -> bool| -> HashSet<&Path> {
        let found = files.iter().filter(|file| is_folder && is_one(file));
        found.filter_map(|file| file.parent()).collect()
    };
    let annotated = folders_of(|file| file.extension().is_some_and(|extension| extension == "ann"));
    let marked_up = folders_of(|file| has_extension(file, "xml"));
    let is_text_of_wned = |file: &Path| {
        let folder = file.parent().filter(|folder| folder.ends_with(wned::TEXTS));
        folder.and_then(Path::parent).is_some_and(|above| marked_up.contains(above))
    };
    let (listed, mut taken) = (files.iter().collect::<HashSet<_>>(), HashSet::new());
    let mut found = Vec::new();
    for file in &files {
        let folder = file.parent().filter(|folder| options.input_format.is_none() && annotated.contains(folder));
        let text = brat::text_of(file);
        let is_part = is_text_of_wned(file) || (text != *file && listed.contains(&text));
        let unit = folder.unwrap_or(file);
        if (folder.is_some() || !is_part) && taken.insert(unit) {
            found.push(unit.to_owned());
        }
    }
    Ok(found)
}

/// Reads a file or a folder of brat, and returns its format.
fn read_file(path: &Path, output: &mut Output<'_>) -> Result<Format, Error> {
    if path.is_dir() || output.options.input_format == Some(Format::Brat) {
        return brat::read(path, output).map(|()| Format::Brat);
    }
    let source = Source::open(path, &output.options.source)?;
    let is_annotated = || output.options.mentions && brat::has_annotations(path);
    let told = || detect::of_source(path, &source, is_annotated());
    let format = output.options.input_format.map_or_else(told, Ok)?;
    match format {
        Format::Brat => brat::read(path, output)?,
        _ => read_one(format, source, output)?,
    }
    Ok(format)
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
    read_source(name, Source::of_reader(name, reader, &options.source)?, options, visit)
}

fn read_source(
    name: &Path,
    source: Source,
    options: &ReadOptions,
    visit: &mut dyn FnMut(Result<Document, Problem>) -> ControlFlow<()>,
) -> Result<Summary, Error> {
    let format = options.input_format.map_or_else(|| detect::of_source(name, &source, false), Ok)?;
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
    first.map_or(Ok(documents), |problem| Err(Error::of_problem(ErrorKind::Syntax, problem)))
}

fn read_one(format: Format, source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    output.encoding = Some(source.encoding()).filter(|encoding| !encoding.is_utf8());
    match format {
        Format::Text => text::read(source, output),
        Format::Lines => text::read_lines(source, output),
        Format::Jsonl => jsonl::read(source, output),
        Format::Pubtator => pubtator::read(source, output),
        Format::BiocXml => bioc::xml::read(source, output),
        Format::BiocJson => bioc::json::read(source, output),
        Format::Conll => conll::read(source, output),
        Format::Wned => wned::read(source, output),
        Format::Wiki => wiki::read(source, output),
        Format::Brat => {
            let error = Error::at(ErrorKind::Choice, source.path(), None, brat::NO_STREAM);
            Err(error.with_hint("name the .txt file, or the folder of them"))
        }
    }
}
