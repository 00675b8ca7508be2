//! Arguments of `truename simplify`, and the sources of substitutes that its evaluation shares.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use truename::AdapterChoice;

use super::DocumentArguments;

#[derive(Args)]
pub struct Simplify {
    /// A text, or documents: plain text, JSONL, PubTator, BioC XML or JSON, brat, CoNLL; - for stdin
    #[arg(required = true, value_name = "TEXT|FILE")]
    pub inputs: Vec<String>,
    /// Words to simplify, joined by commas [default: words that are rarer than --rare]
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    pub words: Vec<String>,
    /// Occurrences in a million words of --frequencies below which a word is simplified
    #[arg(long, default_value_t = 10.0, value_name = "N", value_parser = super::value::occurrences, conflicts_with = "words")]
    pub rare: f64,
    #[command(flatten)]
    pub substitutes: SubstituteArguments,
    /// Write the simplified texts instead of the words and their substitutes
    #[arg(long, conflicts_with = "format")]
    pub replace: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = SimplifyFormat::Jsonl)]
    pub format: SimplifyFormat,
    /// Output file [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub documents: DocumentArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SimplifyFormat {
    /// One JSON object a word
    Jsonl,
    /// Lines to read
    Terminal,
}

/// Sources of substitutes, and of the features that rank them.
#[derive(Args)]
pub struct SubstituteArguments {
    /// Masked-language model, a Hugging Face folder, or one of `truename train` with `task.kind = "pretrain"`
    #[arg(long, value_name = "DIR", required_unless_present_any = ["synonyms", "kb"])]
    pub model: Option<PathBuf>,
    /// Synonyms: WordNet's data files or their folder, clusters as those of PPDB, CSV or TSV; may be given several times
    #[arg(long, value_name = "PATH")]
    pub synonyms: Vec<PathBuf>,
    /// Knowledge base whose names are synonyms
    #[arg(long, value_name = "DIR")]
    pub kb: Option<PathBuf>,
    /// Word list (a word, a tab and its count in each line), or texts whose words are counted; may be given several times
    #[arg(long, value_name = "FILE")]
    pub frequencies: Vec<PathBuf>,
    /// Encoder that compares substitutes with the word in its sentence
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    /// Adapters of these folders to use, with commas between them: `general,biomedical`, `all` or `none` [default: all]
    #[arg(long, value_name = "NAMES")]
    pub adapter: Option<AdapterChoice>,
    /// Number of words that the model proposes
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub candidates: u16,
    /// Number of substitutes returned
    #[arg(long, default_value_t = 10, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub top: u16,
    /// Words on each side of the place whose cross-entropy is compared, as in LSBert (5); slow, a second or two a word on one core
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=50))]
    pub window: u16,
    /// Share of the tokens beside the word that are masked in the sentence before the masked one (LSBert: 0.5)
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = super::value::part)]
    pub mask_original: f64,
    /// Show the model the masked sentence alone, without the sentence before it
    #[arg(long, conflicts_with = "mask_original")]
    pub masked_alone: bool,
}
