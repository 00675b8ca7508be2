//! Arguments of `truename batch`.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};

use super::Match;

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
pub struct BatchMatch {
    #[command(flatten)]
    pub names: GivenMatch,
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

/// Arguments of `match`, of which `--out` is a folder, with the options as they were given.
pub struct GivenMatch {
    pub arguments: Match,
    /// Name of each option given, in the order of the help, with its values; none of a flag.
    pub options: Vec<(String, Vec<OsString>)>,
}

impl Args for GivenMatch {
    fn augment_args(command: clap::Command) -> clap::Command {
        let folder = "Folder of the parts";
        Match::augment_args(command)
            .mut_arg("out", |out| out.required(true).value_name("DIR").help(folder).long_help(folder))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for GivenMatch {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let command = Match::augment_args(clap::Command::new("match"));
        let is_given = |id: &str| matches.value_source(id).is_some_and(|source| source != ValueSource::DefaultValue);
        let options = command.get_arguments().filter(|argument| argument.get_id() != "out").filter_map(|argument| {
            let (name, id) = (argument.get_long()?, argument.get_id().as_str());
            let values = argument.get_action().takes_values().then(|| matches.get_raw(id)).flatten();
            is_given(id).then(|| (name.to_owned(), values.into_iter().flatten().map(Into::into).collect()))
        });
        Ok(Self { options: options.collect(), arguments: Match::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
