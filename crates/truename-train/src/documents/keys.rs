//! Keys of recipes whose task learns from documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use truename_error::HintPart;
use truename_infer::{AdapterChoice, Checkpoint, Descriptions, EntityType, StudentSize, TransformerCheckpoint};
use truename_nn::{LearnerOptions, NamePattern};

use crate::recipe::{Keys, Range};
use crate::{Error, error};

/// The sections of a task that learns from documents with mentions.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DocumentKeys {
    pub data: DataKeys,
    pub types: BTreeMap<String, Descriptions>,
    pub encoder: EncoderKeys,
    pub text: TextKeys,
}

/// Corpora to learn from.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct DataKeys {
    #[serde(deserialize_with = "corpora")]
    pub train: Vec<CorpusKey>,
    #[serde(deserialize_with = "corpora")]
    pub dev: Vec<CorpusKey>,
    pub dev_share: f64,
}

/// A corpus: its path alone, or with its types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum CorpusKey {
    Path(PathBuf),
    Typed { path: PathBuf, types: TypesKey },
}

/// The types that a corpus annotates: their names in the recipe, or the names in the corpus with those in the recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum TypesKey {
    Names(Vec<String>),
    Renamed(BTreeMap<String, String>),
}

/// The network that reads texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EncoderKeys {
    pub from: PathBuf,
    pub adapters: AdapterChoice,
    pub layers: usize,
    pub dropout: f64,
    pub freeze_embeddings: bool,
    pub freeze_layers: usize,
    pub freeze_adapters: bool,
}

/// The pieces of texts that are learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TextKeys {
    pub window: usize,
    pub overlap: usize,
    pub batch: usize,
    pub flat: bool,
    pub empty: bool,
}

impl Default for EncoderKeys {
    fn default() -> Self {
        Self {
            from: PathBuf::new(),
            adapters: AdapterChoice::All,
            layers: 0,
            dropout: 0.1,
            freeze_embeddings: false,
            freeze_layers: 0,
            freeze_adapters: false,
        }
    }
}

impl Default for TextKeys {
    fn default() -> Self {
        Self { window: 128, overlap: 16, batch: 1024, flat: true, empty: true }
    }
}

impl Keys for DocumentKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("data.dev_share", Range::PART),
        ("encoder.layers", Range::of(0.0, 1000.0)),
        ("encoder.dropout", Range::PART),
        ("encoder.freeze_layers", Range::of(0.0, 1000.0)),
        ("text.window", Range::of(8.0, 100_000.0)),
        ("text.overlap", Range::of(0.0, 100_000.0)),
        ("text.batch", Range::of(8.0, 1e7)),
    ];
    const PATHS: &'static [&'static str] = &["data.train", "data.dev", "encoder.from"];
    const OPEN: &'static [&'static str] = &["types"];

    fn check(&self) -> Result<(), Error> {
        if self.text.overlap + 3 > self.text.window {
            return Err(error::value("text.overlap", self.text.overlap, "less than text.window by 3 or more"));
        }
        let is_empty = |description: &String| description.trim().is_empty();
        let is_described = |entity_type: &EntityType| {
            !entity_type.descriptions.is_empty() && !entity_type.descriptions.iter().any(is_empty)
        };
        match self.entity_types().iter().find(|entity_type| !is_described(entity_type)) {
            Some(entity_type) => {
                let advice = "describe in a sentence what mentions of the type stand for";
                Err(error::key(format!("types.{} is no description", entity_type.name), advice))
            }
            None => Ok(()),
        }
    }
}

impl DocumentKeys {
    /// The types with their descriptions, in the order of their names.
    pub fn entity_types(&self) -> Vec<EntityType> {
        let entity_type = |(name, descriptions): (&String, &Descriptions)| EntityType {
            name: name.clone(),
            descriptions: descriptions.clone().into(),
        };
        self.types.iter().map(entity_type).collect()
    }
}

impl CorpusKey {
    pub fn path(&self) -> &Path {
        match self {
            Self::Path(path) | Self::Typed { path, .. } => path,
        }
    }
}

impl EncoderKeys {
    /// Opens the network of a new run.
    pub fn open(&self) -> Result<Checkpoint, Error> {
        if self.from.as_os_str().is_empty() {
            return Err(error::missing("encoder.from", HintPart::setting("encoder")));
        }
        match Checkpoint::open_with_adapters(&self.from, &self.adapters)? {
            checkpoint if self.layers == 0 => Ok(checkpoint),
            Checkpoint::Transformer(whole) => {
                let size = StudentSize { layers: self.layers, ..StudentSize::default() };
                Ok(Checkpoint::Transformer(whole.student(&size)?))
            }
            _ => Err(error::no_transformer()),
        }
    }

    /// Opens the network of a new run, a transformer.
    pub fn open_transformer(&self) -> Result<TransformerCheckpoint, Error> {
        match self.open()? {
            Checkpoint::Transformer(transformer) => Ok(transformer),
            _ => Err(error::no_transformer()),
        }
    }

    pub fn configure(&self, options: &mut LearnerOptions) {
        options.freeze = frozen(self.freeze_embeddings, self.freeze_layers);
        options.freeze_adapters = self.freeze_adapters;
        options.dropout = self.dropout;
    }
}

/// Returns patterns of the names of parameters that keep their values.
pub(crate) fn frozen(embeddings: bool, layers: usize) -> Vec<NamePattern> {
    let embeddings = embeddings.then(|| NamePattern::new("*embeddings.*"));
    let layers =
        (0..layers).flat_map(|layer| ["layer", "layers"].map(|name| NamePattern::new(format!("*{name}.{layer}.*"))));
    embeddings.into_iter().chain(layers).collect()
}

/// Returns the network of a run, a transformer.
pub(crate) fn transformer(networks: &[Checkpoint]) -> Result<&TransformerCheckpoint, Error> {
    match &networks[0] {
        Checkpoint::Transformer(transformer) => Ok(transformer),
        _ => Err(error::no_transformer()),
    }
}

/// Reads a corpus, or a list of them.
pub(crate) fn corpora<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<CorpusKey>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        Many(Vec<CorpusKey>),
        One(CorpusKey),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(corpus) => vec![corpus],
        OneOrMany::Many(corpora) => corpora,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_frozen_by_either_name() {
        let mut options = LearnerOptions::default();
        EncoderKeys { freeze_layers: 2, ..EncoderKeys::default() }.configure(&mut options);
        let is_frozen = |name: &str| options.freeze.iter().any(|pattern| pattern.matches(name));
        assert!(is_frozen("encoder.layer.1.output.weight") && is_frozen("layers.0.mlp.Wi.weight"));
        assert!(!is_frozen("layers.2.mlp.Wi.weight") && !is_frozen("embeddings.word_embeddings.weight"));
    }
}
