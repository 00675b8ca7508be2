//! Arguments of `truename train`, `truename tune` and `truename recipe`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use truename::AdapterChoice;
use truename_train::{Axis, Kind};

use super::value::folds;

#[derive(Args)]
pub struct Train {
    /// Recipe: a TOML file that states data, encoder and schedule (`truename recipe explain KIND` prints one with every key)
    #[arg(value_name = "RECIPE")]
    pub recipe: PathBuf,
    /// Folder for the encoder, its checkpoint and its metrics
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub changes: RecipeChanges,
    /// Go on from the last checkpoint in the folder; without one the run begins
    #[arg(long)]
    pub resume: bool,
}

#[derive(Args)]
pub struct Tune {
    /// Recipe: a TOML file that states data, encoder and schedule (`truename recipe explain KIND` prints one with every key)
    #[arg(value_name = "RECIPE")]
    pub recipe: PathBuf,
    /// Folder for the results; a run goes on from the trials that it holds
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// A key and the values to try, as sampler.groups=8,16,32, or a range to draw from, as schedule.learning_rate=1e-6..1e-3;
    /// may be given several times
    #[arg(long = "try", value_name = "KEY=VALUES", required = true, value_parser = str::parse::<Axis>)]
    pub axes: Vec<Axis>,
    /// Try this many settings drawn at random, in place of every combination
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub random: Option<u32>,
    /// Parts of the names, each asked for in turn
    #[arg(long, default_value_t = 5, value_name = "K", value_parser = folds)]
    pub folds: usize,
    /// Ask for the first N parts alone, to search in less time [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub first: Option<u32>,
    #[command(flatten)]
    pub changes: RecipeChanges,
}

/// Replacements for keys of a recipe.
#[derive(Args, Clone, Default)]
pub struct RecipeChanges {
    /// Knowledge base to learn from, or files that `kb import` reads; in place of data.kb
    #[arg(long, value_name = "PATH")]
    pub kb: Vec<PathBuf>,
    /// Labelled names to learn from, a table with the columns name and id; in place of data.names
    #[arg(long, value_name = "FILE")]
    pub names: Vec<PathBuf>,
    /// Encoder to start from, a Hugging Face folder; in place of encoder.from
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    /// Adapters of that folder to use, with commas between them: `general,biomedical`, `all` or `none`; in place of encoder.adapters
    #[arg(long, value_name = "NAMES")]
    pub adapter: Option<AdapterChoice>,
    /// Where to compute: cpu, or vulkan or cuda in a build with that feature; in place of device
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Change a key of the recipe, as schedule.epochs=4; without a value the key is taken out
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Subcommand)]
pub enum RecipeCommand {
    /// Print a recipe with every key of a kind of task, with defaults and meanings; without KIND list the kinds
    Explain {
        /// Kind of task, as in `[task] kind = "groups"`
        #[arg(value_name = "KIND", value_parser = kinds())]
        kind: Option<String>,
    },
}

fn kinds() -> PossibleValuesParser {
    Kind::all().iter().map(Kind::name).collect::<Vec<_>>().into()
}
