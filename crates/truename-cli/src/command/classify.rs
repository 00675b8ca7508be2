//! `truename classify`.

use std::time::Instant;

use truename_infer::Classifier;

use crate::arguments::Classify;
use crate::names::classified;

pub fn run(arguments: &Classify, quiet: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let classifier = Classifier::open(&arguments.texts.model)?;
    let (tally, malformed) = classified::run(arguments, &classifier, quiet)?;
    if !quiet {
        malformed.list("malformed rows left without an answer");
        tally.report(start);
    }
    Ok(())
}
