use super::{Family, bert};
use crate::config::ModelConfig;
use crate::transformer::Transformer;
use crate::weights::Weights;
use crate::{Architecture, Error};

/// RoBERTa (Liu et al. 2019): BERT's layers; positions start after that of the padding.
pub(super) static FAMILY: Family = Family {
    architecture: Architecture::Roberta,
    model_types: &["roberta", "xlm-roberta"],
    prefix: "roberta.",
    first_position,
    load,
};

fn load(config: &ModelConfig, weights: &Weights) -> Result<Transformer, Error> {
    let root = FAMILY.encoder(weights);
    bert::load_from(&root, config, first_position(config))
}

fn first_position(config: &ModelConfig) -> usize {
    config.pad_token_id.unwrap_or(1).saturating_add(1)
}
