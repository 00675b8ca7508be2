//! Cache of repeated answers.
//!
//! Verdicts and links are remembered by string, which never changes an answer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use truename_text::stable_hash;

/// Number of shards; more make threads wait less for each other.
const SHARDS: usize = 32;
/// Maximum number of answers in a shard; a full shard is cleared.
const MAX_ANSWERS: usize = 4096;
/// Maximum number of bytes of all answers and their keys, unless told otherwise.
const MAX_BYTES: usize = 32 << 20;

/// Caches the answers of a function of a string and one version of a knowledge base. Caching never changes an answer.
///
/// Answers of an earlier version are dropped when one of a later version is stored.
pub(crate) struct Memo<V> {
    shards: Vec<Mutex<Shard<V>>>,
    /// Maximum number of bytes of the answers in a shard and their keys.
    max_bytes: usize,
}

struct Shard<V> {
    version: u64,
    answers: HashMap<String, V>,
    bytes: usize,
}

impl<V: Clone> Memo<V> {
    pub(crate) fn new() -> Self {
        Self::with_bytes(MAX_BYTES)
    }

    /// Bounds the bytes of all answers and their keys.
    pub(crate) fn with_bytes(bytes: usize) -> Self {
        let shard = || Mutex::new(Shard { version: 0, answers: HashMap::new(), bytes: 0 });
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), max_bytes: bytes / SHARDS }
    }

    /// Returns the cached answer at a version.
    pub(crate) fn known(&self, version: u64, key: &str) -> Option<V> {
        let shard = self.shard(key);
        if shard.version == version { shard.answers.get(key).cloned() } else { None }
    }

    /// Caches an answer of some bytes, unless answers of a later version are cached.
    pub(crate) fn insert(&self, version: u64, key: &str, value: V, bytes: usize) {
        let mut shard = self.shard(key);
        let bytes = bytes + key.len();
        if shard.version > version || bytes > self.max_bytes {
            return;
        }
        let is_full = shard.answers.len() >= MAX_ANSWERS || shard.bytes + bytes > self.max_bytes;
        if shard.version < version || is_full {
            *shard = Shard { version, answers: HashMap::new(), bytes: 0 };
        }
        shard.bytes += bytes;
        shard.answers.insert(key.to_owned(), value);
    }

    /// Returns the cached answer, or computes and caches it.
    pub(crate) fn get<E>(&self, version: u64, key: &str, compute: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        if let Some(value) = self.known(version, key) {
            return Ok(value);
        }
        let value = compute()?;
        self.insert(version, key, value.clone(), size_of::<V>());
        Ok(value)
    }

    fn shard(&self, key: &str) -> MutexGuard<'_, Shard<V>> {
        self.shards[stable_hash(key) as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_another_version_are_forgotten() {
        let memo = Memo::new();
        memo.insert(1, "a", "old", 3);
        assert_eq!((memo.known(1, "a"), memo.known(2, "a")), (Some("old"), None));
        assert_eq!(memo.get::<()>(2, "a", || Ok("new")), Ok("new"));
        memo.insert(1, "a", "too late", 8);
        assert_eq!((memo.known(1, "a"), memo.known(2, "a")), (None, Some("new")));
    }

    #[test]
    fn a_shard_is_cleared_before_it_holds_too_much() {
        let memo = Memo::with_bytes(1000 * SHARDS);
        for key in 0..1000 {
            memo.insert(1, &key.to_string(), key, 250);
            assert_eq!(memo.known(1, &key.to_string()), Some(key));
        }
        assert!(memo.shards.iter().all(|shard| shard.lock().unwrap().bytes <= 1000));
        memo.insert(1, "large", 1, 1000);
        assert_eq!(memo.known(1, "large"), None);
    }
}
