//! `truename classify`.

use std::time::Instant;

use truename_infer::Classifier;

use crate::arguments::Classify;
use crate::bars;
use crate::names::classified;

pub fn run(arguments: &Classify, quiet: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let classifier = Classifier::open(&arguments.texts.model)?;
    let no_bar = quiet || bars::is_in_the_way(arguments.out.as_ref());
    let (tally, malformed) = classified::run(arguments, &classifier, no_bar)?;
    if !quiet {
        malformed.list("malformed rows left without an answer");
        tally.report(start);
    }
    Ok(())
}
