//! Configuration of adapters in the manifest of a model folder.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use truename_error::{ErrorKind, HintPart, hint};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::AdapterChoice;
use crate::{Error, SpecialToken, Tensor, TensorNames, Tensors, Tokenizer};

/// Configuration of the adapters of a model folder (PICSO, section 3.2), kept in its manifest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdaptersConfig {
    /// The adapters by their names.
    pub adapters: BTreeMap<String, AdapterConfig>,
    /// The states that a model with adapters gives.
    #[serde(default)]
    pub features: AdapterFeatures,
}

/// Configuration of one adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdapterConfig {
    /// Layers of the backbone, from 0: each adapter layer reads the states after one of them.
    pub layers: Vec<usize>,
    /// Transformer layers of an adapter layer.
    pub depth: usize,
    /// Width of the states of an adapter layer.
    pub width: usize,
    /// Attention heads of its transformer layers.
    pub heads: usize,
    /// Width inside their feed-forward parts.
    pub inner: usize,
    /// True where the tokens of an entity attend to the entity alone in the last transformer layer of each adapter layer (equation 2).
    pub entity_aware: bool,
}

/// The states that a model with adapters gives for a token, from the backbone's state `H_p` and the adapters' states `H_a`
/// (PICSO, section 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdapterFeatures {
    /// `H_p + ‖H_p‖ Σ H_a / ‖H_a‖`, for use without fine-tuning: each adapter weighs as much as the backbone.
    #[default]
    Balanced,
    /// `H_p + Σ H_a / ‖H_a‖`, as published. States of MiniLM-L6 are eight times as long as what is added.
    Sum,
    /// `H_p ⊕ ‖H_p‖ H_a / ‖H_a‖ ⊕ …`, for a head that is trained on them.
    Joined,
}

/// Initial weights of an adapter, the same for the same seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialWeights {
    /// Standard deviation of the weights of the maps into an adapter layer and out of it.
    pub deviation: f64,
    /// Seed of the weights.
    pub seed: u64,
}

impl InitialWeights {
    /// The standard deviation of K-Adapter (Wang et al. 2021), with which an untrained adapter layer adds next to nothing to what it reads.
    pub const DEVIATION: f64 = 2e-4;
}

impl AdaptersConfig {
    /// Name in the manifest.
    pub const HEAD: &'static str = "adapters";
    /// Token before an entity.
    pub const START: &'static str = "<e>";
    /// Token behind an entity.
    pub const END: &'static str = "</e>";

    /// The special tokens that it adds to a vocabulary. The frozen encoder never learns them, and reads them as quotation marks.
    pub fn special_tokens() -> [SpecialToken; 2] {
        [Self::START, Self::END].map(|name| SpecialToken::new(name).like("\""))
    }

    /// Returns the ids of both in a vocabulary that has them.
    pub fn markers(tokenizer: &Tokenizer) -> Option<[u32; 2]> {
        Some([tokenizer.id(Self::START)?, tokenizer.id(Self::END)?])
    }

    /// Width of the states that a model gives, whose backbone has states of width `hidden`.
    pub fn width(&self, hidden: usize) -> usize {
        match self.features {
            AdapterFeatures::Balanced | AdapterFeatures::Sum => hidden,
            AdapterFeatures::Joined => hidden * (1 + self.adapters.len()),
        }
    }

    /// Keeps the chosen adapters.
    ///
    /// # Errors
    /// If there is no adapter with one of the names.
    pub fn keep(&mut self, choice: &AdapterChoice) -> Result<(), Error> {
        let AdapterChoice::Only(names) = choice else { return Ok(()) };
        if let Some(unknown) = names.iter().find(|name| !self.adapters.contains_key(*name)) {
            let known: Vec<&str> = self.adapters.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let message = format!("there is no adapter {unknown}; the model has {known}");
            let info = HintPart::action("model info");
            return Err(Error::new(ErrorKind::Choice, message).with_hint(hint![
                "name adapters of the folder, or none: ",
                info,
                " lists them"
            ]));
        }
        self.adapters.retain(|name, _| names.contains(name));
        Ok(())
    }
}

impl AdapterConfig {
    /// Creates the configuration of the paper (section 4.1.3) for a backbone: adapter layers at its first, middle and last layer, of two
    /// transformer layers with the backbone's sizes.
    pub fn new(layers: usize, width: usize, heads: usize, inner: usize) -> Self {
        let last = layers.saturating_sub(1);
        let mut at = vec![0, last / 2, last];
        at.dedup();
        Self { layers: at, depth: 2, width, heads, inner, entity_aware: true }
    }

    /// Returns whether a tensor of a model folder is one of an adapter, in a further network or not.
    pub fn has_tensor(name: &str) -> bool {
        name.starts_with("adapters.") || name.contains(".adapters.")
    }

    /// Prefix of the tensors of an adapter.
    pub fn prefix(name: &str) -> String {
        format!("adapters.{name}")
    }

    /// Names and shapes of the tensors below the prefix, for a backbone with states of width `hidden`.
    pub fn tensors(&self, hidden: usize) -> Vec<(String, Vec<usize>)> {
        let mut tensors = Vec::new();
        let mut map = |name: String, outputs: usize, inputs: usize| {
            tensors.push((format!("{name}.weight"), vec![outputs, inputs]));
            tensors.push((format!("{name}.bias"), vec![outputs]));
        };
        for number in 0..self.layers.len() {
            map(format!("{number}.down"), self.width, hidden);
            for (_, layer) in self.transformer_layers(number) {
                let names = TensorNames::ADAPTER;
                for name in names.query_key_value.iter().chain([&names.attention_output]) {
                    map(format!("{layer}.{name}"), self.width, self.width);
                }
                for name in names.up {
                    map(format!("{layer}.{name}"), self.inner, self.width);
                }
                map(format!("{layer}.{}", names.down), self.width, self.inner);
            }
            map(format!("{number}.up"), hidden, self.width);
        }
        for number in 0..self.layers.len() {
            for (_, layer) in self.transformer_layers(number) {
                for norm in [TensorNames::ADAPTER.attention_norm, TensorNames::ADAPTER.feed_forward_norm] {
                    tensors.push((format!("{layer}.{norm}.weight"), vec![self.width]));
                    tensors.push((format!("{layer}.{norm}.bias"), vec![self.width]));
                }
            }
        }
        tensors
    }

    /// Numbers and prefixes of the transformer layers of an adapter layer.
    pub fn transformer_layers(&self, number: usize) -> impl Iterator<Item = (usize, String)> {
        (0..self.depth).map(move |layer| (layer, format!("{number}.layer.{layer}")))
    }

    /// Untrained tensors by their whole names. Weights within the transformer layers have the standard deviation 0.02 (Devlin et al. 2018).
    pub fn untrained(&self, name: &str, hidden: usize, initial: InitialWeights) -> Tensors {
        /// Standard deviation of the weights of transformer layers.
        const INNER: f64 = 0.02;
        let InitialWeights { deviation: outer, seed } = initial;
        let prefix = Self::prefix(name);
        let tensor = |(name, shape): (String, Vec<usize>)| {
            let deviation = if name.contains(".layer.") { INNER } else { outer };
            let name = format!("{prefix}.{name}");
            let count = shape.iter().product();
            // An even distribution with deviation 1 reaches to √3.
            let drawn = |at: usize| 3f64.sqrt() * deviation * (2.0 * drawn(seed, &name, at) - 1.0);
            let values = match shape.len() {
                2 => (0..count).map(|at| drawn(at) as f32).collect(),
                _ if name.contains("norm") && name.ends_with("weight") => vec![1.0; count],
                _ => vec![0.0; count],
            };
            (name, Tensor::new(shape, values))
        };
        self.tensors(hidden).into_iter().map(tensor).collect()
    }
}

/// A number from 0 to 1, without 1.
fn drawn(seed: u64, name: &str, at: usize) -> f64 {
    let place = [name.as_bytes(), &(at as u64).to_le_bytes()].concat();
    (xxh3_64_with_seed(&place, seed) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_of_the_paper_s_layers() {
        assert_eq!(AdapterConfig::new(12, 768, 12, 3072).layers, [0, 5, 11]);
        assert_eq!(AdapterConfig::new(6, 384, 12, 1536).layers, [0, 2, 5]);
        assert_eq!(AdapterConfig::new(1, 8, 2, 16).layers, [0]);
    }

    #[test]
    fn an_adapter_of_bert_base_has_46_million_parameters() {
        let tensors = AdapterConfig::new(12, 768, 12, 3072).tensors(768);
        let count: usize = tensors.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
        assert_eq!(count, 46_070_784);
    }

    #[test]
    fn initial_weights_come_from_the_seed() {
        let config = AdapterConfig { depth: 1, ..AdapterConfig::new(2, 8, 2, 16) };
        let untrained = |seed| config.untrained("general", 8, InitialWeights { deviation: 0.002, seed });
        let tensors = untrained(3);
        assert_eq!(tensors, untrained(3));
        assert_ne!(tensors, untrained(4));
        assert!(tensors["adapters.general.0.layer.0.attention_norm.weight"].values().iter().all(|value| *value == 1.0));
        assert!(tensors["adapters.general.1.up.bias"].values().iter().all(|value| *value == 0.0));
        let reach = |tensor: &str| {
            let values = tensors[&format!("adapters.general.{tensor}")].values();
            values.iter().fold(0f32, |most, value| most.max(value.abs()))
        };
        assert!((0.001..0.0035).contains(&reach("0.down.weight")) && (0.001..0.0035).contains(&reach("1.up.weight")));
        assert!((0.01..0.035).contains(&reach("0.layer.0.attention_output.weight")));
    }

    #[test]
    fn an_unknown_adapter_is_refused() {
        let mut config = AdaptersConfig::default();
        config.adapters.insert("general".into(), AdapterConfig::new(6, 384, 12, 1536));
        assert_eq!((config.width(384), config.clone().keep(&"general".parse().unwrap()).is_ok()), (384, true));
        config.features = AdapterFeatures::Joined;
        assert_eq!(config.width(384), 768);
        let error = config.keep(&"medical".parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains("medical") && error.contains("general"), "{error}");
    }
}
