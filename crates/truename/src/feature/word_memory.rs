//! Cache of words that features read, shared by the threads of a linker.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Error;

/// Number of parts that threads lock one at a time.
const SHARDS: usize = 16;
/// Most entries of a part; a full one is emptied.
const SHARD_ENTRIES: usize = 4096;

/// Weights of words, and words of concepts, as linkers of one version of a knowledge base see them. Shared by all threads.
#[derive(Default)]
pub(crate) struct WordMemory {
    /// By the hash of the word.
    weights: [Mutex<WordMap<f64>>; SHARDS],
    /// Sorted hashes of the words of all visible names, by the number of the concept.
    words: [Mutex<WordMap<Arc<[u64]>>>; SHARDS],
}

/// A map by keys that are spread by one multiplication.
pub(super) type WordMap<V> = HashMap<u64, V, BuildHasherDefault<Spread>>;

impl WordMemory {
    pub(super) fn weight(&self, word: u64, read: impl FnOnce() -> Result<f64, Error>) -> Result<f64, Error> {
        get(&self.weights, word, read)
    }

    pub(super) fn words(
        &self,
        concept: u32,
        read: impl FnOnce() -> Result<Arc<[u64]>, Error>,
    ) -> Result<Arc<[u64]>, Error> {
        get(&self.words, concept.into(), read)
    }
}

fn get<V: Clone, E>(
    shards: &[Mutex<WordMap<V>>; SHARDS],
    key: u64,
    read: impl FnOnce() -> Result<V, E>,
) -> Result<V, E> {
    let shard = &shards[(spread(key) >> 32) as usize % SHARDS];
    if let Some(known) = locked(shard).get(&key) {
        return Ok(known.clone());
    }
    let value = read()?;
    let mut entries = locked(shard);
    if entries.len() >= SHARD_ENTRIES {
        entries.clear();
    }
    entries.insert(key, value.clone());
    Ok(value)
}

fn locked<V>(shard: &Mutex<V>) -> MutexGuard<'_, V> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, 6.4).
fn spread(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Hasher of one 64-bit number.
#[derive(Clone, Copy, Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = spread(number).rotate_left(32);
    }
}
