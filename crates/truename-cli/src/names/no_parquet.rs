//! Stands in for the Parquet reader where the feature is off.

use truename::Linker;

use super::tally::Tally;
use crate::arguments::Match;
use crate::exit_code::UsageError;

pub fn run(_: &Match, _: &Linker, _: &mut Tally, _: bool) -> anyhow::Result<()> {
    Err(UsageError("Parquet is not enabled in this build; build with --features parquet".into()).into())
}
