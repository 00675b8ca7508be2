//! Order of names, kept through updates.
//!
//! New names have the next free numbers, so an update also stores the rank that an import would give each name.
//! The rank orders equal names in a search, the lists under a key, and sums over a concept's names.

use super::tables::each_u32;
use crate::{Error, NameIndex};

/// The rank of a name that is gone.
const GONE: u32 = u32::MAX;

/// Order in which an import of the present concepts would number their names. Results that depend on an order of names
/// use this one, so that an updated store answers as a fresh one.
#[derive(Clone, Copy)]
pub struct NameOrder<'txn>(pub(crate) &'txn [u8]);

impl NameOrder<'_> {
    /// Returns the rank of a name among all.
    pub fn rank(&self, NameIndex(name): NameIndex) -> u32 {
        let bytes = self.0.get(4 * name as usize..).and_then(|bytes| bytes.first_chunk());
        bytes.map_or(GONE, |bytes| u32::from_le_bytes(*bytes))
    }
}

/// Key of the order of an import: number of characters, id of the concept, place among its names.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OrderKey {
    pub(crate) length: usize,
    pub(crate) concept: String,
    pub(crate) place: usize,
}

/// Returns the ranks of all numbers after an update, given those before (none where the numbers are the ranks) and the new
/// names with their numbers, which follow on those before.
///
/// `is_before` tells whether a name that stays precedes a key.
pub(crate) fn updated_ranks(
    stored: Option<&[u8]>,
    gone: impl Iterator<Item = NameIndex>,
    mut new: Vec<(OrderKey, u32)>,
    next_number: u32,
    mut is_before: impl FnMut(NameIndex, &OrderKey) -> Result<bool, Error>,
) -> Result<Vec<u32>, Error> {
    let first_new = next_number - new.len() as u32;
    let mut ranks: Vec<u32> = stored.map_or_else(|| (0..first_new).collect(), |ranks| each_u32(ranks).collect());
    let damaged = || truename_storage::damaged("the order of its names is not of its names");
    for name in gone {
        *ranks.get_mut(name.0 as usize).ok_or_else(damaged)? = GONE;
    }
    let mut staying = vec![GONE; ranks.len()];
    for (number, rank) in (0..).zip(&ranks).filter(|(_, rank)| **rank != GONE) {
        *staying.get_mut(*rank as usize).ok_or_else(damaged)? = number;
    }
    staying.retain(|number| *number != GONE);
    new.sort_unstable();
    let mut order = Vec::with_capacity(staying.len() + new.len());
    let mut rest = staying.as_slice();
    for (key, number) in &new {
        let (before, after) = rest.split_at(count_before(rest, |name| is_before(name, key))?);
        order.extend_from_slice(before);
        order.push(*number);
        rest = after;
    }
    order.extend_from_slice(rest);
    ranks = vec![GONE; next_number as usize];
    for (rank, number) in (0..).zip(order) {
        ranks[number as usize] = rank;
    }
    Ok(ranks)
}

/// Returns the length of the part of `order` for which `is_before` holds, by exponential search (Bentley and Yao 1976):
/// the places of many new names lie near one another.
fn count_before(order: &[u32], mut is_before: impl FnMut(NameIndex) -> Result<bool, Error>) -> Result<usize, Error> {
    let mut reach = 1;
    while reach <= order.len() && is_before(NameIndex(order[reach - 1]))? {
        reach *= 2;
    }
    let (mut low, mut high) = (reach / 2, order.len().min(reach));
    while low < high {
        let middle = (low + high) / 2;
        if is_before(NameIndex(order[middle]))? { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}
