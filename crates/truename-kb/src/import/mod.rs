//! Reads published knowledge bases into [`Concept`](crate::Concept)s.
//!
//! Each format is a file here with a function that hands entries to a collector. Malformed entries are
//! skipped, counted and listed as a [`Problem`](truename_text::Problem); with [`ImportOptions::strict`] the first one
//! ends the import.

mod aliases;
mod clean;
mod clusters;
mod collector;
mod ctd;
mod cycle;
mod detect;
mod dictionary;
mod folder;
mod format;
mod geonames;
mod gilda;
mod graph;
mod hgnc;
mod icd10cm;
mod iri;
mod iri_label;
mod jsonl;
mod lines;
mod list_cell;
mod loinc;
mod markup;
mod mesh;
mod ncbi_gene;
mod ncit_flat;
mod obo;
mod obograph;
mod omop;
mod options;
mod owlxml;
mod placeholder;
mod published;
mod rdf;
mod report;
mod rf2;
mod rrf;
mod sssom;
mod table;
mod uniprot;
mod wordnet;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use truename_error::{ErrorKind, HintPart, hint};
use truename_read::Source;

pub use self::aliases::{AliasReport, Vocabulary};
use self::collector::Collector;
pub use self::format::Format;
pub use self::options::{Columns, ImportOptions, SynonymScopes};
pub use self::report::{FileReport, Import};
pub use self::sssom::is_negated;
use crate::Error;

/// Reads the files of a knowledge base; entries with the same id become one concept.
///
/// A path is a file, `-` for stdin, a folder, or a pattern such as `releases/*.obo`. Of a folder or pattern, all files whose format
/// is known are read; where it holds a published vocabulary, the files of that vocabulary.
/// The order of files that belong together does not matter.
///
/// # Errors
/// If a file cannot be read, its format is unknown, its syntax is beyond repair, or no file holds
/// anything; with [`ImportOptions::strict`] also at the first problem.
pub fn read_files(paths: &[PathBuf], options: &ImportOptions) -> Result<Import, Error> {
    let import = read_all(inputs(paths, options)?, options, read_one)?;
    if import.concepts.is_empty() && import.removed.is_empty() && import.mappings.is_empty() {
        return Err(import.without_concepts());
    }
    Ok(import)
}

/// Reads the files of an outside vocabulary, for [`Import::add_aliases`]. In an SSSOM table the labels are names.
///
/// # Errors
/// As [`read_files`].
pub fn read_vocabulary(path: &Path, options: &ImportOptions) -> Result<Import, Error> {
    let import = read_all(inputs(&[path.to_owned()], options)?, options, |format, source, collector| match format {
        Format::Sssom => sssom::LABELS.read(source, collector),
        _ => read_one(format, source, collector),
    })?;
    if import.concepts.is_empty() && import.mappings.is_empty() {
        return Err(import.without_concepts());
    }
    Ok(import)
}

/// Reads a file in memory, as fuzzers do.
///
/// # Errors
/// As [`read_files`].
pub fn read_bytes(bytes: &[u8], format: Format, options: &ImportOptions) -> Result<Import, Error> {
    let path = PathBuf::from("memory");
    let source = Source::of_reader(&path, std::io::Cursor::new(bytes.to_vec()), &options.source())?;
    read_all(vec![Input { path, format, order: 0, source: Some(source), note: None }], options, read_one)
}

/// A file to read.
struct Input {
    path: PathBuf,
    format: Format,
    /// Its place among files that belong together.
    order: usize,
    /// Its content, if it cannot be opened a second time. A folder may have more files than a process may open.
    source: Option<Source>,
    /// A note about the files beside it.
    note: Option<String>,
}

/// Opens the files that paths stand for.
fn inputs(paths: &[PathBuf], options: &ImportOptions) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    for path in paths {
        let files = truename_read::files(path)?;
        if files == [path.as_path()] {
            inputs.push(open(path, options)?)
        } else {
            inputs.extend(folder::choose(path, files, options)?)
        }
    }
    rrf::add_ranks(&mut inputs);
    inputs.sort_by_key(|input| input.order);
    Ok(inputs)
}

fn open(path: &Path, options: &ImportOptions) -> Result<Input, Error> {
    let source = Source::open_table(path, &options.source())?;
    let beginning = source.beginning_text();
    let columns = &options.columns;
    let told = if source.is_parquet() { Some(Format::Csv) } else { Format::detect(path, &beginning) };
    let table = || columns.are_of_table().then_some(Format::Csv);
    let format = options.format.or(told).or_else(table).ok_or_else(|| {
        let message = format!("cannot tell the format of {}", path.display());
        let names = format!(", one of {}", Format::names());
        Error::new(ErrorKind::Syntax, message).with_hint(hint!["name it with ", HintPart::setting("format"), names])
    })?;
    // Columns that are named are read as they are asked for.
    let is_plain = options.format.is_none()
        && match format {
            Format::Dictionary | Format::Clusters => columns.are_of_table(),
            format => format.is_published_table() && columns.are_named(),
        };
    let format = if is_plain { Format::Csv } else { format };
    let (path, order) = (path.to_owned(), detect::order(format, &beginning));
    Ok(Input { path, format, order, source: Some(source).filter(|source| !source.is_file()), note: None })
}

fn read_all(
    inputs: Vec<Input>,
    options: &ImportOptions,
    read: impl Fn(Format, Source, &mut Collector) -> Result<(), Error>,
) -> Result<Import, Error> {
    let bytes = |input: &Input| std::fs::metadata(&input.path).map_or(0, |metadata| metadata.len());
    options.progress.bytes_total.fetch_add(inputs.iter().map(bytes).sum(), Ordering::Relaxed);
    let mut collector = Collector::new(options, inputs.len());
    for Input { path, format, source, note, .. } in inputs {
        collector.begin(&path, format);
        note.into_iter().for_each(|note| collector.add_note(note));
        let source = source.map_or_else(|| Source::open_table(&path, &options.source()), Ok)?;
        read(format, source, &mut collector)?;
    }
    collector.finish()
}

fn read_one(format: Format, source: Source, collector: &mut Collector) -> Result<(), Error> {
    if format == Format::Rf2 {
        rf2::check_release(source.path())?;
    }
    if let Some(published) = detect::tables(format) {
        return published.read(source, collector);
    }
    if matches!(format, Format::Csv | Format::Tsv)
        && let Some(known) = detect::of_published(&source.beginning_text())
    {
        let name = known.as_str();
        collector.add_note(format!(
            "a table of the format {name} that is read as a plain one, its inactive rows with the others"
        ));
    }
    match format {
        Format::Csv => table::read(source, collector, None),
        Format::Tsv => table::read(source, collector, Some(b'\t').filter(|_| collector.options.format.is_some())),
        Format::Obo => obo::read(source, collector),
        Format::OboGraph => obograph::read(source, collector),
        Format::Turtle => rdf::read_turtle(source, collector),
        Format::JsonLd => rdf::read_json_ld(source, collector),
        Format::RdfXml => rdf::read_xml(source, collector),
        Format::OwlXml => owlxml::read(source, collector),
        Format::Rrf => rrf::read(source, collector),
        Format::Icd10Cm => icd10cm::read(source, collector),
        Format::Mesh => mesh::read(source, collector),
        Format::Dictionary => dictionary::read(source, collector),
        Format::Wordnet => wordnet::read(source, collector),
        Format::Clusters => clusters::read(source, collector),
        _ => jsonl::read(source, collector),
    }
}
