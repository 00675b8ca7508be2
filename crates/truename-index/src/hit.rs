//! Names found by a search, and the order of those with the same score.

/// A name found, with its cosine to the query. Higher is closer: 0 to 1 of n-grams, -1 to 1 of vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Number of the name.
    pub name: u32,
    /// Cosine to the query.
    pub score: f32,
}

/// Returns the place of a name among all, by its number. Of names with the same score the lower place goes first.
pub type Rank<'a> = &'a (dyn Fn(u32) -> u32 + Sync);
