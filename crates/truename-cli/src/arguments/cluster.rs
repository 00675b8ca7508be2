//! Arguments of `truename cluster`, and the options of clustering that `evaluate clusters` shares.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use truename_clusters::{ClusterOptions, KeyMethod};

use super::value::{distance, share};
use super::{EncoderArgument, InputFormat, TableArguments};

#[derive(Args)]
pub struct Cluster {
    /// Text of one name or one triple (subject, relation and object, separated by tabs) a line, or a CSV, TSV, JSONL or Parquet
    /// table, plain or packed; - for stdin
    ///
    /// Several files, and those of a folder or a quoted pattern such as 'names/*.txt', are read as one; tables have the same
    /// columns.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Column or field with the names [default: name, or the only column, or subject and object]
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
    /// Cluster the subjects of triples without the objects
    #[arg(long, conflicts_with = "column")]
    pub subjects: bool,
    /// Format of the input [default: told by extension, else by content; lines of text where neither says]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    #[command(flatten)]
    pub table: TableArguments,
    /// Encoding of text that is not UTF-8 (a WHATWG label such as windows-1252)
    #[arg(long, value_name = "LABEL", value_parser = super::value::encoding)]
    pub encoding: Option<String>,
    #[command(flatten)]
    pub clustering: Clustering,
    /// Put names with equal keys into one cluster, in place of near ones: fingerprint (words in any order), ngram-fingerprint
    /// (letter pairs), metaphone (sound of English) or cologne (sound of German)
    #[arg(long, value_name = "METHOD", value_parser = key_method, conflicts_with_all = ["threshold", "labelled", "encoder", "kb"])]
    pub key: Option<KeyMethod>,
    /// Form of the clusters [default: told by the extension of --out, else csv]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ClusterFormat>,
    /// Output file [default: stdout]; gzipped where its name ends in .gz
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write cells that a spreadsheet would run as formulas with an apostrophe before them (CSV and TSV)
    #[arg(long)]
    pub csv_safe: bool,
    /// Longest row in bytes; a longer one ends the run
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_line_bytes: u64,
}

/// Options of the clustering of names.
#[derive(Args)]
pub struct Clustering {
    /// Knowledge base whose encoder is used
    #[arg(long, value_name = "DIR")]
    pub kb: Option<PathBuf>,
    #[command(flatten)]
    pub encoder: EncoderArgument,
    /// Distance of two clusters: of the distances of their names the mean, the largest or the smallest
    #[arg(long, value_enum, default_value_t = Linkage::Average)]
    pub linkage: Linkage,
    /// Weight of shared words in the distance, from 0 to 1; the rest is that of the vectors, or of character n-grams [default:
    /// 0.2 with an encoder, else 0.5]
    #[arg(long, value_name = "WEIGHT", value_parser = share)]
    pub words: Option<f32>,
    /// Merge clusters up to this distance [default: chosen by the silhouette]
    #[arg(long, value_name = "DISTANCE", value_parser = distance)]
    pub threshold: Option<f32>,
    /// Choose the threshold by these names, a table with the columns name and cluster: the highest mean of macro, micro and
    /// pairwise F1
    ///
    /// Names that all are in the input are scored in its clusters; others are clustered by themselves.
    #[arg(long, value_name = "FILE", conflicts_with = "threshold")]
    pub labelled: Option<PathBuf>,
    /// Most names of which all pairs are compared; more are clustered on the graph of their nearest names. 20,000 names need
    /// 800 MB
    #[arg(long, default_value_t = ClusterOptions::MAX_EXACT, value_name = "N")]
    pub max_exact: usize,
    /// Neighbours of each name in that graph
    #[arg(long, default_value_t = ClusterOptions::NEIGHBOURS as u16, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub neighbours: u16,
}

impl Clustering {
    /// Returns the options of the library.
    pub fn options(&self) -> ClusterOptions {
        ClusterOptions {
            linkage: self.linkage.into(),
            word_weight: self.words,
            max_exact: self.max_exact,
            neighbours: self.neighbours.into(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Linkage {
    Average,
    Complete,
    Single,
}

impl From<Linkage> for truename_clusters::Linkage {
    fn from(linkage: Linkage) -> Self {
        match linkage {
            Linkage::Average => Self::Average,
            Linkage::Complete => Self::Complete,
            Linkage::Single => Self::Single,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClusterFormat {
    /// A table with the columns name, cluster, canonical and count
    Csv,
    /// The rows of the input table, with the columns canonical, cluster and count (rows of the cluster), as CSV or TSV
    Table,
    /// One JSON object a name, with its count
    Jsonl,
}

fn key_method(name: &str) -> Result<KeyMethod, String> {
    name.parse().map_err(|error: truename::Error| error.to_string())
}
