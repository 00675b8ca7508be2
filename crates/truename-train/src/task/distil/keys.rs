//! Keys of distillation.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use truename::TrainedRecognizer;
use truename_error::HintPart;
use truename_infer::{Checkpoint, TransformerCheckpoint};
use truename_nn::DistillationOptions;

use crate::documents::{CorpusKey, corpora};
use crate::recipe::{Keys, Range, one_or_many};
use crate::{Error, error};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct DistilKeys {
    pub data: DataKeys,
    pub encoder: EncoderKeys,
    pub student: StudentKeys,
    pub sampler: SamplerKeys,
    pub objective: ObjectiveKeys,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct DataKeys {
    #[serde(deserialize_with = "one_or_many")]
    pub text: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    pub kb: Vec<PathBuf>,
    #[serde(deserialize_with = "one_or_many")]
    pub names: Vec<PathBuf>,
    #[serde(deserialize_with = "corpora")]
    pub dev: Vec<CorpusKey>,
    pub dev_share: f64,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EncoderKeys {
    pub from: PathBuf,
    pub dropout: f64,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StudentKeys {
    pub layers: usize,
    pub hidden: usize,
    pub vocabulary: Vocabulary,
}

/// Tokens of the student.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Vocabulary {
    /// All tokens of the teacher.
    #[default]
    All,
    /// The teacher's tokens that occur in the training texts and names, and single characters.
    Texts,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SamplerKeys {
    pub overlap: usize,
    pub tokens: usize,
    pub names: usize,
}

impl Default for SamplerKeys {
    fn default() -> Self {
        Self { overlap: 16, tokens: 1024, names: 64 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ObjectiveKeys {
    pub temperature: f64,
    pub spans: f64,
    pub positions: f64,
    pub states: f64,
    pub vectors: f64,
    pub similarities: f64,
}

impl Default for ObjectiveKeys {
    fn default() -> Self {
        let DistillationOptions { temperature, spans, positions, states, vectors, similarities, .. } =
            DistillationOptions::default();
        Self { temperature, spans, positions, states, vectors, similarities }
    }
}

impl Keys for DistilKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("data.dev_share", Range::PART),
        ("encoder.dropout", Range::PART),
        ("student.layers", Range::of(0.0, 1000.0)),
        ("student.hidden", Range::of(0.0, 16_384.0)),
        ("sampler.overlap", Range::of(0.0, 100_000.0)),
        ("sampler.tokens", Range::of(8.0, 1e7)),
        ("sampler.names", Range::of(2.0, 1e6)),
        ("objective.temperature", Range::positive(1000.0)),
        ("objective.spans", Range::of(0.0, 1000.0)),
        ("objective.positions", Range::of(0.0, 1000.0)),
        ("objective.states", Range::of(0.0, 1000.0)),
        ("objective.vectors", Range::of(0.0, 1000.0)),
        ("objective.similarities", Range::of(0.0, 1000.0)),
    ];
    const PATHS: &'static [&'static str] = &["data.text", "data.kb", "data.names", "data.dev", "encoder.from"];
}

impl DistilKeys {
    /// Returns the folder of the teacher; `bundled` is that of the recognizer of this program.
    pub fn teacher_folder(&self) -> Result<PathBuf, Error> {
        let from = &self.encoder.from;
        if from.as_os_str().is_empty() {
            return Err(error::missing("encoder.from", HintPart::setting("encoder")));
        }
        Ok(if from == Path::new("bundled") {
            TrainedRecognizer::named(from)?.folder().to_owned()
        } else {
            from.clone()
        })
    }

    /// Opens the teacher, a transformer.
    pub fn teacher(&self) -> Result<TransformerCheckpoint, Error> {
        match Checkpoint::open(&self.teacher_folder()?)? {
            Checkpoint::Transformer(transformer) => Ok(transformer),
            _ => Err(error::no_transformer()),
        }
    }
}
