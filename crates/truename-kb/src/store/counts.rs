//! Size of a store.

use serde::{Deserialize, Serialize};

/// Size of a store, in concepts and names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Concepts.
    pub concepts: u32,
    /// Names.
    pub names: u32,
    pub(super) next_concept: u32,
    pub(super) next_name: u32,
}
