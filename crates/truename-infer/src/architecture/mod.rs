//! The families of models: the names of their tensors, and the place of a text's first token. A family is a file.

mod bert;
mod load;
mod mpnet;
mod names;
mod roberta;

use crate::config::ModelConfig;
use crate::weights::{Scope, Weights};
use crate::{Architecture, Error, error};

pub use names::TensorNames;

/// A family of models with one set of tensor names.
pub(crate) struct Family {
    pub architecture: Architecture,
    /// The values of `model_type` in `config.json`.
    model_types: &'static [&'static str],
    /// Prefix that the names of the encoder's tensors may have.
    pub prefix: &'static str,
    pub names: TensorNames,
    /// The place of a text's first token in the table of positions.
    first_position: fn(&ModelConfig) -> usize,
}

/// Tokens of the shortest text: one between those that mark its ends.
const SHORTEST_TEXT: usize = 3;

static FAMILIES: [&Family; 3] = [&bert::FAMILY, &roberta::FAMILY, &mpnet::FAMILY];

impl Family {
    pub fn of(config: &ModelConfig) -> Result<&'static Self, Error> {
        let is_named = |family: &&&Self| family.model_types.contains(&config.model_type.as_str());
        let family = FAMILIES.iter().find(is_named).copied().ok_or_else(|| {
            let known: Vec<&str> = FAMILIES.iter().flat_map(|family| family.model_types).copied().collect();
            error::setting(&config.path, "model_type", &config.model_type, known.join(", "))
        })?;
        if family.positions(config) < SHORTEST_TEXT {
            let least = (family.first_position)(config).saturating_add(SHORTEST_TEXT);
            let (key, value) = ("max_position_embeddings", config.max_position_embeddings);
            return Err(error::setting(&config.path, key, value, format!("{least} and more")));
        }
        Ok(family)
    }

    /// Longest text in tokens for which the model has positions.
    pub fn positions(&self, config: &ModelConfig) -> usize {
        config.max_position_embeddings.saturating_sub((self.first_position)(config))
    }

    /// The table of segments with its number of rows, where the model has segments.
    pub fn segments(&self, config: &ModelConfig) -> Option<(&'static str, usize)> {
        let rows = config.type_vocab_size.filter(|rows| *rows > 0)?;
        self.names.segments.map(|name| (name, rows))
    }

    /// The tensors of the encoder, without those of its heads.
    pub fn encoder<'a>(&self, weights: &'a Weights) -> Scope<'a> {
        weights.under(&[self.prefix, ""], &format!("{}.weight", self.names.words))
    }
}
