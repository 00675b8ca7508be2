//! BERT (Devlin et al. 2018).

use super::{Family, TensorNames};
use crate::Architecture;

/// BERT (Devlin et al. 2018).
pub(super) static FAMILY: Family = Family {
    architecture: Architecture::Bert,
    model_types: &["bert"],
    prefix: "bert.",
    names: TensorNames::BERT,
    first_position: |_| 0,
};
