//! Arguments of `truename corpus`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use truename_train::LinkedDocuments;

use super::value::probability;
use super::{DocumentArguments, LinkerArguments, RecognizerChoices};

#[derive(Subcommand)]
pub enum Corpus {
    /// Build contextual synonyms: sentences that name the concepts of a knowledge base in different ways
    ///
    /// Sentences come from documents, by the concepts of their annotations or by links, and from the definitions of the knowledge
    /// base; rare names are put in the place of common ones. Writes sentences.jsonl, corpus.json and README.md, a data sheet.
    Build(CorpusBuild),
}

#[derive(Args)]
pub struct CorpusBuild {
    /// Documents: plain text, JSONL, PubTator, BioC XML or JSON, brat, WNED [default: none, definitions alone]
    #[arg(value_name = "TEXT")]
    pub texts: Vec<PathBuf>,
    #[command(flatten)]
    pub kb: LinkerArguments,
    /// Folder for the corpus; an unfinished one is in DIR.unfinished
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Go on with an unfinished corpus, after the documents already read; without one the build begins
    #[arg(long)]
    pub resume: bool,
    /// Documents in which names are found and linked
    #[arg(long, value_enum, default_value_t = LinkArgument::Missing, value_name = "WHICH")]
    pub link: LinkArgument,
    /// Smallest probability of a link, that of the mention included
    #[arg(long, default_value_t = 0.3, value_name = "P", value_parser = probability)]
    pub min_probability: f64,
    /// Smallest edit distance between the names of a pair, in characters (PICSO: 10)
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub min_edit_distance: u32,
    /// Largest number of pairs of a concept (PICSO: 50)
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub max_per_concept: u32,
    /// Longest sentence in characters; a longer one is cut around its entity
    #[arg(long, default_value_t = 300, value_name = "N", value_parser = clap::value_parser!(u32).range(20..=100_000))]
    pub max_length: u32,
    /// Describe concepts without a definition by their parents: "angiolipoma: a kind of lipoma"
    #[arg(long)]
    pub parents: bool,
    /// Concepts to keep out: a file of ids, cross-references or names, one a line; may be given several times
    #[arg(long, value_name = "FILE")]
    pub exclude: Vec<PathBuf>,
    /// Licence of a source for the data sheet, as "MONDO: CC BY 4.0"; may be given several times
    #[arg(long = "licence", alias = "license", value_name = "TEXT")]
    pub licences: Vec<String>,
    /// Seed of the choice among sentences and pairs
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Stop at the first document that cannot be read
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub recognizer: RecognizerChoices,
    #[command(flatten)]
    pub reading: DocumentArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LinkArgument {
    /// Documents without annotations
    Missing,
    /// All documents; annotations come first
    Always,
    /// No document
    Never,
}

impl From<LinkArgument> for LinkedDocuments {
    fn from(argument: LinkArgument) -> Self {
        match argument {
            LinkArgument::Missing => Self::Missing,
            LinkArgument::Always => Self::Always,
            LinkArgument::Never => Self::Never,
        }
    }
}
