//! Reads published knowledge bases into [`Concept`](crate::Concept)s.
//!
//! Each format is a file here with a function that hands entries to a collector. Malformed entries are
//! skipped, counted and listed as a [`Problem`](truename_text::Problem); with [`ImportOptions::strict`] the first one
//! ends the import.

mod aliases;
mod clean;
mod clusters;
mod collector;
mod csv;
mod ctd;
mod cycle;
mod dictionary;
mod format;
mod gilda;
mod iri_label;
mod jsonl;
mod mesh;
mod obo;
mod obograph;
mod options;
mod owlxml;
mod rdf;
mod report;
mod rrf;
mod source;
mod sssom;
mod watch;
mod wordnet;
mod xml;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

pub use self::aliases::{AliasReport, Vocabulary};
use self::collector::Collector;
pub use self::format::Format;
pub use self::options::{Columns, ImportOptions, SynonymScopes};
pub use self::report::{FileReport, Import};
use self::source::Source;
use crate::Error;

/// Reads the files of a knowledge base; entries with the same id become one concept.
///
/// # Errors
/// If a file cannot be read, its format is unknown, its syntax is beyond repair, or no file holds
/// anything; with [`ImportOptions::strict`] also at the first problem.
pub fn read_files(paths: &[PathBuf], options: &ImportOptions) -> Result<Import, Error> {
    for path in paths {
        let bytes = std::fs::metadata(path).map_err(|source| Error::io("read", path, source))?.len();
        options.progress.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    }
    let mut collector = Collector::new(options);
    for path in paths {
        let (format, mut source) = open(path, options)?;
        collector.begin(path, format);
        read_one(format, &mut source, &mut collector)?;
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
    let mut collector = Collector::new(options);
    let (format, mut source) = open(path, options)?;
    collector.begin(path, format);
    match format {
        Format::Sssom => sssom::read_labels(&mut source, &mut collector)?,
        _ => read_one(format, &mut source, &mut collector)?,
    }
    let import = collector.finish()?;
    if import.concepts.is_empty() && import.mappings.is_empty() {
        return Err(import.without_concepts());
    }
    Ok(import)
}

fn open(path: &Path, options: &ImportOptions) -> Result<(Format, Source), Error> {
    let source = Source::open(path, options)?;
    let format = options.format.or_else(|| Format::detect(path, source.beginning()));
    Ok((format.ok_or_else(|| Error::unknown_format(path, Format::names()))?, source))
}

/// Reads a file in memory, as fuzzers do.
///
/// # Errors
/// As [`read_files`].
pub fn read_bytes(bytes: &[u8], format: Format, options: &ImportOptions) -> Result<Import, Error> {
    let path = Path::new("memory");
    let mut collector = Collector::new(options);
    collector.begin(path, format);
    read_one(format, &mut Source::of_bytes(path, bytes.to_vec(), options)?, &mut collector)?;
    collector.finish()
}

fn read_one(format: Format, source: &mut Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    match format {
        Format::Jsonl => jsonl::read(source, collector),
        Format::Csv => csv::read(source, collector, b','),
        Format::Tsv => csv::read(source, collector, b'\t'),
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
