//! From the files in which knowledge bases are published to [`Concept`]s.
//!
//! Each format is one file here with one function, which hands what it finds to a collector. What is
//! malformed is skipped, counted and listed as a [`Problem`]; with [`ImportOptions::strict`] the first one
//! ends the import.

mod collector;
mod csv;
mod ctd;
mod dictionary;
mod format;
mod gilda;
mod jsonl;
mod mesh;
mod obo;
mod obograph;
mod owlxml;
mod rdf;
mod rrf;
mod source;
mod sssom;
mod xml;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use collector::{Collector, Entry};
pub use format::Format;
use source::Source;
use truename_text::Problem;

use crate::{Concept, ConceptId, Error, Progress};

/// Advice on bytes that are not UTF-8.
const ENCODING_HINT: &str = "name the encoding of the file, as in --encoding windows-1252";

/// How to read the files.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The format of all files; told by extension and content where this is `None`.
    pub format: Option<Format>,
    /// The encoding of text files that are not UTF-8 and have no byte order mark, by its WHATWG label.
    pub encoding: Option<String>,
    /// Whether the first malformed entry ends the import.
    pub strict: bool,
    /// Which columns of a table hold what.
    pub columns: Columns,
    /// Languages kept where a format says one (`ENG` in RRF, `en` in RDF); English where this is empty.
    pub languages: Vec<String>,
    /// Source vocabularies kept of UMLS (`SAB`, as `MSH`); all where this is empty.
    pub sources: Vec<String>,
    /// Synonym scopes kept of ontologies.
    pub scopes: SynonymScopes,
    /// Names a class without a label by the last part of its IRI: `HeartAttack` as "Heart Attack".
    pub label_from_iri: bool,
    /// Longest line or value in bytes; [`ImportOptions::MAX_LINE_BYTES`] where this is `None`.
    pub max_line_bytes: Option<u64>,
    /// Counts that another thread may watch, and the switch to stop.
    pub progress: Arc<Progress>,
}

impl ImportOptions {
    /// Longest line or value taken unless the options say otherwise: 64 MiB. It bounds the memory that a small
    /// compressed file can take.
    pub const MAX_LINE_BYTES: u64 = 64 << 20;
}

/// Which columns of a table hold what; each is found by its usual names where it is `None`.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The concept id.
    pub id: Option<String>,
    /// A name, or several joined by `separator`.
    pub name: Option<String>,
    /// Further names.
    pub synonyms: Option<String>,
    /// Types.
    pub types: Option<String>,
    /// What joins several values in one cell; `|` where this is `None`, and then the name is not split.
    pub separator: Option<String>,
}

/// Which synonyms of an ontology count as names (OBO 1.4, section "synonym scope").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynonymScopes {
    /// Synonyms that mean more than the concept.
    pub broad: bool,
    /// Synonyms that mean less than the concept.
    pub narrow: bool,
    /// Synonyms that are related in some other way, or of unknown scope.
    pub related: bool,
}

impl Default for SynonymScopes {
    fn default() -> Self {
        Self { broad: false, narrow: false, related: true }
    }
}

/// What the files held.
#[derive(Debug, Default)]
pub struct Import {
    /// The concepts, in the order of the files.
    pub concepts: Vec<Concept>,
    /// Ids that the files say are gone (`"removed": true`, obsolete terms).
    pub removed: Vec<ConceptId>,
    /// Equivalences of which neither side is among the concepts.
    pub mappings: Vec<(String, String)>,
    /// What was read of each file.
    pub files: Vec<FileReport>,
    /// The first problems found.
    pub problems: Vec<Problem>,
    /// How many there were in all.
    pub problem_count: u64,
}

/// What was read of one file.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// Its size in bytes.
    pub bytes: u64,
    /// Entries or rows taken from it.
    pub entries: u64,
}

impl Import {
    /// Refuses files that are not enough for a new knowledge base.
    ///
    /// # Errors
    /// Where no file has a concept; with what to do about it as the hint.
    pub fn require_concepts(&self) -> Result<(), Error> {
        if self.concepts.is_empty() { Err(self.without_concepts()) } else { Ok(()) }
    }

    fn without_concepts(&self) -> Error {
        let first = self.problems.first().map_or(String::new(), |problem| format!(" ({problem})"));
        let has = |formats: &[Format]| self.files.iter().any(|file| formats.contains(&file.format));
        let says = |flag: &str| self.problems.iter().any(|problem| problem.reason.contains(flag));
        let hint = if !self.mappings.is_empty() {
            "mappings name no concepts: import them together with the vocabulary whose ids they map"
        } else if says("--language") {
            "keep names in other languages with --language CODE, or all with --language '*'"
        } else if says("--label-from-iri") {
            "name the classes by their IRIs with --label-from-iri"
        } else if has(&[Format::Csv, Format::Tsv]) {
            "check --format, --id-column and --name-column"
        } else {
            "check --format"
        };
        Error::no_concepts(self.files.iter().map(|file| file.path.clone()).collect(), first, hint)
    }

    /// How many names the concepts have.
    pub fn name_count(&self) -> usize {
        self.concepts.iter().map(|concept| 1 + concept.synonyms.len()).sum()
    }
}

/// Reads files, all of which make one knowledge base; entries with one id become one concept.
///
/// # Errors
/// Where a file cannot be read, its format is unknown, its syntax is beyond repair, or no file holds
/// anything; with [`ImportOptions::strict`] also at the first problem.
pub fn read_files(paths: &[PathBuf], options: &ImportOptions) -> Result<Import, Error> {
    for path in paths {
        let bytes = std::fs::metadata(path).map_err(|source| Error::io("read", path, source))?.len();
        options.progress.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    }
    let mut collector = Collector::new(options);
    for path in paths {
        let mut source = Source::open(path, options)?;
        let format = match options.format {
            Some(format) => format,
            None => {
                Format::detect(path, source.beginning()).ok_or_else(|| Error::unknown_format(path, Format::names()))?
            }
        };
        collector.begin(path, format);
        read_one(format, &mut source, &mut collector)?;
    }
    let import = collector.finish()?;
    if import.concepts.is_empty() && import.removed.is_empty() && import.mappings.is_empty() {
        return Err(import.without_concepts());
    }
    Ok(import)
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
    }
}
