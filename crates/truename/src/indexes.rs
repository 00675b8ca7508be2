//! Indexes of a store.

use truename_index::{NgramIndex, VectorIndex};

/// Indexes of a store.
#[derive(Clone, Copy)]
pub(crate) struct Indexes {
    pub(crate) ngrams: NgramIndex,
    pub(crate) vectors: VectorIndex,
}
