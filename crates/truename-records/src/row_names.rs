//! Rows of a table by their names.

use std::collections::HashMap;

use crate::{Record, RecordTable};

/// Rows of a table by their ids, or numbers from 1, and by their serialised records.
pub struct RowNames {
    rows: HashMap<String, u32>,
    /// The first row with each record.
    records: HashMap<String, u32>,
}

impl RowNames {
    /// Collects the names of all rows.
    pub fn of(table: &RecordTable) -> Self {
        let mut records = HashMap::new();
        for (row, record) in (0..).zip(table.records()) {
            records.entry(record.serialized()).or_insert(row);
        }
        let rows = (0..table.records().len() as u32).map(|row| (table.row_name(row), row)).collect();
        Self { rows, records }
    }

    /// Returns the row that a name or a serialised record stands for.
    pub fn row(&self, name: &str) -> Option<u32> {
        let of_record = || self.records.get(&Record::parse(name)?.serialized());
        self.rows.get(name).or_else(of_record).copied()
    }
}
