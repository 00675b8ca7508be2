//! Rows of tables by the hashes of their keys.

use rayon::prelude::*;

use super::{RecordPair, Tables};

/// The rows of one table or two that have a key, in the order of the hashes.
pub(super) struct KeyedRows {
    left: Vec<(u64, u32)>,
    /// None for one table.
    right: Option<Vec<(u64, u32)>>,
}

/// Rows with a key, and those with the same key that they are compared with.
#[derive(Clone, Copy)]
pub(super) struct EqualRows<'a> {
    pub(super) rows: &'a [(u64, u32)],
    pub(super) others: &'a [(u64, u32)],
    is_one: bool,
}

impl KeyedRows {
    /// Sorts rows by their hashes.
    pub(super) fn new(mut left: Vec<(u64, u32)>, mut right: Option<Vec<(u64, u32)>>) -> Self {
        left.par_sort_unstable();
        right.iter_mut().for_each(|right| right.par_sort_unstable());
        Self { left, right }
    }

    /// Returns the number of rows.
    pub(super) fn count(&self) -> usize {
        self.left.len() + self.right.as_ref().map_or(0, Vec::len)
    }

    /// Returns the rows of each key.
    pub(super) fn equal(&self) -> impl Iterator<Item = EqualRows<'_>> {
        self.left.chunk_by(|one, other| one.0 == other.0).map(|rows| {
            let others = self.right.as_ref().map_or(rows, |right| {
                let end =
                    |is_before: fn(u64, u64) -> bool| right.partition_point(|other| is_before(other.0, rows[0].0));
                &right[end(|other, key| other < key)..end(|other, key| other <= key)]
            });
            EqualRows { rows, others, is_one: self.right.is_none() }
        })
    }
}

impl<'a> EqualRows<'a> {
    /// Returns the number of pairs.
    pub(super) fn pair_count(&self) -> u64 {
        let (rows, others) = (self.rows.len() as u64, self.others.len() as u64);
        if self.is_one { rows * (rows - 1) / 2 } else { rows * others }
    }

    /// Returns each pair of the rows once.
    pub(super) fn pairs(self, tables: Tables<'a>) -> impl Iterator<Item = RecordPair> + 'a {
        let Self { rows, others, is_one } = self;
        let both = rows.iter().flat_map(move |(_, row)| others.iter().map(move |(_, other)| (*row, *other)));
        let once = both.filter(move |(row, other)| !is_one || row < other);
        once.filter_map(move |(row, other)| tables.pair(row, other))
    }
}
