//! Hashes of strings that stores keep: the same on every platform and in every version.

/// Returns a 64-bit hash of a string, the same on every platform and in every version.
///
/// Stores hold these hashes, so the function (XXH3, seed 0) must never change.
pub fn stable_hash(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

/// Returns the [`stable_hash`] of the text of a document, the same whatever space stands around it.
pub fn document_hash(text: &str) -> u64 {
    stable_hash(text.trim())
}
