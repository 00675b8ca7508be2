//! `truename evaluate assertions`.

use std::io::Write;

use truename::{AssertionRules, assertion_rules};
use truename_eval::{AssertionScores, read_assertions};

use crate::arguments::EvaluateAssertions;
use crate::{atomic_file, output};

pub fn run(arguments: &EvaluateAssertions) -> anyhow::Result<()> {
    let gold = read_assertions(&arguments.gold)?;
    let rules = match &arguments.assertions {
        Some(path) => assertion_rules(path)?.unwrap_or_default(),
        None => AssertionRules::english(),
    };
    let scores = AssertionScores::of(&rules, &gold);
    let mut out = output::stdout();
    writeln!(out, "{scores}")?;
    out.finish()?;
    atomic_file::write_json(arguments.json.as_deref(), &scores)
}
