//! The model of pairs that the arguments name.

use std::path::Path;

use serde::Serialize;
use truename_error::counted;
use truename_eval::PairModelSource;
use truename_records::{LabelGain, PairModel, UnsupervisedScorer};

use crate::arguments::{PairScorerArguments, ScorerName};

/// Opens the model, or reads the labelled pairs that the scorer is fitted to.
pub fn pair_model(arguments: &PairScorerArguments, labels: Option<&Path>) -> Result<PairModelSource, truename::Error> {
    let scorer = arguments.scorer.map(|name| match name {
        ScorerName::FellegiSunter => UnsupervisedScorer::FellegiSunter,
        ScorerName::Lexical => UnsupervisedScorer::Lexical,
    });
    PairModelSource::open(arguments.model.as_deref(), labels, scorer)
}

/// Reports the types of the columns and the weights of their levels of agreement, in bits.
pub fn say_weights(model: &PairModel) {
    if let PairModel::FellegiSunter(model) = model {
        model.columns.iter().for_each(|column| crate::say!("{column}"));
    }
}

/// Gain of a fit to labelled pairs, as `--json` has it; pairs of numbers are before and after.
#[derive(Serialize)]
pub struct LabelReport {
    kept: bool,
    labels: usize,
    matches: usize,
    f1: (f64, f64),
    log_loss: (f64, f64),
    beyond: usize,
    /// Weights that changed, the most first.
    changes: Vec<(String, f64, f64)>,
}

impl LabelReport {
    pub fn of(gain: &LabelGain) -> Self {
        Self {
            kept: gain.kept,
            labels: gain.labels,
            matches: gain.matches,
            f1: gain.f1,
            log_loss: gain.log_loss,
            beyond: gain.beyond,
            changes: gain.changes.clone(),
        }
    }
}

/// Reports what labels changed.
pub fn say_gain(gain: &LabelGain) {
    crate::say!("{gain}");
    if !gain.kept && gain.beyond > 0 {
        crate::say!(
            "hint: label pairs of all kinds: the page of `truename dedupe --format html` draws them, and saves their chances"
        );
    }
}

/// Reports the number of pairs that the window of a classifier cut.
pub fn say_truncated(pairs: u64) {
    if pairs > 0 {
        let pairs = counted(pairs, "pair");
        crate::say!("{pairs} longer than the classifier's window; only the beginnings of the records are read");
    }
}
