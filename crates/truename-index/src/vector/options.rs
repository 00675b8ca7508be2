use crate::Rank;

/// What to search for beside the vectors.
#[derive(Clone, Copy)]
pub struct VectorSearch<'a> {
    /// How many names at most.
    pub limit: usize,
    /// Names below this cosine are left out.
    pub min_score: f32,
    /// Names that may be answered; every name where this is `None`.
    pub allowed: Option<&'a (dyn Fn(u32) -> bool + Sync)>,
    /// The order of names with the same cosine, and of rows with the same signs; by number where this is `None`.
    pub rank: Option<Rank<'a>>,
}

impl Default for VectorSearch<'_> {
    fn default() -> Self {
        Self { limit: 64, min_score: -1.0, allowed: None, rank: None }
    }
}
