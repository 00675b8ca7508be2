//! DistilBERT (Sanh et al. 2019).

use super::{Family, TensorNames};
use crate::Architecture;

/// DistilBERT (Sanh et al. 2019): BERT's layers without segments.
pub(super) static FAMILY: Family = Family {
    architecture: Architecture::DistilBert,
    model_types: &["distilbert"],
    settings: &[
        ("dim", "hidden_size"),
        ("n_layers", "num_hidden_layers"),
        ("n_heads", "num_attention_heads"),
        ("hidden_dim", "intermediate_size"),
        ("activation", "hidden_act"),
    ],
    prefix: "distilbert.",
    names: TensorNames::DISTILBERT,
    ..Family::BERT
};
