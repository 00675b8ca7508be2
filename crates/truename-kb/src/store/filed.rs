//! Keys and words under which a name is filed.

use truename_text::{Key, NameKeys, NormalizedName, stable_hash};

/// Returns all lookup keys of a name.
pub(super) fn filed_keys(name: &NormalizedName) -> Vec<Key> {
    if name.is_empty() {
        return Vec::new();
    }
    let keys = NameKeys::of(name);
    let initials = keys.initials.map(initials_key);
    let deletions = Key::deletions(name).into_iter().map(deletion_key);
    keys.filed().chain(initials).chain(deletions).collect()
}

/// Returns the key under which a name is filed by its initials, apart from names that are written like them.
pub fn initials_key(initials: Key) -> Key {
    initials.in_namespace(1)
}

/// Returns the key under which a short name is filed with one letter left out.
pub fn deletion_key(deletion: Key) -> Key {
    deletion.in_namespace(2)
}

/// Returns the hash of each word of a name once.
pub(super) fn distinct_words(name: &NormalizedName) -> Vec<u64> {
    let mut words: Vec<u64> = name.tokens().map(stable_hash).collect();
    words.sort_unstable();
    words.dedup();
    words
}
