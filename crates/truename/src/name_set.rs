//! Sets of names, one bit each.

use truename_kb::NameIndex;

/// A set of names, one bit each.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameSet(Vec<u64>);

impl NameSet {
    /// Adds a name.
    pub(crate) fn insert(&mut self, NameIndex(name): NameIndex) {
        let word = name as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (name % 64);
    }

    /// Returns whether a name is in the set.
    pub(crate) fn contains(&self, NameIndex(name): NameIndex) -> bool {
        self.0.get(name as usize / 64).is_some_and(|word| word >> (name % 64) & 1 == 1)
    }
}
