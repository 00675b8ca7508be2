//! Pairs of texts as pairs of records, in which each distinct record stands once.

use std::collections::HashMap;

use super::{Record, RecordPair, Tables};

/// Column of a text that is no serialised record.
const TEXT: &str = "text";

/// Pairs of texts as pairs of records in two tables, in which each distinct record stands once.
#[derive(Clone, Debug, Default)]
pub struct PairTables {
    left: Vec<Record>,
    right: Vec<Record>,
    pairs: Vec<RecordPair>,
}

impl PairTables {
    /// Reads pairs of texts. A text that does not have the form `COL name VAL value …` is a record with the column `text`.
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self::of(texts.into_iter().map(|(left, right)| (record(left), record(right))))
    }

    /// Collects pairs of records.
    pub fn of(pairs: impl IntoIterator<Item = (Record, Record)>) -> Self {
        let mut tables = Self::default();
        let (mut left_rows, mut right_rows) = (HashMap::new(), HashMap::new());
        for (left, right) in pairs {
            let left = row_of(left, &mut tables.left, &mut left_rows);
            let right = row_of(right, &mut tables.right, &mut right_rows);
            tables.pairs.push(RecordPair { left, right });
        }
        tables
    }

    /// Returns the two tables.
    pub fn tables(&self) -> Tables<'_> {
        Tables::Two(&self.left, &self.right)
    }

    /// Returns the pairs, in the order given.
    pub fn pairs(&self) -> &[RecordPair] {
        &self.pairs
    }
}

fn record(text: &str) -> Record {
    Record::parse(text).unwrap_or_else(|| Record::new(&[TEXT.to_owned()].into(), vec![text.to_owned()]))
}

/// Returns the row of a record, which is added where the table lacks it.
fn row_of(record: Record, table: &mut Vec<Record>, rows: &mut HashMap<Record, u32>) -> u32 {
    *rows.entry(record).or_insert_with_key(|record| {
        table.push(record.clone());
        table.len() as u32 - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_stands_once() {
        let texts = [("COL a VAL x", "y"), ("COL  a VAL x ", "COL a VAL x"), ("z", "y")];
        let found = PairTables::of_texts(texts);
        let rows: Vec<(u32, u32)> = found.pairs().iter().map(|pair| (pair.left, pair.right)).collect();
        assert_eq!(rows, [(0, 0), (0, 1), (1, 0)]);
        let (left, right) = found.tables().records(found.pairs()[2]);
        assert_eq!((left.serialized(), right.serialized()), ("COL text VAL z".into(), "COL text VAL y".into()));
    }
}
