//! Arguments of `truename match`, and the formats of its tables.

use std::ops::Range;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::value::MOST_CANDIDATES;
use super::{ConceptArguments, LinkerArguments, NilArguments, PlaceholderArgument, TableArguments};

#[derive(Args)]
pub struct Match {
    /// Text of one name a line, or a CSV, TSV, JSONL or Parquet table, plain, gzipped or packed with zstd; - for stdin
    ///
    /// Several files, and those of a folder or a quoted pattern such as 'names/*.csv', are read as one; tables have the same
    /// columns.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub kb: LinkerArguments,
    /// Column or field with the names, in capitals or not [default: name, or the only column]
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
    /// Column or field with a text in which each name stands, for the models of the knowledge base that read it
    #[arg(long, value_name = "COLUMN")]
    pub context_column: Option<String>,
    /// Encode each name in its sentence, though the encoder did not learn it
    #[arg(long, requires = "context_column")]
    pub encode_in_context: bool,
    /// Format of the input [default: told by extension, else by content; lines of text where neither says]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    #[command(flatten)]
    pub table: TableArguments,
    /// Output for each row
    #[arg(long, value_enum, default_value_t = OutputFormat::Table)]
    pub format: OutputFormat,
    /// Candidates given for each name [default: 1, and 5 in JSONL]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=MOST_CANDIDATES))]
    pub top: Option<u32>,
    #[command(flatten)]
    pub nil: NilArguments,
    /// Answer with the concepts of the K names with the nearest vectors, by their share of the cosines; 0 asks the ranker
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=32))]
    pub vote: u32,
    /// Where the answer is NIL, give the best candidate as suggested_id and suggested_name
    #[arg(long)]
    pub suggest: bool,
    /// Answer a name that consists of several ("hepatitis B and C") by the ids of all, with | between them
    #[arg(long)]
    pub composites: bool,
    #[command(flatten)]
    pub concepts: ConceptArguments,
    #[command(flatten)]
    pub placeholders: PlaceholderArgument,
    /// Explain each answer in words
    #[arg(long)]
    pub explain: bool,
    /// Output file [default: stdout]
    ///
    /// A file called .csv, .tsv, .jsonl or .parquet is written in that format, any other in the format of the input. A name
    /// that ends in .gz is gzipped.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Go on where a run of the same command was killed; the output is the same file
    ///
    /// The unfinished output is OUT.partial, and OUT.resume beside it says how far it is. A run with another input, other options or
    /// another knowledge base is refused. A Parquet or gzipped output cannot be gone on with.
    #[arg(long, requires = "out", conflicts_with = "worker")]
    pub resume: bool,
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
    /// Rows of a Parquet table to match, as in 0..1000; of `batch match`, which cuts tables into parts
    #[arg(long, hide = true, value_name = "START..END", value_parser = row_range)]
    pub row_range: Option<Range<u64>>,
    /// Print the counts as JSON, and stop where stdin ends; of `batch match`, whose end is that of stdin
    #[arg(long, hide = true, requires = "out")]
    pub worker: bool,
}

fn row_range(text: &str) -> Result<Range<u64>, String> {
    let ends = text.split_once("..").and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    ends.ok_or_else(|| "a range is START..END".into())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// One name a line
    Text,
    /// Cells may be quoted
    Csv,
    /// Separated by tabs
    Tsv,
    /// JSON objects, one a line or in an array
    Jsonl,
    Parquet,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// The row with columns or fields added; text becomes TSV
    Table,
    /// One JSON object with the name, its answer and its candidates, without the rest of the row
    Jsonl,
}
