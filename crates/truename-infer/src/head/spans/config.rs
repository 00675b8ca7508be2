//! Configuration of span heads: types with their descriptions, windows, thresholds.

use serde::{Deserialize, Serialize};

use crate::logistic::{LogisticRegression, LogisticRow, logistic};

/// A type of entities with its descriptions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityType {
    /// Its name, such as `Disease`.
    pub name: String,
    /// What mentions of the type stand for, in words; at least one.
    pub descriptions: Vec<String>,
}

impl EntityType {
    /// Creates a type with one description.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), descriptions: vec![description.into()] }
    }
}

/// One or several descriptions of a type, as files write them: a text, or a list of texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Descriptions {
    /// One description.
    One(String),
    /// A list of descriptions.
    Many(Vec<String>),
}

impl From<Descriptions> for Vec<String> {
    fn from(descriptions: Descriptions) -> Self {
        match descriptions {
            Descriptions::One(description) => vec![description],
            Descriptions::Many(descriptions) => descriptions,
        }
    }
}

/// Configuration of a [`SpanScorer`](super::SpanScorer), kept in the model folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SpanConfig {
    /// Types that the model was trained on.
    pub types: Vec<EntityType>,
    /// Largest number of tokens of a span.
    pub max_span: usize,
    /// Largest number of tokens of a window, with those that mark its ends.
    pub window: usize,
    /// True if no two mentions overlap.
    pub is_flat: bool,
    /// True if words with capitals are of segment 1 ([`WindowOptions::capitals`](super::WindowOptions)).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capitals: bool,
    /// Thresholds that separate mentions from other spans.
    pub thresholds: Thresholds,
    /// True if starts and ends were learnt too, which joint inference goes by (BINDER, equation 15).
    #[serde(default = "learnt", skip_serializing_if = "Clone::clone")]
    pub has_bounds: bool,
    /// Probability of a mention by its margin, fitted to annotated texts that the model did not learn from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<MarginCalibration>,
    /// Vectors of the types, computed when the training ended; without them the network of descriptions computes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<TypeVectors>,
}

/// Probability of a mention by its margin, the difference of score and threshold: a logistic function (Platt 1999).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginCalibration {
    slope: f64,
    intercept: f64,
}

impl MarginCalibration {
    /// Fits the function to the margins of found mentions, each with whether it is right; `None` where fewer than 50 are right or wrong.
    pub fn fit(margins: &[(f64, bool)]) -> Option<Self> {
        /// Fewest right and fewest wrong mentions.
        const FEWEST: usize = 50;
        let right = margins.iter().filter(|(_, is_right)| *is_right).count();
        if right.min(margins.len() - right) < FEWEST {
            return None;
        }
        let row = |(margin, is_positive): &(f64, bool)| LogisticRow {
            features: [*margin, 1.0],
            is_positive: *is_positive,
            weight: 1.0,
        };
        let regression = LogisticRegression { prior: [0.0, 0.0], penalty: 1e-3 };
        let [slope, intercept] = regression.fit(margins.iter().map(row));
        Some(Self { slope, intercept })
    }

    /// Returns the probability of a mention with a margin.
    pub fn probability(&self, margin: f64) -> f64 {
        logistic(self.slope * margin + self.intercept)
    }
}

/// Vectors of types, of unit length, that starts, ends and spans are compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeVectors {
    /// `[types, dimensions]`
    pub(super) starts: Vec<f32>,
    /// `[types, dimensions]`
    pub(super) ends: Vec<f32>,
    /// `[types, dimensions]`
    pub(super) spans: Vec<f32>,
}

impl TypeVectors {
    /// Returns the vectors that starts, ends and spans are compared with.
    pub fn parts(&self) -> [&[f32]; 3] {
        [&self.starts, &self.ends, &self.spans]
    }

    /// Returns whether each of the three has this many values.
    pub(super) fn are_of_size(&self, size: usize) -> bool {
        [&self.starts, &self.ends, &self.spans].iter().all(|vectors| vectors.len() == size)
    }

    /// Returns the vectors of the types with these numbers.
    pub(super) fn of_types(&self, numbers: &[usize], dimensions: usize) -> Self {
        let rows = |vectors: &[f32]| {
            numbers.iter().flat_map(|number| &vectors[number * dimensions..][..dimensions]).copied().collect()
        };
        Self { starts: rows(&self.starts), ends: rows(&self.ends), spans: rows(&self.spans) }
    }
}

impl SpanConfig {
    /// Name of the head in the manifest.
    pub const HEAD: &'static str = "spans";

    /// Creates the configuration of BINDER (section 4.2) for some types: spans of 30 tokens, windows of 128, dynamic
    /// thresholds.
    pub fn new(types: Vec<EntityType>) -> Self {
        Self {
            types,
            max_span: 30,
            window: 128,
            is_flat: true,
            capitals: false,
            thresholds: Thresholds::Dynamic,
            has_bounds: true,
            calibration: None,
            vectors: None,
        }
    }
}

fn learnt() -> bool {
    true
}

/// Thresholds that separate mentions from other spans (BINDER, sections 3.2 and 4.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Thresholds {
    /// Similarity of a type to the first token of the window.
    Dynamic,
    /// A learned number for each type.
    Learned,
    /// A number for each type, chosen on development data after the training.
    Tuned(Vec<f32>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_have_the_shares_of_right_mentions() {
        let share = |margin: i32| [0.2, 0.5, 0.8][margin as usize];
        let margins: Vec<(f64, bool)> = (0..3)
            .flat_map(|margin| (0..200).map(move |at| (f64::from(margin), f64::from(at) < 200.0 * share(margin))))
            .collect();
        let calibration = MarginCalibration::fit(&margins).unwrap();
        for margin in 0..3 {
            assert!((calibration.probability(f64::from(margin)) - share(margin)).abs() < 0.01, "{calibration:?}");
        }
        assert_eq!(MarginCalibration::fit(&margins[..60]), None);
    }
}
