//! `truename evaluate pairs`.

use std::io::Write;

use serde::Serialize;
use truename_eval::pairs::{LabelledPair, PairScores, read_pairs};
use truename_records::{PairScorer, PairTables};

use crate::arguments::EvaluatePairs;
use crate::records::Scorer;
use crate::{atomic_file, interrupt, output, progress};

/// Pairs scored between two looks at Ctrl-C.
const PIECE: usize = 4096;

pub fn run(arguments: &EvaluatePairs, quiet: bool) -> anyhow::Result<()> {
    let scorer = Scorer::open(&arguments.scorer)?;
    let gold = read_pairs(&arguments.gold)?;
    let tables = PairTables::of_texts(gold.iter().map(|pair| (pair.left.as_str(), pair.right.as_str())));
    let scorer = scorer.of(tables.tables());
    let probabilities = progress::watched(quiet, || {
        let progress = interrupt::progress();
        progress.begin("comparing", tables.pairs().len() as u64);
        let mut probabilities = Vec::with_capacity(tables.pairs().len());
        for pairs in tables.pairs().chunks(PIECE) {
            interrupt::check()?;
            probabilities.extend(scorer.score(pairs)?);
            progress.advance(pairs.len() as u64);
        }
        Ok::<_, anyhow::Error>(probabilities)
    })?;
    if !quiet {
        scorer.say_truncated();
    }
    Report::of(&gold, &probabilities, arguments).write(arguments)
}

/// The scores and the worst errors, as `--json` has them.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    scores: PairScores,
    errors: Vec<PairError<'a>>,
}

/// A pair that was decided wrongly.
#[derive(Serialize)]
struct PairError<'a> {
    left: &'a str,
    right: &'a str,
    is_same: bool,
    probability: f64,
}

impl<'a> Report<'a> {
    fn of(gold: &'a [LabelledPair], probabilities: &[f64], arguments: &EvaluatePairs) -> Self {
        let threshold = arguments.scorer.threshold;
        let judged: Vec<(f64, bool)> =
            probabilities.iter().copied().zip(gold.iter().map(|pair| pair.is_same)).collect();
        let mut errors: Vec<PairError<'a>> = gold
            .iter()
            .zip(probabilities)
            .filter(|(pair, probability)| pair.is_same != (**probability >= threshold))
            .map(|(pair, probability)| PairError {
                left: &pair.left,
                right: &pair.right,
                is_same: pair.is_same,
                probability: *probability,
            })
            .collect();
        errors.sort_by(|one, other| {
            let distance = |error: &PairError<'_>| (error.probability - threshold).abs();
            distance(other).total_cmp(&distance(one))
        });
        errors.truncate(arguments.errors as usize);
        Self { scores: PairScores::of(&judged, threshold), errors }
    }

    fn write(&self, arguments: &EvaluatePairs) -> anyhow::Result<()> {
        let _committing = interrupt::commit()?;
        let mut out = output::stdout();
        writeln!(out, "{}", self.scores)?;
        for PairError { left, right, is_same, probability } in &self.errors {
            let same = if *is_same { "the same" } else { "not the same" };
            writeln!(out, "\n{same}, probability {probability:.4}\n  {left}\n  {right}")?;
        }
        out.finish()?;
        arguments
            .json
            .as_ref()
            .map_or(Ok(()), |path| atomic_file::write(path, &(serde_json::to_string_pretty(self)? + "\n")))
    }
}
