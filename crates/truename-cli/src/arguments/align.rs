//! Arguments of `truename align` and `truename evaluate mappings`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::AdapterArgument;
use super::reading::Reading;
use super::value::probability;

#[derive(Args)]
#[command(mut_arg("format", |format| format.long("input-format")))]
pub struct Align {
    /// Vocabulary whose concepts are mapped: a knowledge base, or a file, folder or pattern that `kb import` reads
    #[arg(value_name = "SOURCE")]
    pub subjects: PathBuf,
    /// Vocabulary that they are mapped onto
    #[arg(value_name = "TARGET")]
    pub objects: PathBuf,
    /// Output file [default: stdout]; gzipped where its name ends in .gz
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Format of the mappings
    #[arg(long = "format", value_enum, default_value_t = MappingFormat::Sssom)]
    pub mapping_format: MappingFormat,
    /// Lowest probability of a mapping
    #[arg(long, default_value_t = truename_align::AlignOptions::THRESHOLD, value_name = "P", value_parser = probability)]
    pub threshold: f64,
    /// Map each concept onto at most one: the assignment with the highest sum of probabilities (the default)
    #[arg(long, conflicts_with = "many")]
    pub one_to_one: bool,
    /// Write all mappings with at least the threshold
    #[arg(long)]
    pub many: bool,
    /// Relations to write, with commas between them: a concept without an equal one is narrower than what its nearest mapped ancestor is mapped
    /// onto, and broader likewise
    #[arg(long, value_enum, value_name = "RELATION", value_delimiter = ',', default_value = "exact")]
    pub predicate: Vec<Relation>,
    /// Mappings that are right: kept, and learnt from; may be given several times
    #[arg(long, value_name = "FILE")]
    pub known: Vec<PathBuf>,
    /// Mappings that are wrong: never written, and learnt from; may be given several times
    #[arg(long, value_name = "FILE")]
    pub exclude: Vec<PathBuf>,
    /// Further vocabulary whose synonyms teach which words stand for each other; may be given several times
    #[arg(long, value_name = "PATH")]
    pub background: Vec<PathBuf>,
    /// Encoder whose vectors propose and compare names too, a Hugging Face folder (`truename model pull` fetches one)
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    #[command(flatten)]
    pub adapter: AdapterArgument,
    /// Nearest names that each name proposes, by each index
    #[arg(long, value_name = "K", default_value_t = truename_align::AlignOptions::NEIGHBOURS as u16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub neighbours: u16,
    /// Write the mappings that were removed because they close a cycle, as SSSOM
    #[arg(long, value_name = "FILE")]
    pub removed: Option<PathBuf>,
    /// Write a page in one file to accept and reject mappings; what it saves is for --known and --exclude
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// Number of mappings on the page, drawn at random, doubtful ones sooner
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub shown: u32,
    #[command(flatten)]
    pub metadata: MetadataArguments,
    /// Write counts and times as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

/// Metadata of a set of mappings.
#[derive(Args)]
pub struct MetadataArguments {
    /// IRI of the set of mappings [default: one that the ids decide]
    #[arg(long, value_name = "IRI")]
    pub mapping_set_id: Option<String>,
    /// IRI of the licence of the mappings [default: SSSOM's for an unspecified one]
    #[arg(long, value_name = "IRI")]
    pub license: Option<String>,
    /// Day on which the mappings are made, as 2026-11-27
    #[arg(long, value_name = "DATE")]
    pub mapping_date: Option<truename::Date>,
    /// IRI or CURIE of the source
    #[arg(long, value_name = "IRI")]
    pub subject_source: Option<String>,
    /// Version of the source
    #[arg(long, value_name = "VERSION")]
    pub subject_source_version: Option<String>,
    /// IRI or CURIE of the target
    #[arg(long, value_name = "IRI")]
    pub object_source: Option<String>,
    /// Version of the target
    #[arg(long, value_name = "VERSION")]
    pub object_source_version: Option<String>,
    /// IRI of a prefix of ids, as MA=http://mouse.owl#MA_; may be given several times [default: those of the OBO Foundry and the
    /// Bioregistry]
    #[arg(long = "prefix", value_name = "PREFIX=IRI", value_parser = prefix)]
    pub prefixes: Vec<(String, String)>,
}

fn prefix(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(prefix, iri)| !prefix.is_empty() && iri.contains(':'));
    parts.map(|(prefix, iri)| (prefix.to_owned(), iri.to_owned())).ok_or_else(|| "write PREFIX=IRI".into())
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MappingFormat {
    /// Simple Standard for Sharing Ontological Mappings: a table with its metadata
    Sssom,
    /// Alignment format of the OAEI (RDF/XML)
    Oaei,
    /// Axioms of OWL (RDF/XML)
    Owl,
    /// The fields of SSSOM as JSON
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Relation {
    /// Both are the same
    Exact,
    /// The concept of the target is broader
    Broad,
    /// The concept of the target is narrower
    Narrow,
    /// Both are related in some other way
    Related,
}

#[derive(Args)]
pub struct EvaluateMappings {
    /// Right mappings: SSSOM, a table with the columns subject_id and object_id, or RDF/XML of the OAEI; may be given several times. Those
    /// with the modifier Not are wrong ones
    #[arg(long, required_unless_present = "candidates", value_name = "FILE")]
    pub gold: Vec<PathBuf>,
    /// Candidates to rank by the mappings: a table with the columns SrcEntity, TgtEntity and TgtCandidates, as Bio-ML has them
    #[arg(long, value_name = "FILE")]
    pub candidates: Option<PathBuf>,
    /// Mappings to score
    #[arg(long, required = true, value_name = "FILE")]
    pub found: PathBuf,
    /// Lowest probability of a mapping that counts
    #[arg(long, default_value_t = 0.0, value_name = "P", value_parser = probability)]
    pub threshold: f64,
    /// Gold is a part of all right mappings: count a mapping only if gold maps one of its concepts
    #[arg(long)]
    pub partial: bool,
    /// Write the scores as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
