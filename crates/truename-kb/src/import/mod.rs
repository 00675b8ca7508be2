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
mod dictionary;
mod format;
mod gilda;
mod iri_label;
mod jsonl;
mod lines;
mod mesh;
mod obo;
mod obograph;
mod options;
mod owlxml;
mod placeholder;
mod rdf;
mod report;
mod rrf;
mod sssom;
mod table;
mod wordnet;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use truename_read::Source;

pub use self::aliases::{AliasReport, Vocabulary};
use self::collector::Collector;
pub use self::format::Format;
pub(crate) use self::options::ENCODING_HINT;
pub use self::options::{Columns, ImportOptions, SynonymScopes};
pub use self::report::{FileReport, Import};
use crate::Error;

/// Reads the files of a knowledge base; entries with the same id become one concept.
///
/// # Errors
/// If a file cannot be read, its format is unknown, its syntax is beyond repair, or no file holds
/// anything; with [`ImportOptions::strict`] also at the first problem.
pub fn read_files(paths: &[PathBuf], options: &ImportOptions) -> Result<Import, Error> {
    for path in paths {
        let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        options.progress.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    }
    let mut collector = Collector::new(options, paths.len());
    for path in paths {
        let (format, source) = open(path, options)?;
        collector.begin(path, format);
        read_one(format, source, &mut collector)?;
    }
    let import = collector.finish()?;
    if import.concepts.is_empty() && import.removed.is_empty() && import.mappings.is_empty() {
        return Err(import.without_concepts());
    }
    Ok(import)
}

/// Reads the file of an outside vocabulary, for [`Import::add_aliases`]. In an SSSOM table the labels are names.
///
/// # Errors
/// As [`read_files`].
pub fn read_vocabulary(path: &Path, options: &ImportOptions) -> Result<Import, Error> {
    let mut collector = Collector::new(options, 1);
    let (format, source) = open(path, options)?;
    collector.begin(path, format);
    match format {
        Format::Sssom => sssom::read_labels(source, &mut collector)?,
        _ => read_one(format, source, &mut collector)?,
    }
    let import = collector.finish()?;
    if import.concepts.is_empty() && import.mappings.is_empty() {
        return Err(import.without_concepts());
    }
    Ok(import)
}

fn open(path: &Path, options: &ImportOptions) -> Result<(Format, Source), Error> {
    let source = Source::open(path, &options.source())?;
    let columns = &options.columns;
    let is_table = columns.id.is_some() || columns.name.is_some() || columns.delimiter.is_some() || columns.no_header;
    let format = options.format.or_else(|| Format::detect(path, &source.beginning_text()));
    let format = format.or_else(|| is_table.then_some(Format::Csv));
    Ok((format.ok_or_else(|| Error::unknown_format(path, Format::names()))?, source))
}

/// Reads a file in memory, as fuzzers do.
///
/// # Errors
/// As [`read_files`].
pub fn read_bytes(bytes: &[u8], format: Format, options: &ImportOptions) -> Result<Import, Error> {
    let path = Path::new("memory");
    let mut collector = Collector::new(options, 1);
    collector.begin(path, format);
    let source = Source::of_reader(path, std::io::Cursor::new(bytes.to_vec()), &options.source())?;
    read_one(format, source, &mut collector)?;
    collector.finish()
}

fn read_one(format: Format, source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    match format {
        Format::Jsonl => jsonl::read(source, collector),
        Format::Csv => table::read(source, collector, None),
        Format::Tsv => table::read(source, collector, Some(b'\t').filter(|_| collector.options.format.is_some())),
        Format::Obo => obo::read(source, collector),
        Format::OboGraph => obograph::read(source, collector),
        Format::Turtle => rdf::read_turtle(source, collector),
        Format::RdfXml => rdf::read_xml(source, collector),
        Format::OwlXml => owlxml::read(source, collector),
        Format::Rrf => rrf::read(source, collector),
        Format::Ctd => ctd::read(source, collector),
        Format::Mesh => mesh::read(source, collector),
        Format::Gilda => gilda::read(source, collector),
        Format::Sssom => sssom::read(source, collector),
        Format::Dictionary => dictionary::read(source, collector),
        Format::Wordnet => wordnet::read(source, collector),
        Format::Clusters => clusters::read(source, collector),
    }
}
