//! Arguments of `truename distil`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub struct Distil {
    /// Teacher: folder of a recognizer or an encoder, in single precision or quantised; `bundled` for the recognizer of this program
    #[arg(value_name = "TEACHER")]
    pub teacher: PathBuf,
    /// Texts to learn a recognizer from, in the formats of `link`; mentions in them are not looked at
    #[arg(value_name = "TEXT")]
    pub texts: Vec<PathBuf>,
    /// Folder for the student, its checkpoint and its metrics
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub size: StudentArguments,
    /// Names to learn an encoder from: a knowledge base, or files that `kb import` reads
    #[arg(long, value_name = "PATH")]
    pub kb: Vec<PathBuf>,
    /// More names: tables with the columns name and id
    #[arg(long, value_name = "FILE")]
    pub names: Vec<PathBuf>,
    /// Annotated documents to evaluate and calibrate a recognizer on
    #[arg(long, value_name = "PATH")]
    pub dev: Vec<PathBuf>,
    /// Where to compute: cpu, or vulkan or cuda in a build with that feature
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Change a key of the recipe (`truename recipe explain distil`), as schedule.epochs=2
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Go on from the last checkpoint in the folder; without one the run begins
    #[arg(long)]
    pub resume: bool,
}

/// Sizes in which the student is smaller than its teacher.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub struct StudentArguments {
    /// Number of layers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub layers: Option<u16>,
    /// Width of the states
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub hidden: Option<u16>,
    /// Word pieces: all of the teacher's vocabulary, or those that occur in the texts and names (unseen words are split into shorter pieces and characters)
    #[arg(long, value_name = "WHICH", value_parser = ["all", "texts"])]
    pub vocabulary: Option<String>,
}
