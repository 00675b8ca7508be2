//! `truename classify`.

use std::time::Instant;

use truename_infer::{Classifier, ClassifyConfig};

use crate::arguments::{Classify, TextArguments};
use crate::bars;
use crate::exit_code::UsageError;
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

/// Columns of the texts: those of the arguments, else those of the data that the classifier learnt from, else `text`.
pub fn columns(arguments: &TextArguments, config: &ClassifyConfig) -> (String, Option<String>) {
    let known = |at: usize| config.columns.get(at).cloned();
    let first = arguments.first.clone().or_else(|| known(0)).unwrap_or_else(|| "text".to_owned());
    (first, arguments.second.clone().or_else(|| known(1)))
}

/// Refuses single texts for a classifier of pairs, and pairs for one of single texts.
pub fn check_pair(is_pair: bool, config: &ClassifyConfig) -> Result<(), UsageError> {
    match (is_pair, config.is_pair) {
        (false, true) => Err(UsageError("the model classifies pairs of texts; name the second with --second".into())),
        (true, false) => Err(UsageError("the model classifies single texts, and these are pairs".into())),
        _ => Ok(()),
    }
}
