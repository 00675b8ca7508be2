//! Arguments of `truename recognize`.

use std::path::PathBuf;

use clap::Args;

use super::{AnsweredDocuments, KbArgument, LinkFormat, RecognizerChoices};

#[derive(Args)]
pub struct Recognize {
    /// Documents: plain text, JSONL, PubTator, BioC XML or JSON, brat, CoNLL; files, folders or quoted patterns, - for stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub recognizer: RecognizerChoices,
    #[command(flatten)]
    pub kb: KbArgument,
    /// Find mentions within mentions too [default: as the recognizer was trained]
    #[arg(long, conflicts_with = "flat")]
    pub nested: bool,
    /// Of overlapping mentions, find the one with the highest score
    #[arg(long)]
    pub flat: bool,
    /// Read `breast and ovarian cancer` as each of its names, where the knowledge base has them
    #[arg(long)]
    pub composites: bool,
    /// Do not expand the abbreviations that a document defines
    #[arg(long)]
    pub no_abbreviations: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = LinkFormat::Jsonl)]
    pub format: LinkFormat,
    /// Output file, or folder for brat [default: stdout]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Type of mentions whose recognizer has none [default: Entity in pubtator, bioc, brat and conll]
    #[arg(long, value_name = "NAME", value_parser = super::value::filled)]
    pub type_name: Option<String>,
    /// Write cells that a spreadsheet would run as formulas with an apostrophe before them (CSV)
    #[arg(long)]
    pub csv_safe: bool,
    #[command(flatten)]
    pub documents: AnsweredDocuments,
}
