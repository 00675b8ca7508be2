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
mod folder;
mod format;
mod geonames;
mod gilda;
mod graph;
mod hgnc;
mod icd10cm;
mod iri_label;
mod jsonl;
mod lines;
mod loinc;
mod mesh;
mod ncbi_gene;
mod ncit_flat;
mod obo;
mod obograph;
mod omop;
mod options;
mod owlxml;
mod placeholder;
mod rdf;
mod report;
mod rf2;
mod rows;
mod rrf;
mod sssom;
mod table;
mod uniprot;
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
/// Of a folder, all files whose format is known are read; where it holds a published vocabulary, the files of that vocabulary.
/// The order of files that belong together does not matter.
///
/// # Errors
/// If a file cannot be read, its format is unknown, its syntax is beyond repair, or no file holds
/// anything; with [`ImportOptions::strict`] also at the first problem.
pub fn read_files(paths: &[PathBuf], options: &ImportOptions) -> Result<Import, Error> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() { files.extend(folder::open(path, options)?) } else { files.push(open(path, options)?) }
    }
    for Input { path, .. } in &files {
        let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        options.progress.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    }
    files.sort_by_key(|file| file.order);
    let mut collector = Collector::new(options, files.len());
    let mut releases = Releases::default();
    for input in files {
        collector.begin(&input.path, input.format);
        input.note.iter().for_each(|note| collector.add_note(note.clone()));
        read_one(input.format, input.into_source(options)?, &mut collector, &mut releases)?;
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
    let input = open(path, options)?;
    let (format, source) = (input.format, input.into_source(options)?);
    collector.begin(path, format);
    match format {
        Format::Sssom => sssom::read_labels(source, &mut collector)?,
        _ => read_one(format, source, &mut collector, &mut Releases::default())?,
    }
    let import = collector.finish()?;
    if import.concepts.is_empty() && import.mappings.is_empty() {
        return Err(import.without_concepts());
    }
    Ok(import)
}

/// A file to read.
struct Input {
    path: PathBuf,
    format: Format,
    /// Its place among files that belong together.
    order: u8,
    /// Its content, if it cannot be opened a second time. A folder may have more files than a process may open.
    source: Option<Source>,
    /// A note about the files beside it.
    note: Option<String>,
}

impl Input {
    fn into_source(self, options: &ImportOptions) -> Result<Source, Error> {
        self.source.map_or_else(|| Ok(Source::open_table(&self.path, &options.source())?), Ok)
    }
}

/// Facts that files of one release state about each other.
#[derive(Default)]
struct Releases {
    rf2: rf2::Release,
    omop: omop::Release,
}

fn open(path: &Path, options: &ImportOptions) -> Result<Input, Error> {
    let source = Source::open_table(path, &options.source())?;
    let beginning = source.beginning_text();
    let columns = &options.columns;
    let told = if source.is_parquet() { Some(Format::Csv) } else { Format::detect(path, &beginning) };
    let table = || (columns.are_named() || columns.delimiter.is_some()).then_some(Format::Csv);
    let format = options.format.or(told).or_else(table).ok_or_else(|| Error::unknown_format(path, Format::names()))?;
    // Columns that are named are read as they are asked for.
    let is_plain = options.format.is_none() && format.is_published_table() && columns.are_named();
    let format = if is_plain { Format::Csv } else { format };
    let (path, order) = (path.to_owned(), format.order(&beginning));
    Ok(Input { path, format, order, source: Some(source).filter(|source| !source.is_file()), note: None })
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
    read_one(format, source, &mut collector, &mut Releases::default())?;
    collector.finish()
}

fn read_one(
    format: Format,
    source: Source,
    collector: &mut Collector<'_>,
    releases: &mut Releases,
) -> Result<(), Error> {
    match format {
        Format::Jsonl => jsonl::read(source, collector),
        Format::Csv => table::read(source, collector, None),
        Format::Tsv => table::read(source, collector, Some(b'\t').filter(|_| collector.options.format.is_some())),
        Format::Obo => obo::read(source, collector),
        Format::OboGraph => obograph::read(source, collector),
        Format::Turtle => rdf::read_turtle(source, collector),
        Format::JsonLd => rdf::read_json_ld(source, collector),
        Format::RdfXml => rdf::read_xml(source, collector),
        Format::OwlXml => owlxml::read(source, collector),
        Format::Rrf => rrf::read(source, collector),
        Format::Rf2 => rf2::read(source, collector, &mut releases.rf2),
        Format::Omop => omop::read(source, collector, &mut releases.omop),
        Format::Loinc => loinc::read(source, collector),
        Format::Hgnc => hgnc::read(source, collector),
        Format::NcbiGene => ncbi_gene::read(source, collector),
        Format::UniProt => uniprot::read(source, collector),
        Format::GeoNames => geonames::read(source, collector),
        Format::Icd10Cm => icd10cm::read(source, collector),
        Format::NcitFlat => ncit_flat::read(source, collector),
        Format::Ctd => ctd::read(source, collector),
        Format::Mesh => mesh::read(source, collector),
        Format::Gilda => gilda::read(source, collector),
        Format::Sssom => sssom::read(source, collector),
        Format::Dictionary => dictionary::read(source, collector),
        Format::Wordnet => wordnet::read(source, collector),
        Format::Clusters => clusters::read(source, collector),
    }
}
