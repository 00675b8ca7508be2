//! Distinct records: equal rows are one, for which the first stands.

use std::hash::{DefaultHasher, Hash, Hasher};

use rayon::prelude::*;

use super::{Record, RecordPair, Tables};

/// The distinct records of tables. Rows of a table with equal records are one record, for which the first of them stands. A row
/// without a value is equal to none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinctRecords {
    left: Equal,
    /// None for one table.
    right: Option<Equal>,
}

/// The equal rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equal {
    /// First row with the record of each row.
    firsts: Vec<u32>,
    /// Number of rows with the record of each first row; 0 for other rows.
    counts: Vec<u32>,
}

/// The first rows of the distinct records of each table, ascending.
pub(super) struct Firsts {
    pub left: Vec<u32>,
    /// Empty for one table.
    pub right: Vec<u32>,
}

impl Firsts {
    /// Returns the number of distinct records of the tables, and that of the pairs of them that may be compared.
    pub fn sizes(&self, tables: Tables<'_>) -> (f64, f64) {
        let (left, right) = (self.left.len() as f64, self.right.len() as f64);
        let pairs = match tables {
            Tables::One(_) => left * (left - 1.0).max(0.0) / 2.0,
            Tables::Two(..) => left * right,
        };
        (left + right, pairs)
    }
}

impl DistinctRecords {
    /// Finds the equal records of each table.
    pub fn of(tables: Tables<'_>) -> Self {
        let right = match tables {
            Tables::One(_) => None,
            Tables::Two(_, right) => Some(Equal::of(right)),
        };
        Self { left: Equal::of(tables.left()), right }
    }

    /// Returns the number of distinct records of both tables.
    pub fn count(&self) -> usize {
        let count = |equal: &Equal| equal.firsts().count();
        count(&self.left) + self.right.as_ref().map_or(0, count)
    }

    /// Returns the pair of rows that stand for the records of a pair; none if both rows have one record.
    ///
    /// # Panics
    /// If the tables have no such row.
    pub fn first(&self, pair: RecordPair) -> Option<RecordPair> {
        let (left, right) = (self.left().first(pair.left), self.right().first(pair.right));
        match self.right {
            Some(_) => Some(RecordPair { left, right }),
            None => (left != right).then(|| RecordPair { left: left.min(right), right: left.max(right) }),
        }
    }

    /// Returns the numbers of rows with the record of each row of a pair.
    ///
    /// # Panics
    /// If the tables have no such row.
    pub fn counts(&self, pair: RecordPair) -> (u32, u32) {
        let count = |equal: &Equal, row: u32| equal.counts[equal.first(row) as usize];
        (count(self.left(), pair.left), count(self.right(), pair.right))
    }

    /// Returns the table that the record of each row of one table came from, by the tables of the rows; none where equal rows are of several.
    pub(super) fn sources(&self, sources: &[u32]) -> Vec<Option<u32>> {
        let mut of: Vec<Option<u32>> = sources.iter().map(|source| Some(*source)).collect();
        for (row, first) in self.left.further() {
            of[first as usize] = of[first as usize].filter(|source| *source == sources[row as usize]);
        }
        of
    }

    pub(super) fn left(&self) -> &Equal {
        &self.left
    }

    /// Returns the rows that `right` of a pair counts.
    pub(super) fn right(&self) -> &Equal {
        self.right.as_ref().unwrap_or(&self.left)
    }

    pub(super) fn firsts(&self) -> Firsts {
        let right = self.right.as_ref().map_or_else(Vec::new, |right| right.firsts().collect());
        Firsts { left: self.left.firsts().collect(), right }
    }
}

impl Equal {
    fn of(records: &[Record]) -> Self {
        let hash = |(row, record): (usize, &Record)| {
            let mut hasher = DefaultHasher::new();
            record.hash(&mut hasher);
            (!is_empty(record)).then(|| (hasher.finish(), row as u32))
        };
        let mut hashes: Vec<(u64, u32)> = records.par_iter().enumerate().filter_map(hash).collect();
        hashes.par_sort_unstable();
        let mut firsts: Vec<u32> = (0..records.len() as u32).collect();
        for rows in hashes.chunk_by(|one, other| one.0 == other.0) {
            // Records that differ and have one hash are most unlikely.
            let mut distinct: Vec<u32> = Vec::new();
            for (_, row) in rows {
                let is_equal = |first: &&u32| records[**first as usize] == records[*row as usize];
                match distinct.iter().find(is_equal) {
                    Some(first) => firsts[*row as usize] = *first,
                    None => distinct.push(*row),
                }
            }
        }
        let mut counts = vec![0; records.len()];
        firsts.iter().for_each(|first| counts[*first as usize] += 1);
        Self { firsts, counts }
    }

    /// Returns the first row with the record of a row.
    pub(super) fn first(&self, row: u32) -> u32 {
        self.firsts[row as usize]
    }

    /// Returns the rows that stand for a record, ascending.
    fn firsts(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.firsts).filter(|(row, first)| row == *first).map(|(row, _)| row)
    }

    /// Returns each other row with the row that stands for it, ascending.
    pub(super) fn further(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(&self.firsts).filter(|(row, first)| row != *first).map(|(row, first)| (row, *first))
    }
}

fn is_empty(record: &Record) -> bool {
    record.fields().all(|(_, value)| value.trim().is_empty())
}
