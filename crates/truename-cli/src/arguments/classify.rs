//! Arguments of `truename classify`, and the classifier and columns that other commands take too.

use std::path::PathBuf;

use clap::Args;
use truename_eval::TextFormat;

use super::TableArguments;

#[derive(Args)]
pub struct Classify {
    /// Texts or pairs of texts: CSV, TSV, JSONL or Parquet, or records of Ditto, plain or packed; - for stdin
    ///
    /// Several files, and those of a folder or a quoted pattern such as 'texts/*.csv', are read as one; tables have the same
    /// columns.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub texts: TextArguments,
    /// Output file, in the format of the input [default: stdout]; a name that ends in .gz is gzipped
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write cells that a spreadsheet would run as formulas with an apostrophe before them (CSV and TSV)
    #[arg(long)]
    pub csv_safe: bool,
    /// Encoding of text that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL", value_parser = super::value::encoding)]
    pub encoding: Option<String>,
    /// Encoding of the rows that are written [default: that of the input]
    #[arg(long, value_name = "LABEL", value_parser = super::value::encoding)]
    pub output_encoding: Option<String>,
    /// Longest row in bytes; a longer one ends the run
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: u64,
    /// Stop at the first malformed row
    #[arg(long)]
    pub strict: bool,
}

/// A classifier, and where the texts for it stand in a file.
#[derive(Args)]
pub struct TextArguments {
    /// Folder of a classifier that `train` made, by a recipe with `kind = "classify"`
    #[arg(long, value_name = "DIR")]
    pub model: PathBuf,
    /// Column or field of the text, or of the first of a pair [default: that of the data it learnt from]
    #[arg(long, value_name = "COLUMN")]
    pub first: Option<String>,
    /// Column or field of the second text of a pair [default: that of the data it learnt from]
    #[arg(long, value_name = "COLUMN")]
    pub second: Option<String>,
    /// Format: csv, tsv, jsonl, or pairs for the records of Ditto [default: told by extension and content]
    #[arg(long, value_name = "FORMAT", value_parser = str::parse::<TextFormat>)]
    pub input_format: Option<TextFormat>,
    #[command(flatten)]
    pub table: TableArguments,
    /// Cells of TSV may be quoted, as those of CSV are
    #[arg(long)]
    pub quoted: bool,
}
