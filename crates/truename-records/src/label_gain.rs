//! Gain of a fit to labelled pairs.

use std::fmt;

use truename_error::counted;

/// Number of changed weights that are shown.
const SHOWN: usize = 5;

/// Gain of a fit to labelled pairs. Each pair of numbers is of the weights before and, on folds that they were not fitted to, of fitted
/// weights; labelled pairs count by one over their chance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LabelGain {
    /// True if the fitted weights are kept.
    pub kept: bool,
    /// Number of labelled pairs.
    pub labels: usize,
    /// Number of labelled pairs of the same thing.
    pub matches: usize,
    /// F1 of the decisions at the threshold.
    pub f1: (f64, f64),
    /// Mean negative log-likelihood of the labels.
    pub log_loss: (f64, f64),
    /// Number of pairs that the fitted weights would decide otherwise, though no labelled pair is like them.
    pub beyond: usize,
    /// Weights that changed, the most first, each with its value before and after.
    pub changes: Vec<(String, f64, f64)>,
}

impl fmt::Display for LabelGain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = counted(self.labels as u64, "labelled pair");
        writeln!(
            f,
            "{labels}, {} of the same thing; fitted to four fifths of them, on the others, before and after:",
            self.matches
        )?;
        writeln!(
            f,
            "F1 {:.2} and {:.2}, log-loss {:.4} and {:.4}",
            100.0 * self.f1.0,
            100.0 * self.f1.1,
            self.log_loss.0,
            self.log_loss.1
        )?;
        if self.kept {
            write!(f, "the fitted weights are kept: ")?;
            let changes = self.changes.iter().take(SHOWN);
            let changes = changes.map(|(name, before, after)| format!("{name} {before:.3} → {after:.3}"));
            return write!(f, "{}, …", changes.collect::<Vec<_>>().join(", "));
        }
        match self.beyond {
            0 => write!(f, "the weights before are kept: the fitted ones are not better beyond chance"),
            beyond => write!(
                f,
                "the weights before are kept: the fitted ones decide {} otherwise that no label is like",
                counted(beyond as u64, "pair")
            ),
        }
    }
}
