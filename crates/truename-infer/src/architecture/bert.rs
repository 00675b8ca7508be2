//! BERT (Devlin et al. 2018).

use super::Family;

/// BERT (Devlin et al. 2018).
pub(super) static FAMILY: Family = Family::BERT;
