//! The families of models: the names of their tensors and settings, and how their layers are put together; a file each.

mod bert;
mod deberta;
mod disentangled;
mod distilbert;
mod electra;
mod form;
mod load;
mod modernbert;
mod mpnet;
mod names;
mod nomic;
mod roberta;

use crate::config::{ModelConfig, Settings};
use crate::transformer::Transformer;
use crate::weights::{Scope, Weights};
use crate::{Architecture, Error, error};

pub use disentangled::DisentangledForm;
pub use form::{LayerForm, RotaryPositions};
pub use names::TensorNames;

/// A family of models with one set of tensor names.
pub(crate) struct Family {
    pub architecture: Architecture,
    /// The values of `model_type` in `config.json`.
    model_types: &'static [&'static str],
    /// Settings that `config.json` has under other names than BERT's: theirs, and BERT's.
    pub settings: &'static [(&'static str, &'static str)],
    /// Prefix that the names of the encoder's tensors may have.
    pub prefix: &'static str,
    pub names: TensorNames,
    /// The place of a text's first token in the table of positions.
    first_position: fn(&ModelConfig) -> usize,
    /// The form of a layer, by its number.
    pub form: fn(&ModelConfig, usize) -> Result<LayerForm, Error>,
    /// Puts the layers together, given the tensors of the encoder.
    load: fn(&Self, &ModelConfig, &Scope) -> Result<Transformer, Error>,
    /// True where maps and norms may have no bias.
    has_optional_biases: bool,
}

/// Tokens of the shortest text: one between those that mark its ends.
const SHORTEST_TEXT: usize = 3;
/// Most positions of a model without a table of them, for which angles or distances are computed.
const MOST_POSITIONS: usize = 1 << 16;

static FAMILIES: [&Family; 8] = [
    &bert::FAMILY,
    &roberta::FAMILY,
    &mpnet::FAMILY,
    &distilbert::FAMILY,
    &electra::FAMILY,
    &modernbert::FAMILY,
    &nomic::FAMILY,
    &deberta::FAMILY,
];

impl Family {
    /// Defaults of a family: those of BERT.
    const BERT: Self = Self {
        architecture: Architecture::Bert,
        model_types: &["bert"],
        settings: &[],
        prefix: "bert.",
        names: TensorNames::BERT,
        first_position: |_| 0,
        form: |_, _| Ok(LayerForm::BERT),
        load: Self::load_layers,
        has_optional_biases: false,
    };

    /// Returns the configuration that settings are, by the names that the family has for them.
    pub fn config(mut settings: Settings) -> Result<ModelConfig, Error> {
        let family = FAMILIES.iter().find(|family| family.model_types.contains(&settings.model_type()));
        for (theirs, name) in family.map_or(&[][..], |family| family.settings) {
            settings.rename(theirs, name);
        }
        ModelConfig::new(settings)
    }

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
        if family.position_table(config).is_none() && config.max_position_embeddings > MOST_POSITIONS {
            let (key, value) = ("max_position_embeddings", config.max_position_embeddings);
            return Err(error::setting(&config.path, key, value, format!("{MOST_POSITIONS} and less")));
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

    /// The table of positions, where the model has one.
    pub fn position_table(&self, config: &ModelConfig) -> Option<&'static str> {
        self.names.positions.filter(|_| config.position_biased_input != Some(false))
    }

    /// Width of the vectors of tokens.
    pub fn embedding_width(&self, config: &ModelConfig) -> usize {
        let own = self.names.embedding_map.and(config.embedding_size);
        own.unwrap_or(config.hidden_size)
    }

    /// The tensors of the encoder, without those of its heads.
    pub fn encoder<'a>(&self, weights: &'a Weights) -> Scope<'a> {
        let word = format!("{}.weight", self.names.words);
        self.with_biases(weights.under(&[self.prefix, ""], &word))
    }

    /// The tensors of the folder, by their whole names.
    pub fn whole<'a>(&self, weights: &'a Weights) -> Scope<'a> {
        self.with_biases(weights.whole())
    }

    fn with_biases<'a>(&self, scope: Scope<'a>) -> Scope<'a> {
        if self.has_optional_biases { scope.with_optional_biases() } else { scope }
    }
}
