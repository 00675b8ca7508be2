//! Arguments of `truename annotate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use truename_corpus::Format;

use super::{AnsweredDocuments, KbArgument};

#[derive(Args)]
pub struct Annotate {
    /// Documents: plain text, JSONL, PubTator, BioC XML or JSON, brat, CoNLL; files, folders or quoted patterns, - for stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub kb: KbArgument,
    /// Type of all labels [default: the types of the concepts]
    #[arg(long = "type", value_name = "NAME")]
    pub mention_type: Option<String>,
    /// Write the id of the concept, where only one has the name
    #[arg(long)]
    pub ids: bool,
    /// Label names within names too
    #[arg(long)]
    pub nested: bool,
    /// Do not expand the abbreviations that a document defines
    #[arg(long)]
    pub no_abbreviations: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = AnnotateFormat::Jsonl)]
    pub format: AnnotateFormat,
    /// Output file, or folder for brat [default: stdout]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub documents: AnsweredDocuments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnnotateFormat {
    /// One JSON object a document
    Jsonl,
    Pubtator,
    BiocXml,
    BiocJson,
    /// A folder of .txt and .ann files
    Brat,
    /// A token with its tag (IOB2) a line; of overlapping labels the first and longest
    Conll,
}

impl From<AnnotateFormat> for Format {
    fn from(format: AnnotateFormat) -> Self {
        match format {
            AnnotateFormat::Jsonl => Self::Jsonl,
            AnnotateFormat::Pubtator => Self::Pubtator,
            AnnotateFormat::BiocXml => Self::BiocXml,
            AnnotateFormat::BiocJson => Self::BiocJson,
            AnnotateFormat::Brat => Self::Brat,
            AnnotateFormat::Conll => Self::Conll,
        }
    }
}
