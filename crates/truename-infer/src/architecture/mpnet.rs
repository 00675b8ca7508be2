//! MPNet (Song et al. 2020).

use super::{Family, TensorNames};
use crate::Architecture;
use crate::config::ModelConfig;

/// MPNet (Song et al. 2020): no segments, and attention adds a learned bias for the distance of two tokens.
pub(super) static FAMILY: Family = Family {
    architecture: Architecture::MpNet,
    model_types: &["mpnet"],
    prefix: "mpnet.",
    names: TensorNames::MPNET,
    first_position,
    ..Family::BERT
};

/// Transformers gives MPNet the padding 1, whatever `pad_token_id` says.
fn first_position(_: &ModelConfig) -> usize {
    2
}
