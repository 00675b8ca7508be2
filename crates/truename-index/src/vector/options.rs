//! Options of a search by vectors.

use crate::Rank;

/// Options of a search by vectors.
#[derive(Clone, Copy)]
pub struct VectorSearch<'a> {
    /// Largest number of hits.
    pub limit: usize,
    /// Lowest cosine of a hit.
    pub min_score: f32,
    /// Filter of the names; every name is allowed where this is `None`.
    pub allowed: Option<&'a (dyn Fn(u32) -> bool + Sync)>,
    /// Order of names with the same cosine, and of rows with the same signs; by number where this is `None`.
    pub rank: Option<Rank<'a>>,
}

impl Default for VectorSearch<'_> {
    fn default() -> Self {
        Self { limit: 64, min_score: -1.0, allowed: None, rank: None }
    }
}
