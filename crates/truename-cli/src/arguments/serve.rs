//! Arguments of `truename serve` and `truename review`.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::KbArgument;
use super::value::probability;

/// Arguments of `truename serve`.
#[derive(Args)]
pub struct Serve {
    /// Knowledge base to serve, as DIR or NAME=DIR; may be given several times, the first is the default [default: the bundled
    /// one, MeSH diseases and chemicals]
    #[arg(long = "kb", value_name = "[NAME=]DIR", env = "TRUENAME_KB")]
    pub kbs: Vec<String>,
    /// Address to listen at; 0.0.0.0 or :: takes connections from other machines
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    pub host: IpAddr,
    /// Port to listen at; 0 for a free one
    #[arg(long, default_value_t = 8077)]
    pub port: u16,
    /// Address by which clients reach the server, such as https://names.example.org [default: as they ask]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Name by which clients may ask the server, beside addresses, localhost and the host of --base-url; may be given several times
    #[arg(long = "host-name", value_name = "NAME")]
    pub host_names: Vec<String>,
    /// Origin whose pages may read the answers of reconciliation, or * for any; may be given several times [default: OpenRefine's,
    /// http://127.0.0.1:3333 and http://localhost:3333]
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    pub allow_origins: Vec<String>,
    /// Origin whose pages may use the API under /v1 too, but for judgements, or * for any; may be given several times [default: none]
    #[arg(long = "allow-api-origin", value_name = "ORIGIN")]
    pub allow_api_origins: Vec<String>,
    /// URI before the ids in the manifest of reconciliation [default: that of the server's pages]
    #[arg(long, value_name = "URI")]
    pub identifier_space: Option<String>,
    /// File with the keys of the users, a line each: NAME KEY [default: everyone is answered]
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,
    /// Most requests of a user in a minute
    #[arg(long, value_name = "N")]
    pub requests_per_minute: Option<NonZeroU32>,
    /// Mappings to be judged, SSSOM as `align` writes it; may be given several times
    #[arg(long, value_name = "FILE")]
    pub mappings: Vec<PathBuf>,
    /// Table of records whose pairs are to be labelled, or two whose records are compared with each other, read as `dedupe` reads them
    #[arg(long, num_args = 1..=2, value_names = ["FILE", "RIGHT"])]
    pub pairs: Vec<PathBuf>,
    /// Column of --pairs with the ids of the records; the labels name it [default: rows are counted from 1]
    #[arg(long, value_name = "COLUMN", requires = "pairs")]
    pub id_column: Option<String>,
    /// Column of --pairs to compare; may be given several times [default: all that do not identify rows]
    #[arg(long = "column", value_name = "COLUMN", requires = "pairs")]
    pub columns: Vec<String>,
    /// Propose pairs with equal keys too, as `dedupe --block` does; may be given several times
    #[arg(long, value_name = "RULE", requires = "pairs")]
    pub block: Vec<String>,
    /// Folder of the judgements, a file for each knowledge base, file of mappings and table of pairs [default: each in the folder of its
    /// knowledge base, and beside its mappings and its table]
    #[arg(long, value_name = "DIR")]
    pub judgements: Option<PathBuf>,
    /// Let the page, and who has a key, teach the knowledge bases what people judged
    #[arg(long)]
    pub learn: bool,
    /// Most open connections
    #[arg(long, default_value_t = 1024, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub connections: u32,
    /// Memory for requests and answers in MiB
    #[arg(long, default_value_t = 384, value_name = "MIB", value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub memory: u32,
    /// Most requests that wait for an answer; more are answered 503
    #[arg(long, default_value_t = 256, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub queue: u32,
    /// Most tokens of the requests that are answered together; a token counts four bytes
    #[arg(long, default_value_t = 16_384, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub batch_tokens: u32,
    /// Largest body of a request in MiB
    #[arg(long, default_value_t = 16, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub max_body: u32,
    /// Longest time from a request to its answer in seconds
    #[arg(long, default_value_t = 60, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub timeout: u32,
    /// Number of answers to names that are remembered
    #[arg(long, default_value_t = 65_536, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub cache: u32,
    /// Least probability of a candidate that reconciliation reports as a match
    #[arg(long, default_value_t = 0.9, value_name = "P", value_parser = probability)]
    pub match_probability: f64,
    /// Least difference of that probability to that of the next candidate
    #[arg(long, default_value_t = 0.5, value_name = "P", value_parser = probability)]
    pub match_gap: f64,
}

/// Commands of `truename review`.
#[derive(Subcommand)]
pub enum Review {
    /// Write the judgements of a server as gold for `calibrate` and `train`, and for `kb learn`
    ///
    /// The last judgement of each name is written, as a table with the columns name, id and date; an empty id is NIL.
    Export(Export),
}

/// Arguments of `truename review export`.
#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    pub kb: KbArgument,
    /// Folder of the judgements, as that of `serve`, or a file of them [default: the folder of the knowledge base]
    #[arg(long, value_name = "DIR")]
    pub judgements: Option<PathBuf>,
    /// Only the judgements of this user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// File to write [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write cells that a spreadsheet would run as formulas with an apostrophe before them
    #[arg(long)]
    pub csv_safe: bool,
}
