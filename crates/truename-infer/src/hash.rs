//! Hashes of model folders, by which vectors and records know their encoder.

use std::sync::OnceLock;

use xxhash_rust::xxh3::Xxh3;

/// A hash of a model's files: the small ones are taken when they are read, the weights when somebody asks.
///
/// XXH3 with 128 bits over each file's length and bytes, in a fixed order. It tells models apart, not forgers.
#[derive(Default)]
pub(crate) struct Fingerprint {
    files: Xxh3,
    hex: OnceLock<String>,
}

impl Fingerprint {
    pub fn add(&mut self, file: &[u8]) {
        feed(&mut self.files, file);
    }

    /// The hash of what was added and then of `weights`, which must be the same at each call.
    pub fn hex(&self, weights: &[u8]) -> &str {
        self.hex.get_or_init(|| {
            let mut all = self.files.clone();
            feed(&mut all, weights);
            format!("{:032x}", all.digest128())
        })
    }
}

fn feed(hash: &mut Xxh3, file: &[u8]) {
    hash.update(&(file.len() as u64).to_le_bytes());
    hash.update(file);
}
