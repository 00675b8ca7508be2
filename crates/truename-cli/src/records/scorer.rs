//! The model of pairs that the arguments name.

use serde::Serialize;
use truename_error::counted;
use truename_eval::PairModelSource;
use truename_records::LabelGain;

use crate::arguments::PairScorerArguments;

/// Opens the classifier, or reads the labelled pairs that the lexical scorer is fitted to.
pub fn pair_model(arguments: &PairScorerArguments) -> Result<PairModelSource, truename::Error> {
    PairModelSource::open(arguments.model.as_deref(), arguments.labels.as_deref())
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
    changes: Vec<(&'static str, f64, f64)>,
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
            changes: gain.changes(),
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
