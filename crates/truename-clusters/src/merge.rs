//! Merges of clusters, of which a dendrogram is made.

/// Merge of two clusters. The clusters below the number of names are names; the cluster of the merge at position `i` is
/// `names + i`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Merge {
    pub left: usize,
    pub right: usize,
    pub distance: f32,
}
