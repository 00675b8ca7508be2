//! Configuration of span heads: types with their descriptions, windows, thresholds.

use serde::{Deserialize, Serialize};

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
    /// Thresholds that separate mentions from other spans.
    pub thresholds: Thresholds,
}

impl SpanConfig {
    /// Name of the head in the manifest.
    pub const HEAD: &'static str = "spans";

    /// Creates the configuration of BINDER (section 4.2) for some types: spans of 30 tokens, windows of 128, dynamic
    /// thresholds.
    pub fn new(types: Vec<EntityType>) -> Self {
        Self { types, max_span: 30, window: 128, is_flat: true, thresholds: Thresholds::Dynamic }
    }
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
