//! Columns that depend on others: records of one city often share the postcode, whether they match or not.

use serde::{Deserialize, Serialize};

/// The levels of agreement of a column among other pairs that are equal in an earlier column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Dependence {
    /// Folded name of the earlier column.
    pub on: String,
    /// Probability of each level.
    pub u: Vec<f64>,
}

/// Returns the share of records whose value another column decides, by the probabilities of equality with and without equality in that
/// column: the others are equal as often as without.
pub(super) fn decided(equal: f64, before: f64) -> f64 {
    ((equal - before) / (1.0 - before)).max(0.0)
}
