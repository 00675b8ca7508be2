//! The families of models: how each names its tensors and counts its positions. A family is a file.

mod bert;
mod mpnet;
mod roberta;

use rayon::prelude::*;

use crate::config::ModelConfig;
use crate::layer::Activation;
use crate::transformer::{Layer, Transformer};
use crate::weights::{Scope, Weights};
use crate::{Architecture, Error};

/// What the engine has to be told about a family.
pub(crate) struct Family {
    pub architecture: Architecture,
    /// The values of `model_type` in `config.json`.
    model_types: &'static [&'static str],
    /// What may stand before the names of the encoder's tensors.
    pub prefix: &'static str,
    /// The place of a text's first token in the table of positions.
    first_position: fn(&ModelConfig) -> usize,
    load: fn(&ModelConfig, &Weights) -> Result<Transformer, Error>,
}

/// Tokens of the shortest text: one between those that mark its ends.
const SHORTEST_TEXT: usize = 3;

static FAMILIES: [&Family; 3] = [&bert::FAMILY, &roberta::FAMILY, &mpnet::FAMILY];

impl Family {
    pub fn of(config: &ModelConfig) -> Result<&'static Self, Error> {
        let is_named = |family: &&&Self| family.model_types.contains(&config.model_type.as_str());
        let family = FAMILIES.iter().find(is_named).copied().ok_or_else(|| {
            let known: Vec<&str> = FAMILIES.iter().flat_map(|family| family.model_types).copied().collect();
            Error::setting(&config.path, "model_type", &config.model_type, known.join(", "))
        })?;
        if family.positions(config) < SHORTEST_TEXT {
            let least = (family.first_position)(config).saturating_add(SHORTEST_TEXT);
            let (key, value) = ("max_position_embeddings", config.max_position_embeddings);
            return Err(Error::setting(&config.path, key, value, format!("{least} and more")));
        }
        Ok(family)
    }

    /// The most tokens for which the model has positions.
    pub fn positions(&self, config: &ModelConfig) -> usize {
        config.max_position_embeddings.saturating_sub((self.first_position)(config))
    }

    /// The tensors of the encoder, without those that stand on top of it.
    pub fn encoder<'a>(&self, weights: &'a Weights) -> Scope<'a> {
        weights.under(&[self.prefix, ""], "embeddings.word_embeddings.weight")
    }

    pub fn load(&self, config: &ModelConfig, weights: &Weights) -> Result<Transformer, Error> {
        (self.load)(config, weights)
    }
}

/// All layers, several at a time: packing the weights is most of the work.
fn layers(
    config: &ModelConfig,
    load: impl Fn(usize) -> Result<Layer, Error> + Sync + Send,
) -> Result<Vec<Layer>, Error> {
    (0..config.num_hidden_layers).into_par_iter().map(load).collect()
}

impl ModelConfig {
    pub(crate) fn activation(&self) -> Result<Activation, Error> {
        Activation::named(&self.hidden_act, &self.path)
    }
}
