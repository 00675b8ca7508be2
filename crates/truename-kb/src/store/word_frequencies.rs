//! Document frequencies of words: the number of names that have each, in this store and in others beside it.

use std::collections::BTreeMap;

use truename_storage::{Transaction, WriteTransaction};
use truename_text::NormalizedName;

use super::Store;
use super::counts::Counts;
use super::filed::distinct_words;
use super::snapshot::Snapshot;
use super::tables::{META_OTHER_NAMES, Tables, ascending};
use crate::Error;

impl Store {
    /// Keeps the frequencies of words in the names of several stores, of which this is one: the hash of each word, ascending, with the
    /// number of names that have it. `other_names` is the number of names of the other stores.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn put_word_frequencies(
        &self,
        write: &mut WriteTransaction<'_>,
        words: &[(u64, u32)],
        other_names: u32,
    ) -> Result<(), Error> {
        self.tables.words.clear(write)?;
        for (word, count) in words {
            self.tables.words.append(write, word, count)?;
        }
        self.tables.meta.put(write, META_OTHER_NAMES, &other_names.to_le_bytes())
    }
}

impl Tables {
    pub(super) fn weighed_names(&self, read: &impl Transaction, counts: Counts) -> Result<u32, Error> {
        let Some(others) = self.meta.get(read, META_OTHER_NAMES)? else { return Ok(counts.names) };
        let sum = others.try_into().ok().and_then(|others| counts.names.checked_add(u32::from_le_bytes(others)));
        sum.ok_or_else(|| truename_storage::damaged("the number of the names of other stores"))
    }
}

impl Snapshot<'_> {
    /// Returns the number of names that have the word with this hash.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn names_with_word(&self, word: u64) -> Result<u32, Error> {
        Ok(self.tables.words.get(&self.read, &word)?.unwrap_or_default())
    }

    /// Returns the number of names in which words are counted: those of this store, and of the others that it was given the frequencies of.
    pub fn weighed_names(&self) -> u32 {
        self.weighed_names
    }

    /// Returns the hash of each word, ascending, with the number that [`Snapshot::names_with_word`] has for it.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn word_frequencies(&self) -> Result<Vec<(u64, u32)>, Error> {
        ascending(self.tables.words.iter(&self.read)?).collect()
    }

    /// Returns the hash of each word, ascending, with the number of names of this store alone that have it.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn own_word_frequencies(&self) -> Result<Vec<(u64, u32)>, Error> {
        let mut words = BTreeMap::new();
        for entry in self.names()? {
            for word in distinct_words(&NormalizedName::new(entry?.2)) {
                *words.entry(word).or_insert(0) += 1;
            }
        }
        Ok(words.into_iter().collect())
    }
}
