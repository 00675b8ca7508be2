//! Arguments of `truename map`.

use std::path::PathBuf;

use clap::Args;
use truename::ConceptId;

use super::value::perplexity;
use super::{AdapterArgument, KbArgument};

#[derive(Args)]
pub struct Map {
    #[command(flatten)]
    pub kb: KbArgument,
    /// Encoder, a Hugging Face folder (`truename model pull` fetches one) [default: the knowledge base's own]
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    #[command(flatten)]
    pub adapter: AdapterArgument,
    /// Concepts whose names are drawn in colour, joined by commas; may be given several times
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = str::parse::<ConceptId>,
          required_unless_present_any = ["names", "name"])]
    pub concepts: Vec<ConceptId>,
    /// Names to draw among them, one a line; - for stdin
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
    /// A name to draw among them; may be given several times
    #[arg(long, value_name = "NAME")]
    pub name: Vec<String>,
    /// Number of names drawn of all other concepts
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=5000))]
    pub sample: u16,
    /// Rough number of neighbours of a point; at most a third of the other points
    #[arg(long, default_value_t = 30.0, value_name = "P", value_parser = perplexity)]
    pub perplexity: f64,
    /// Seed of the sample and of the layout
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub seed: u64,
    /// The table of points, CSV; the picture is written beside it, with the extension svg
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}
