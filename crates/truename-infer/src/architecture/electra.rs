//! ELECTRA (Clark et al. 2020).

use super::{Family, TensorNames};
use crate::Architecture;

/// ELECTRA (Clark et al. 2020): BERT's layers; vectors of tokens may be narrower than the states.
pub(super) static FAMILY: Family = Family {
    architecture: Architecture::Electra,
    model_types: &["electra"],
    prefix: "electra.",
    names: TensorNames::ELECTRA,
    ..Family::BERT
};
