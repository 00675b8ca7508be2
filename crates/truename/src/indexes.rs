//! The indexes of a store.

use truename_index::{NgramIndex, VectorIndex};

/// The indexes of a store.
#[derive(Clone, Copy)]
pub(crate) struct Indexes {
    pub(crate) ngrams: NgramIndex,
    pub(crate) vectors: VectorIndex,
}
