//! The tables whose records are compared, one or two, and pairs by their rows.

use super::Record;

/// The records to compare: those of one table with each other, or those of one table with those of another.
#[derive(Clone, Copy, Debug)]
pub enum Tables<'a> {
    /// Each record is compared with the others of the table.
    One(&'a [Record]),
    /// Records of the first table are compared with records of the second.
    Two(&'a [Record], &'a [Record]),
}

/// Two records, by their rows from 0. In one table `left` is the smaller; in two, `left` is a row of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordPair {
    /// Row of the first record.
    pub left: u32,
    /// Row of the second record.
    pub right: u32,
}

impl<'a> Tables<'a> {
    /// Returns the records that `left` of a pair counts.
    pub fn left(self) -> &'a [Record] {
        match self {
            Self::One(records) | Self::Two(records, _) => records,
        }
    }

    /// Returns the records that `right` of a pair counts.
    pub fn right(self) -> &'a [Record] {
        match self {
            Self::One(records) | Self::Two(_, records) => records,
        }
    }

    /// Returns every record once, those of the first table first.
    pub fn all(self) -> impl Iterator<Item = &'a Record> {
        let further: &[Record] = match self {
            Self::One(_) => &[],
            Self::Two(_, right) => right,
        };
        self.left().iter().chain(further)
    }

    /// Returns the pair of two rows; none for a row of one table with itself.
    pub fn pair(self, left: u32, right: u32) -> Option<RecordPair> {
        match self {
            Self::One(_) if left == right => None,
            Self::One(_) => Some(RecordPair { left: left.min(right), right: left.max(right) }),
            Self::Two(..) => Some(RecordPair { left, right }),
        }
    }

    /// Returns the two records of a pair.
    ///
    /// # Panics
    /// If the tables have no such row.
    pub fn records(self, pair: RecordPair) -> (&'a Record, &'a Record) {
        (&self.left()[pair.left as usize], &self.right()[pair.right as usize])
    }
}
