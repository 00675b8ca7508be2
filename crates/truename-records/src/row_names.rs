//! Rows of a table by their names.

use std::collections::HashMap;
use std::sync::OnceLock;

use truename_text::stable_hash;

use crate::{Record, RecordTable};

/// Rows of a table by their ids, or numbers from 1, and by their serialised records.
pub struct RowNames<'a> {
    table: &'a RecordTable,
    rows: RowsByHash,
    /// The first row with each record; empty until one is asked for.
    records: OnceLock<RowsByHash>,
}

/// Rows by the hashes of their texts, the first of those with one hash.
struct RowsByHash(HashMap<u64, u32>);

impl<'a> RowNames<'a> {
    /// Collects the names of all rows.
    pub fn of(table: &'a RecordTable) -> Self {
        Self { table, rows: RowsByHash::of(table, |row| table.row_name(row)), records: OnceLock::new() }
    }

    /// Returns the row that a name or a serialised record stands for.
    pub fn row(&self, name: &str) -> Option<u32> {
        let row_name = |row| self.table.row_name(row);
        self.rows.row(name, self.table, row_name).or_else(|| self.record(&Record::parse(name)?))
    }

    fn record(&self, record: &Record) -> Option<u32> {
        let serialized = |row: u32| self.table.records()[row as usize].serialized();
        let records = self.records.get_or_init(|| RowsByHash::of(self.table, serialized));
        records.row(&record.serialized(), self.table, serialized)
    }
}

impl RowsByHash {
    fn of(table: &RecordTable, text: impl Fn(u32) -> String) -> Self {
        let mut rows = HashMap::with_capacity(table.records().len());
        for row in 0..table.records().len() as u32 {
            rows.entry(stable_hash(&text(row))).or_insert(row);
        }
        Self(rows)
    }

    fn row(&self, wanted: &str, table: &RecordTable, text: impl Fn(u32) -> String) -> Option<u32> {
        let first = *self.0.get(&stable_hash(wanted))?;
        // Texts that share a hash are most unlikely.
        (first..table.records().len() as u32).find(|row| text(*row) == wanted)
    }
}
