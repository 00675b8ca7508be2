//! Keys of the encoder that learns, and the checkpoint that they open.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use truename_error::HintPart;
use truename_infer::{AdapterChoice, CharacterConfig, Checkpoint, Network, Pooling};
use truename_nn::{LearnerOptions, untrained_characters};

use crate::documents::frozen;
use crate::{Error, error};

/// The encoder that learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EncoderKeys {
    pub from: PathBuf,
    pub adapters: AdapterChoice,
    pub characters: String,
    pub hidden: usize,
    pub layers: usize,
    pub pooling: String,
    pub dropout: f64,
    pub freeze_embeddings: bool,
    pub freeze_layers: usize,
    pub freeze_adapters: bool,
}

impl Default for EncoderKeys {
    fn default() -> Self {
        Self {
            from: PathBuf::new(),
            adapters: AdapterChoice::All,
            characters: String::new(),
            hidden: 128,
            layers: 2,
            pooling: String::new(),
            dropout: 0.1,
            freeze_embeddings: false,
            freeze_layers: 0,
            freeze_adapters: false,
        }
    }
}

impl EncoderKeys {
    pub fn check(&self) -> Result<(), Error> {
        self.pooling()?;
        self.characters().map(drop)
    }

    /// Opens the encoder of a new run.
    pub fn open(&self, seed: u64) -> Result<Checkpoint, Error> {
        match self.characters()? {
            Some(config) => Ok(untrained_characters(config, seed)),
            None if self.from.as_os_str().is_empty() => {
                Err(error::missing("encoder.from", HintPart::setting("encoder")))
            }
            None => {
                let checkpoint = Checkpoint::open_with_adapters(&self.from, &self.adapters)?;
                if matches!(checkpoint, Checkpoint::Characters(_)) && self.pooling()?.is_some() {
                    let reason = "left out: a character network has a pooling of its own";
                    return Err(error::value("encoder.pooling", &self.pooling, reason));
                }
                Ok(checkpoint)
            }
        }
    }

    pub fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        options.pooling = self.pooling()?;
        options.freeze = frozen(self.freeze_embeddings, self.freeze_layers);
        options.freeze_adapters = self.freeze_adapters;
        options.dropout = self.dropout;
        Ok(())
    }

    /// The sizes of a new character network, where the recipe asks for one.
    fn characters(&self) -> Result<Option<CharacterConfig>, Error> {
        let network = match self.characters.as_str() {
            "" => return Ok(None),
            "graph" => Network::Graph,
            "convolution" => Network::Convolution,
            "lstm" => Network::Lstm,
            other => return Err(error::value("encoder.characters", other, "lstm, convolution, graph or nothing")),
        };
        if network == Network::Lstm && !self.hidden.is_multiple_of(2) {
            return Err(error::value("encoder.hidden", self.hidden, "even, half for each direction"));
        }
        Ok(Some(CharacterConfig::new(network, self.hidden, self.layers)))
    }

    fn pooling(&self) -> Result<Option<Pooling>, Error> {
        pooling_of("encoder.pooling", &self.pooling)
    }
}

/// Returns the pooling that a key names; `None` for that of the checkpoint.
pub(crate) fn pooling_of(key: &'static str, name: &str) -> Result<Option<Pooling>, Error> {
    match name {
        "" => Ok(None),
        "mean" => Ok(Some(Pooling::Mean)),
        "cls" => Ok(Some(Pooling::Cls)),
        "max" => Ok(Some(Pooling::Max)),
        other => Err(error::value(key, other, "mean, cls, max or nothing")),
    }
}
