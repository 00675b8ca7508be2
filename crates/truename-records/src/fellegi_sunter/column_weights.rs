//! The parameters of a column.

use std::fmt;

use serde::{Deserialize, Serialize};
use truename_read::quoted;

use super::column_type::ColumnType;
use super::dependence::Dependence;

/// Greatest probability of a level.
const MOST: f64 = 0.999_999;

/// The parameters of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ColumnWeights {
    /// Folded name of the column; empty where the tables share none and all values are one.
    pub name: String,
    /// Type of the column.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// Probability of each level of agreement among matches, from `differs` to `equal`.
    pub m: Vec<f64>,
    /// Probability of each level among other pairs.
    pub u: Vec<f64>,
    /// Earlier columns that this one depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Dependence>,
    /// Corrections of the weights of the levels by labelled pairs, in bits; empty without labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correction: Vec<f64>,
}

impl ColumnWeights {
    /// Creates the parameters of a type of column before a table is seen.
    pub(super) fn standard(name: &str, kind: ColumnType) -> Self {
        let levels = kind.levels();
        let (m, u) = levels.iter().map(|level| (level.m, level.u)).unzip();
        Self { name: name.to_owned(), kind, m, u, given: Vec::new(), correction: Vec::new() }
    }

    /// Rounds the probabilities to nine digits, below 1.
    pub(super) fn round(&mut self) {
        let given = self.given.iter_mut().map(|given| &mut given.u);
        for probability in [&mut self.m, &mut self.u].into_iter().chain(given).flatten() {
            *probability = rounded(*probability).min(MOST);
        }
    }

    /// Returns each level of agreement with its match weight: log₂ of m / u, and its correction.
    pub fn weights(&self) -> impl DoubleEndedIterator<Item = (&'static str, f64)> + '_ {
        let levels = self.kind.levels().iter().enumerate();
        levels.map(|(at, level)| (level.name, (self.m[at] / self.u[at]).log2() + self.correction(at)))
    }

    /// Returns the correction of the weight of a level by labelled pairs, in bits.
    pub(super) fn correction(&self, level: usize) -> f64 {
        self.correction.get(level).copied().unwrap_or_default()
    }
}

impl fmt::Display for ColumnWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {} is compared as {}: ", quoted(&self.name), self.kind)?;
        let weights: Vec<String> =
            self.weights().rev().map(|(level, weight)| format!("{level} {weight:+.1}")).collect();
        f.write_str(&weights.join(", "))
    }
}

/// Rounds a number to nine significant digits.
pub(super) fn rounded(number: f64) -> f64 {
    format!("{number:.8e}").parse().expect("a number is read as it is written")
}
