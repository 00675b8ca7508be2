//! Answers that are asked for again and again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use truename_text::stable_hash;

/// Pieces, so that threads seldom wait for one another.
const SHARDS: usize = 32;
/// A piece that has grown to this many answers begins anew.
const MOST_ANSWERS: usize = 4096;

/// Remembers what a pure function of a string answered; it never changes an answer, only its price.
pub(crate) struct Memo<V> {
    shards: Vec<Mutex<HashMap<String, V>>>,
}

impl<V: Clone> Memo<V> {
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }

    /// Whether the answer is remembered.
    pub(crate) fn knows(&self, key: &str) -> bool {
        self.shard(key).contains_key(key)
    }

    /// Remembers an answer.
    pub(crate) fn insert(&self, key: &str, value: V) {
        let mut shard = self.shard(key);
        if shard.len() >= MOST_ANSWERS {
            shard.clear();
        }
        shard.insert(key.to_owned(), value);
    }

    /// The remembered answer, or the one that `compute` gives.
    pub(crate) fn get<E>(&self, key: &str, compute: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let known = self.shard(key).get(key).cloned();
        if let Some(value) = known {
            return Ok(value);
        }
        let value = compute()?;
        self.insert(key, value.clone());
        Ok(value)
    }

    fn shard(&self, key: &str) -> MutexGuard<'_, HashMap<String, V>> {
        self.shards[stable_hash(key) as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
