//! Keys of recipes whose task learns from mentions in context.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::documents::EncoderKeys;
use crate::recipe::{Keys, Range, one_or_many};

/// The sections of a task that learns from mentions in their contexts.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct MentionKeys {
    pub data: DataKeys,
    pub encoder: EncoderKeys,
}

/// A knowledge base, and corpora with ids of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DataKeys {
    #[serde(deserialize_with = "one_or_many")]
    pub kb: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    pub train: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    pub dev: Vec<PathBuf>,
    pub dev_share: f64,
    pub distinct: bool,
}

impl Default for DataKeys {
    fn default() -> Self {
        Self { kb: Vec::new(), train: Vec::new(), dev: Vec::new(), dev_share: 0.1, distinct: true }
    }
}

impl Keys for MentionKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("data.dev_share", Range::PART),
        ("encoder.dropout", Range::PART),
        ("encoder.freeze_layers", Range::of(0.0, 1000.0)),
        ("encoder.layers", Range::of(0.0, 1000.0)),
    ];
    const PATHS: &'static [&'static str] = &["data.kb", "data.train", "data.dev", "encoder.from"];
}

/// The section of the candidates of mentions.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CandidateKeys {
    pub encoder: PathBuf,
    pub retriever: PathBuf,
    pub of: CandidateSource,
}

/// What proposes candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CandidateSource {
    /// All generators.
    #[default]
    All,
    /// The retriever alone.
    Retriever,
}
