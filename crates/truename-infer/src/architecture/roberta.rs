//! RoBERTa (Liu et al. 2019) and XLM-R (Conneau et al. 2019).

use super::{Family, TensorNames};
use crate::Architecture;
use crate::config::ModelConfig;

/// RoBERTa (Liu et al. 2019) and XLM-R (Conneau et al. 2019): BERT's layers; positions start after that of the padding.
pub(super) static FAMILY: Family = Family {
    architecture: Architecture::Roberta,
    model_types: &["roberta", "xlm-roberta"],
    prefix: "roberta.",
    names: TensorNames::ROBERTA,
    first_position,
    ..Family::BERT
};

fn first_position(config: &ModelConfig) -> usize {
    config.pad_token_id.unwrap_or(1).saturating_add(1)
}
