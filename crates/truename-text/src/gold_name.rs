//! Names with their right answers, for calibration and scores.

/// A name with its right answer, to fit a ranker to or to score a system by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldName {
    /// The name.
    pub name: String,
    /// Accepted ids, any of which is right; empty where the right answer is NIL.
    pub ids: Vec<String>,
    /// Type of the name, for scores by type.
    pub name_type: Option<String>,
}
