//! Keys of recipes whose task learns an encoder from names.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::encoder::EncoderKeys;
use crate::recipe::{Condition, Keys, Range, one_or_many};
use crate::{Error, error};

/// The sections of a task that learns an encoder from names.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NameKeys {
    pub data: DataKeys,
    pub encoder: EncoderKeys,
    pub evaluation: EvaluationKeys,
    pub ranker: RankerKeys,
}

/// Files to learn from.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DataKeys {
    #[serde(deserialize_with = "one_or_many")]
    pub kb: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    pub names: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    pub extra: Vec<PathBuf>,
}

/// Names to ask for, and the search for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EvaluationKeys {
    #[serde(deserialize_with = "one_or_many")]
    pub names: Vec<PathBuf>,
    pub share: f64,
    pub max_names: usize,
    pub vote: usize,
    pub preferred: bool,
}

/// Encoders to fit the ranker by.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RankerKeys {
    pub folds: usize,
}

impl Default for EvaluationKeys {
    fn default() -> Self {
        Self { names: Vec::new(), share: 0.0, max_names: 50_000, vote: 0, preferred: false }
    }
}

impl Keys for NameKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("encoder.hidden", Range::of(1.0, 16_384.0)),
        ("encoder.layers", Range::of(1.0, 100.0)),
        ("encoder.dropout", Range::PART),
        ("encoder.freeze_layers", Range::of(0.0, 1000.0)),
        ("evaluation.share", Range::PART),
        ("evaluation.max_names", Range::of(0.0, 1e10)),
        ("evaluation.vote", Range::of(0.0, 10_000.0)),
        ("ranker.folds", Range::of(0.0, 20.0)),
    ];
    const PATHS: &'static [&'static str] = &["data.kb", "data.names", "data.extra", "encoder.from", "evaluation.names"];
    const CONDITIONS: &'static [Condition] = &[
        Condition { keys: &["encoder.from", "encoder.pooling"], on: "encoder.characters", values: &[""] },
        Condition {
            keys: &["encoder.hidden", "encoder.layers"],
            on: "encoder.characters",
            values: &["lstm", "convolution", "graph"],
        },
    ];

    fn check(&self) -> Result<(), Error> {
        if self.ranker.folds == 1 {
            return Err(error::value("ranker.folds", 1, "0 or from 2 to 20"));
        }
        self.encoder.check()
    }
}
