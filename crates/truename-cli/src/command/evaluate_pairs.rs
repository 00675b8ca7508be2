//! `truename evaluate pairs`.

use std::io::Write;

use truename_eval::pairs::read_pairs;
use truename_eval::{ComparedPairs, FittedPairModel, PairError, PairReport, pair_tables};

use crate::arguments::EvaluatePairs;
use crate::progress::watched;
use crate::records::{pair_model, say_gain, say_truncated, say_weights};
use crate::{atomic_file, interrupt, output};

pub fn run(arguments: &EvaluatePairs, quiet: bool) -> anyhow::Result<()> {
    let (threshold, errors) = (arguments.scorer.threshold, arguments.errors as usize);
    let source = pair_model(&arguments.scorer, arguments.scorer.labels.as_deref())?;
    let gold = read_pairs(&arguments.gold)?;
    let FittedPairModel { model, gain } = source.fit(ComparedPairs::Texts(&pair_tables(&gold)), threshold)?;
    let report = watched(quiet, || PairReport::of(&model, &gold, threshold, errors, &interrupt::progress()))?;
    if !quiet {
        say_weights(&model);
        gain.iter().for_each(say_gain);
        say_truncated(report.truncated);
    }
    let _committing = interrupt::commit()?;
    let mut out = output::stdout();
    writeln!(out, "{}", report.scores)?;
    for PairError { left, right, is_same, probability, .. } in &report.errors {
        let same = if *is_same { "the same" } else { "not the same" };
        writeln!(out, "\n{same}, probability {probability:.4}\n  {left}\n  {right}")?;
    }
    out.finish()?;
    atomic_file::write_json(arguments.json.as_deref(), &report)
}
