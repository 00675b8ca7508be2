//! Keys of the two tables.

use truename_text::Gram;

use crate::{Error, error};

pub(super) const DIRECTORY: &[u8] = b"directory";
pub(super) const BLOCKS: &[u8] = b"blocks";
pub(super) const OTHERS: &[u8] = b"others";
pub(super) const NORMS: &[u8] = b"norms";

pub(super) fn block_of(name: u32) -> u16 {
    (name >> 16) as u16
}

/// Returns the place of a name in its block.
pub(super) fn slot_of(name: u32) -> u16 {
    (name & 0xffff) as u16
}

pub(super) fn posting_key(gram: Gram, block: u16) -> [u8; 10] {
    let mut key = [0; 10];
    key[..8].copy_from_slice(&gram.0.to_be_bytes());
    key[8..].copy_from_slice(&block.to_be_bytes());
    key
}

pub(super) fn parse_key(key: &[u8]) -> Result<(Gram, u16), Error> {
    let (gram, block) = key.split_first_chunk::<8>().ok_or_else(|| error::damaged("a short posting key"))?;
    let block: [u8; 2] = block.try_into().map_err(|_| error::damaged("a posting key of the wrong length"))?;
    Ok((Gram(u64::from_be_bytes(*gram)), u16::from_be_bytes(block)))
}

pub(super) fn norms_key(block: u16) -> Vec<u8> {
    [NORMS, &block.to_be_bytes()].concat()
}
