//! Arguments of `truename batch`.

use clap::{Args, Subcommand};

use super::{Given, Match};

/// Help of `--out`, which is a folder here.
const FOLDER: &str = "Folder of the parts";

#[derive(Subcommand)]
pub enum Batch {
    /// Match big tables in parts, each by a process of its own
    ///
    /// A Parquet table is cut into ranges of rows, and each other file is a part. The folder of --out gets a file a part, as `match` writes
    /// it, and `batch.json` with the inputs, the options and the plan. Stopped or killed, the same command goes on with the parts that are
    /// missing; a run that would answer otherwise is refused. Takes the options of `match`.
    Match(Box<BatchMatch>),
}

#[derive(Args)]
#[command(
    mut_arg("out", |out| out.required(true).value_name("DIR").help(FOLDER).long_help(FOLDER)),
    mut_arg("resume", |resume| resume.hide(true))
)]
pub struct BatchMatch {
    #[command(flatten)]
    pub names: Given<Match>,
    /// Number of processes, which share the threads [default: one a thread]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// Most rows of a part of a Parquet table
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub rows: u64,
    /// Remove the parts that are there, and begin anew
    #[arg(long)]
    pub restart: bool,
}
