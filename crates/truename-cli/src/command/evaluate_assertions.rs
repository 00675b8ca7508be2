//! `truename evaluate assertions`.

use std::io::Write;

use truename::assertion_rules;
use truename_eval::{AssertionScores, read_assertions};

use crate::arguments::EvaluateAssertions;
use crate::{atomic_file, output};

pub fn run(arguments: &EvaluateAssertions) -> anyhow::Result<()> {
    let gold = read_assertions(&arguments.gold)?;
    let rules = assertion_rules(arguments.assertions.as_deref())?.unwrap_or_default();
    let scores = AssertionScores::of(&rules, &gold);
    let mut out = output::stdout();
    writeln!(out, "{scores}")?;
    out.finish()?;
    atomic_file::write_json(arguments.json.as_deref(), &scores)
}
