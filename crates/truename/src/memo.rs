//! Cache of repeated answers.
//!
//! Verdicts and links are remembered by string, which never changes an answer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use truename_text::stable_hash;

/// Number of shards; more make threads wait less for each other.
const SHARDS: usize = 32;
/// Maximum number of answers, unless told otherwise.
pub(crate) const MAX_ANSWERS: usize = 1 << 17;
/// Maximum number of bytes of all answers and their keys, unless told otherwise.
pub(crate) const MAX_BYTES: usize = 32 << 20;

/// Caches the answers of a function of a string and one version of a knowledge base. Caching never changes an answer.
///
/// Answers of an earlier version are dropped when one of a later version is stored. Those that were not asked for lately make room for
/// others: a shard has two generations, of which the older one goes when the younger one is full.
pub(crate) struct Memo<V> {
    shards: Vec<Mutex<Shard<V>>>,
    /// Maximum number of answers in a generation of a shard.
    max_answers: usize,
    /// Maximum number of bytes of the answers in a generation of a shard and their keys.
    max_bytes: usize,
}

struct Shard<V> {
    version: u64,
    young: HashMap<String, Remembered<V>>,
    old: HashMap<String, Remembered<V>>,
    /// Bytes of the younger generation.
    bytes: usize,
}

struct Remembered<V> {
    value: V,
    bytes: usize,
}

impl<V: Clone> Memo<V> {
    pub(crate) fn new() -> Self {
        Self::with_bounds(MAX_ANSWERS, MAX_BYTES)
    }

    /// Bounds the number of all answers, and their bytes with those of their keys.
    pub(crate) fn with_bounds(answers: usize, bytes: usize) -> Self {
        let shard = || Mutex::new(Shard { version: 0, young: HashMap::new(), old: HashMap::new(), bytes: 0 });
        let generations = 2 * SHARDS;
        let (max_answers, max_bytes) = (answers.div_ceil(generations), bytes / generations);
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), max_answers, max_bytes }
    }

    /// Returns the cached answer at a version.
    pub(crate) fn known(&self, version: u64, key: &str) -> Option<V> {
        let mut shard = self.shard(key);
        if shard.version != version {
            return None;
        }
        if let Some(remembered) = shard.young.get(key) {
            return Some(remembered.value.clone());
        }
        let (key, remembered) = shard.old.remove_entry(key)?;
        let value = remembered.value.clone();
        self.put(&mut shard, key, remembered);
        Some(value)
    }

    /// Caches an answer of some bytes, unless answers of a later version are cached.
    pub(crate) fn insert(&self, version: u64, key: &str, value: V, bytes: usize) {
        let mut shard = self.shard(key);
        let bytes = bytes + key.len();
        if shard.version > version || bytes > self.max_bytes {
            return;
        }
        if shard.version < version {
            *shard = Shard { version, young: HashMap::new(), old: HashMap::new(), bytes: 0 };
        }
        self.put(&mut shard, key.to_owned(), Remembered { value, bytes });
    }

    fn put(&self, shard: &mut Shard<V>, key: String, remembered: Remembered<V>) {
        if shard.young.len() >= self.max_answers || shard.bytes + remembered.bytes > self.max_bytes {
            shard.old = std::mem::take(&mut shard.young);
            shard.bytes = 0;
        }
        shard.bytes += remembered.bytes;
        if let Some(before) = shard.young.insert(key, remembered) {
            shard.bytes -= before.bytes;
        }
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
    fn a_shard_forgets_before_it_holds_too_much() {
        let memo = Memo::with_bounds(usize::MAX, 2000 * SHARDS);
        for key in 0..1000 {
            memo.insert(1, &key.to_string(), key, 250);
            assert_eq!(memo.known(1, &key.to_string()), Some(key));
        }
        assert!(memo.shards.iter().all(|shard| shard.lock().unwrap().bytes <= 1000));
        memo.insert(1, "large", 1, 1000);
        assert_eq!(memo.known(1, "large"), None);
    }

    #[test]
    fn what_is_asked_for_stays() {
        let memo = Memo::with_bounds(20 * SHARDS, usize::MAX);
        memo.insert(1, "often", 0, 1);
        for key in 1..10_000 {
            memo.insert(1, &key.to_string(), key, 1);
            assert_eq!(memo.known(1, "often"), Some(0));
        }
        let answers = |shard: &Mutex<Shard<i32>>| {
            let shard = shard.lock().unwrap();
            shard.young.len() + shard.old.len()
        };
        assert!(memo.shards.iter().all(|shard| answers(shard) <= 20));
        assert_eq!(memo.known(1, "1"), None);
    }
}
