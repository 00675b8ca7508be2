//! Options of clustering names, with the measurements behind their defaults.

/// Options of clustering names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterOptions {
    /// Distance of two clusters.
    pub linkage: Linkage,
    /// Weight of the words in the distance, from 0 to 1; the rest is that of the vectors, or of the character n-grams without
    /// an encoder.
    pub word_weight: Option<f32>,
    /// Largest number of names of which all pairs are compared, in 2 · names² bytes: 800 MB for 20,000 names.
    pub max_exact: usize,
    /// Neighbours of each name in the graph that is clustered where there are more names.
    pub neighbours: usize,
}

impl ClusterOptions {
    /// Default of [`ClusterOptions::word_weight`] beside vectors. On the valid part of CanonicNELL (MiniLM-L6, average linkage)
    /// the mean F1 at the best threshold is 80.6, with vectors alone 78.2.
    pub const WORD_WEIGHT_WITH_VECTORS: f32 = 0.2;
    /// Default of [`ClusterOptions::word_weight`] beside n-grams: 75.2 there, with words alone 74.9, with n-grams alone 72.6.
    pub const WORD_WEIGHT_WITH_NGRAMS: f32 = 0.5;
    /// Default of [`ClusterOptions::max_exact`].
    pub const MAX_EXACT: usize = 20_000;
    /// Default of [`ClusterOptions::neighbours`].
    pub const NEIGHBOURS: usize = 32;
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self { linkage: Linkage::Average, word_weight: None, max_exact: Self::MAX_EXACT, neighbours: Self::NEIGHBOURS }
    }
}

/// Distance of two clusters, from the distances of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// The mean over all pairs (UPGMA).
    Average,
    /// The largest.
    Complete,
    /// The smallest.
    Single,
}
