//! Candidates with their features.

use crate::feature::Features;
use crate::name_match::NameMatch;

/// A pair of concepts with its features.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) source: u32,
    pub(crate) target: u32,
    pub(crate) features: Features,
    /// The names that are most alike.
    pub(crate) names: [u32; 2],
    pub(crate) best: NameMatch,
    /// Keys of the differences of their names.
    pub(crate) differences: Vec<u64>,
}
