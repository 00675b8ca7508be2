//! Stand-in for Parquet if the feature is off.

use std::convert::Infallible;
use std::path::Path;

use serde_json::Value;
use truename::Linker;

use super::Target;
use super::tally::Tally;
use crate::arguments::Match;
use crate::exit_code::UsageError;

fn not_enabled() -> anyhow::Error {
    UsageError("Parquet is not enabled in this build; build with --features parquet".into()).into()
}

pub fn run(_: &Match, _: Target, _: &Linker, _: &mut Tally, _: bool) -> anyhow::Result<()> {
    Err(not_enabled())
}

pub fn read_whole(_: &Path) -> anyhow::Result<(Vec<String>, Vec<Vec<String>>)> {
    Err(not_enabled())
}

pub struct Writer(Infallible);

impl Writer {
    pub fn open(_: Option<&Path>, _: &[String], _: &[String]) -> anyhow::Result<Self> {
        Err(not_enabled())
    }

    pub fn write(&mut self, _: Vec<Value>, _: Vec<Value>) -> anyhow::Result<()> {
        match self.0 {}
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self.0 {}
    }
}
