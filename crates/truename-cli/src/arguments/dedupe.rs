//! Arguments of `truename dedupe`, and the scorer of pairs that `evaluate pairs` shares.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::match_names::InputFormat;
use super::value::probability;
use super::{AdapterArgument, TableArguments};

#[derive(Args)]
pub struct Dedupe {
    /// Table of records: CSV, TSV or Parquet, plain or packed; the files of a folder or a quoted pattern are one table
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// A second table; records of the first are then compared with records of this one alone
    #[arg(value_name = "RIGHT")]
    pub right: Option<PathBuf>,
    /// Columns to compare, in capitals or not; may be given several times [default: all that do not identify rows]
    #[arg(long = "column", value_name = "COLUMN")]
    pub columns: Vec<String>,
    /// Column with the ids of the records, which is not compared; the answers name it [default: rows are counted from 1]
    #[arg(long, value_name = "COLUMN")]
    pub id_column: Option<String>,
    /// Column to compare although its values identify rows, as a key that both tables share; may be given several times
    #[arg(long, value_name = "COLUMN", conflicts_with = "columns")]
    pub compare: Vec<String>,
    #[command(flatten)]
    pub scorer: PairScorerArguments,
    /// Each record's nearest others that are compared with it, by each index
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub neighbours: u16,
    /// Encoder whose vectors propose pairs beside the n-grams, a Hugging Face folder (`truename model pull` fetches one)
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    #[command(flatten)]
    pub adapter: AdapterArgument,
    /// Match each record with at most one of the other table
    #[arg(long, requires = "right")]
    pub one_to_one: bool,
    /// Pairs that are known to match, to report how many of them are compared and found: a table with the columns left and
    /// right (ids, rows or serialised records), and perhaps label
    #[arg(long, value_name = "FILE")]
    pub gold: Option<PathBuf>,
    /// Output
    #[arg(long, value_enum, default_value_t = RecordFormat::Pairs)]
    pub format: RecordFormat,
    /// List all compared pairs, and not only those within a cluster
    #[arg(long)]
    pub all_pairs: bool,
    /// Number of pairs on the page, drawn at random, doubtful ones sooner
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub shown: u32,
    /// Output file [default: stdout]; .tsv is written with tabs, and a name that ends in .gz is gzipped
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write cells that a spreadsheet would run as formulas with an apostrophe before them (CSV and TSV)
    #[arg(long)]
    pub csv_safe: bool,
    /// Write counts, times and shares as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Format of the tables: csv, tsv or parquet [default: told by extension, else by content]
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    pub input_format: Option<InputFormat>,
    #[command(flatten)]
    pub table: TableArguments,
    /// Encoding of text that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL", value_parser = super::value::encoding)]
    pub encoding: Option<String>,
    /// Longest row in bytes; a longer one ends the run
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: u64,
    /// Stop at the first malformed row
    #[arg(long)]
    pub strict: bool,
}

/// The scorer of pairs.
#[derive(Args)]
pub struct PairScorerArguments {
    /// Classifier of pairs of records, trained by `task.kind = "classify"` [default: the lexical scorer]
    #[arg(long, value_name = "DIR")]
    pub model: Option<PathBuf>,
    /// Labelled pairs to fit the lexical scorer to, if that is better on held-out ones: a table with the columns left, right, label and
    /// perhaps chance, or lines of Ditto
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub labels: Option<PathBuf>,
    /// Lowest probability of a match
    #[arg(long, default_value_t = 0.5, value_name = "P", value_parser = probability)]
    pub threshold: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RecordFormat {
    /// One row a pair: left, right, probability, cluster
    Pairs,
    /// The rows of the input, with the columns cluster and probability
    Table,
    /// A page to check pairs side by side, and to save the judgements as training data
    Html,
}
