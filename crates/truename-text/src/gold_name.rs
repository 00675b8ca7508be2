//! Names with their right answers, for calibration and scores.

/// A name with its right answer, to fit a ranker to or to score a system by.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldName {
    /// The name.
    pub name: String,
    /// Accepted ids, any of which is right; empty where the right answer is NIL.
    pub ids: Vec<String>,
    /// Type of the name, for scores by type.
    pub name_type: Option<String>,
    /// Chance with which the name was drawn to be judged, above 0 and at most 1, beside that of the others
    /// ([`crate::sampling_weights`]).
    pub chance: f64,
}

impl Default for GoldName {
    /// An empty name without an answer, drawn with the chance 1.
    fn default() -> Self {
        Self { name: String::new(), ids: Vec::new(), name_type: None, chance: 1.0 }
    }
}
