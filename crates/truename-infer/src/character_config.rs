//! Configuration of encoders that read characters, with the names and shapes of their tensors.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::hash::Fingerprint;
use crate::lstm::DIRECTIONS;
use crate::tokenizer::characters::{ENDS, VOCABULARY};
use crate::{Error, error};

/// `model_type` in the `config.json` of such an encoder.
pub(crate) const MODEL_TYPE: &str = "truename-characters";

/// `config.json` of an encoder that reads characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CharacterConfig {
    model_type: String,
    /// Kind of the layers.
    pub network: Network,
    /// Width of a character's vector.
    pub embedding: usize,
    /// Width of the states after each layer, and of a name's vector; half of it in each direction of a recurrence.
    pub hidden: usize,
    /// Layers.
    pub layers: usize,
    /// Characters read of a name, its ends included.
    pub window: usize,
}

/// Kind of the layers of an encoder of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Network {
    /// Graph convolutions (Kipf and Welling 2017, equation 2, by the mean of the neighbours) over the chain of characters:
    /// the baseline of CoSiNES, section 4.3.
    Graph,
    /// Maps of each character with its two neighbours, each neighbour with weights of its own.
    Convolution,
    /// Long short-term memory in both directions; the last state of each goes through a dense layer (NSEEN, section 3.1).
    Lstm,
}

impl CharacterConfig {
    /// Table of character vectors. By this name and the next ones both engines find their tensors.
    pub const EMBEDDINGS: &'static str = "embeddings";
    /// Map of the inputs of one direction of a recurrence.
    pub const INPUT: &'static str = "input";
    /// Map of the states of one direction of a recurrence.
    pub const RECURRENT: &'static str = "recurrent";
    /// Map of the last states of a recurrence.
    pub const DENSE: &'static str = "dense";

    /// Name of a layer, from 0.
    pub fn layer(number: usize) -> String {
        format!("layers.{number}")
    }

    /// Creates the configuration of so many layers of one width.
    pub fn new(network: Network, hidden: usize, layers: usize) -> Self {
        Self { model_type: MODEL_TYPE.into(), network, embedding: hidden, hidden, layers, window: 256 }
    }

    /// Number of characters that have a vector.
    pub fn vocabulary(&self) -> usize {
        VOCABULARY
    }

    /// The tensors with their shapes.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let mut tensors = vec![(format!("{}.weight", Self::EMBEDDINGS), vec![self.vocabulary(), self.embedding])];
        let mut map = |name: String, inputs, outputs| {
            tensors.push((format!("{name}.weight"), vec![outputs, inputs]));
            tensors.push((format!("{name}.bias"), vec![outputs]));
        };
        for layer in 0..self.layers {
            match self.network {
                Network::Graph | Network::Convolution => {
                    map(Self::layer(layer), self.inputs(layer), self.hidden);
                }
                Network::Lstm => {
                    for direction in DIRECTIONS {
                        let name = format!("{}.{direction}.{}", Self::layer(layer), Self::INPUT);
                        map(name, self.inputs(layer), 4 * self.state());
                    }
                }
            }
        }
        if self.network == Network::Lstm {
            map(Self::DENSE.into(), self.hidden, self.hidden);
            for (layer, direction) in (0..self.layers).flat_map(|layer| DIRECTIONS.map(|direction| (layer, direction)))
            {
                let name = format!("{}.{direction}.{}.weight", Self::layer(layer), Self::RECURRENT);
                tensors.push((name, vec![4 * self.state(), self.state()]));
            }
        }
        tensors
    }

    /// The width of what goes into a layer.
    pub fn inputs(&self, layer: usize) -> usize {
        let width = if layer == 0 { self.embedding } else { self.hidden };
        if self.network == Network::Convolution { 3 * width } else { width }
    }

    /// The width of the states of one direction of a recurrence.
    pub fn state(&self) -> usize {
        self.hidden / 2
    }

    /// Takes it from the bytes of the file at `path`, where they are of an encoder that reads characters.
    pub(crate) fn parse(path: &Path, bytes: &[u8], fingerprint: &mut Fingerprint) -> Result<Option<Self>, Error> {
        #[derive(Deserialize)]
        struct Kind {
            model_type: String,
        }
        // What is no configuration of any kind is said where transformers are read.
        let kind: Option<Kind> = serde_json::from_slice(bytes).ok();
        if kind.is_none_or(|kind| kind.model_type != MODEL_TYPE) {
            return Ok(None);
        }
        fingerprint.add(bytes);
        let config: Self = serde_json::from_slice(bytes).map_err(|source| error::json(path, source))?;
        for (key, value) in [("embedding", config.embedding), ("hidden", config.hidden), ("layers", config.layers)] {
            if value == 0 {
                return Err(error::setting(path, key, value, "1 and more"));
            }
        }
        if config.network == Network::Lstm && !config.hidden.is_multiple_of(2) {
            return Err(error::setting(path, "hidden", config.hidden, "even numbers, half for each direction"));
        }
        if config.window <= ENDS.len() {
            return Err(error::setting(path, "window", config.window, "3 and more"));
        }
        Ok(Some(config))
    }

    /// Writes it into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join("config.json");
        let json = serde_json::to_string_pretty(self).map_err(|source| error::json(&path, source))?;
        truename_files::write(&path, json + "\n").map_err(|source| error::io("write", &path, source))
    }
}
