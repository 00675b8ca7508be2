//! Document frequencies: numbers of names that have each n-gram or word, added up over several indexes.

use truename_error::ErrorKind;

use crate::{Error, error};

/// Bytes of a stored row: an n-gram and the number of names that have it.
pub(crate) const ROW: usize = 12;

/// Numbers of names that have each n-gram or word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frequencies {
    /// Number of names.
    pub names: u32,
    /// Each n-gram or hash of a word, ascending, with the number of names that have it.
    pub counts: Vec<(u64, u32)>,
}

impl Frequencies {
    /// Returns whether the n-grams or words ascend, each of them once.
    pub fn is_sorted(&self) -> bool {
        self.counts.is_sorted_by(|one, other| one.0 < other.0)
    }

    /// Returns the frequencies in these names and others together.
    ///
    /// # Errors
    /// If there are more than 4,294,967,295 names.
    pub fn with(&self, others: &Self) -> Result<Self, Error> {
        let too_many = || Error::new(ErrorKind::Other, format!("there are more than {} names", u32::MAX));
        self.merged(others, |one, other| one.checked_add(other)).ok_or_else(too_many)
    }

    /// Returns the frequencies in the other names, where `part` are some of these.
    ///
    /// # Errors
    /// If a name of `part` is none of these.
    pub fn without(&self, part: &Self) -> Result<Self, Error> {
        let mut others = self.merged(part, |one, other| one.checked_sub(other)).ok_or_else(|| {
            Error::new(ErrorKind::Other, "the frequencies are not of all its names")
                .with_hint("add up the frequencies of all shards, this one among them")
        })?;
        others.counts.retain(|(_, count)| *count > 0);
        Ok(others)
    }

    fn merged(&self, others: &Self, merge: impl Fn(u32, u32) -> Option<u32>) -> Option<Self> {
        let mut counts = Vec::with_capacity(self.counts.len().max(others.counts.len()));
        let (mut left, mut right) = (self.counts.iter().peekable(), others.counts.iter().peekable());
        while let Some(key) = left.peek().into_iter().chain(right.peek()).map(|row| row.0).min() {
            let count = |row: Option<&(u64, u32)>| row.map_or(0, |row| row.1);
            let one = count(left.next_if(|row| row.0 == key));
            counts.push((key, merge(one, count(right.next_if(|row| row.0 == key)))?));
        }
        Some(Self { names: merge(self.names, others.names)?, counts })
    }

    pub(crate) fn to_rows(&self) -> Vec<u8> {
        self.counts.iter().flat_map(|(key, count)| key.to_le_bytes().into_iter().chain(count.to_le_bytes())).collect()
    }

    pub(crate) fn of_rows(names: u32, rows: &[u8]) -> Result<Self, Error> {
        let (rows, rest) = rows.as_chunks::<ROW>();
        let split = |row: &[u8; ROW]| {
            let (key, count) = row.split_first_chunk::<8>()?;
            Some((u64::from_le_bytes(*key), u32::from_le_bytes(*count.first_chunk()?)))
        };
        let frequencies = Self { names, counts: rows.iter().filter_map(split).collect() };
        match rest.is_empty() && frequencies.is_sorted() {
            true => Ok(frequencies),
            false => Err(error::damaged("the frequencies of n-grams are out of order")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_can_be_taken_away() {
        let of = |names, counts: &[(u64, u32)]| Frequencies { names, counts: counts.to_vec() };
        let (one, other) = (of(3, &[(1, 2), (5, 3)]), of(2, &[(0, 1), (5, 1), (9, 2)]));
        let whole = one.with(&other).unwrap();
        assert_eq!(whole, of(5, &[(0, 1), (1, 2), (5, 4), (9, 2)]));
        assert_eq!(whole.without(&one).unwrap(), other);
        assert_eq!(Frequencies::of_rows(5, &whole.to_rows()).unwrap(), whole);
        assert!(one.without(&other).is_err());
        assert!(of(u32::MAX, &[]).with(&one).is_err());
        assert!(Frequencies::of_rows(5, &whole.to_rows()[1..]).is_err());
    }
}
