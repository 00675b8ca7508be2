//! Arguments of `truename dedupe`, and the scorer of pairs that `evaluate pairs` shares.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};
use truename_records::ColumnType;

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
    /// Further tables; records of each are then compared with those of all others
    #[arg(value_name = "FURTHER")]
    pub further: Vec<PathBuf>,
    /// A table that an earlier run wrote with --format table: the rows of FILE join its clusters, whose ids stay, or make new ones; the
    /// answers have its rows, then those of FILE
    #[arg(long, value_name = "DONE", conflicts_with_all = ["right", "one_to_one"])]
    pub against: Option<PathBuf>,
    /// Column of --against with the ids of the clusters
    #[arg(long, value_name = "COLUMN", default_value = "cluster", requires = "against")]
    pub cluster_column: String,
    /// Columns to compare, in capitals or not; may be given several times [default: all that do not identify rows]
    #[arg(long = "column", value_name = "COLUMN")]
    pub columns: Vec<String>,
    /// Column with the ids of the records, which is not compared; the answers name it [default: rows are counted from 1]
    #[arg(long, value_name = "COLUMN")]
    pub id_column: Option<String>,
    /// Column to compare although its values identify rows, as a key that both tables share; may be given several times
    #[arg(long, value_name = "COLUMN", conflicts_with = "columns")]
    pub compare: Vec<String>,
    /// Type of a column where the one found is wrong, for the Fellegi–Sunter model: given-name, family-name, person-name, company,
    /// address, place, postcode, phone, email, date, number, code, coordinates or text; may be given several times
    #[arg(long = "type", value_name = "COLUMN=TYPE", value_parser = typed_column, conflicts_with = "model")]
    pub types: Vec<(String, ColumnType)>,
    #[command(flatten)]
    pub scorer: PairScorerArguments,
    /// Each record's nearest others that are compared with it, by each index; 0 for the rules of --block alone [default: 10; for more than
    /// 100,000 records without --block and --encoder 0 and the rules that are found in their columns, where there are three]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub neighbours: Option<u16>,
    /// Compare records with equal keys too: columns, prefix(COLUMN, LETTERS) and soundex(COLUMN) with + between them, as
    /// "postcode + soundex(last)"; may be given several times
    #[arg(long, value_name = "RULE")]
    pub block: Vec<String>,
    /// Encoder whose vectors propose pairs beside the n-grams, a Hugging Face folder (`truename model pull` fetches one)
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    #[command(flatten)]
    pub adapter: AdapterArgument,
    /// Match each record with at most one of each other table
    #[arg(long, requires = "right")]
    pub one_to_one: bool,
    /// Pairs that are known to match, to report how many of them are compared and found: a table with the columns left and
    /// right (ids, rows or serialised records), and perhaps label
    #[arg(long, value_name = "FILE")]
    pub gold: Option<PathBuf>,
    /// Write the fitted Fellegi–Sunter model, which `--model` applies to other tables
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub save_model: Option<PathBuf>,
    /// Print the weight of each column in the probability of a pair, by ids or rows, in place of the answers; may be given several
    /// times; needs the Fellegi–Sunter model
    #[arg(long, num_args = 2, value_names = ["LEFT", "RIGHT"])]
    pub explain: Vec<String>,
    /// Ask for pairs on the terminal, doubtful ones first, and write the answers to this file, which `--labels` reads; what is there is not
    /// asked for again. The scorer is fitted to them. With --out the answers of the run follow
    #[arg(long, value_name = "FILE", conflicts_with_all = ["labels", "model", "explain"])]
    pub label: Option<PathBuf>,
    /// Output
    #[arg(long, value_enum, default_value_t = RecordFormat::Pairs)]
    pub format: RecordFormat,
    /// Rule for the values of --format merged, of all columns or of one as COLUMN=RULE: most-frequent, longest, first or
    /// newest(DATE COLUMN); may be given several times [default: most-frequent, and first for ids]
    #[arg(long, value_name = "RULE")]
    pub merge: Vec<String>,
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

/// The arguments alone.
#[derive(Parser)]
struct Alone {
    #[command(flatten)]
    arguments: Dedupe,
}

impl Dedupe {
    /// Returns the arguments for some tables, all others by default.
    pub fn of(tables: &[PathBuf]) -> Self {
        let words =
            [OsStr::new("dedupe"), OsStr::new("--")].into_iter().chain(tables.iter().map(|path| path.as_os_str()));
        Alone::parse_from(words).arguments
    }
}

/// The scorer of pairs.
#[derive(Args)]
pub struct PairScorerArguments {
    /// Scorer [default: fellegi-sunter for tables with names of persons or companies and another column, or with addresses
    /// and phones or e-mails, or where both scorers decide alike, else lexical]
    #[arg(long, value_enum, conflicts_with = "model")]
    pub scorer: Option<ScorerName>,
    /// Folder of a classifier of pairs of records, trained by `task.kind = "classify"`, or file of a Fellegi–Sunter model
    #[arg(long, value_name = "PATH")]
    pub model: Option<PathBuf>,
    /// Labelled pairs to fit the scorer to, if that is better on held-out ones: a table with the columns left, right, label and perhaps
    /// chance, or lines of Ditto
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
    /// One row a cluster, with the values that --merge chooses and the columns cluster and count
    Merged,
    /// A page to check pairs side by side, and to save the judgements as training data
    Html,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScorerName {
    /// Levels of agreement by the types of the columns, weighted by expectation maximisation over the tables
    FellegiSunter,
    /// Letters and words, with weights fitted to public tables
    Lexical,
}

/// Reads a column with its type.
fn typed_column(text: &str) -> Result<(String, ColumnType), String> {
    let (column, kind) = text.rsplit_once('=').ok_or("a type is given as COLUMN=TYPE")?;
    let kind = kind.trim().parse().map_err(|error: truename::Error| error.to_string())?;
    Ok((column.trim().to_owned(), kind))
}
