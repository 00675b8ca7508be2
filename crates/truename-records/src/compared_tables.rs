//! Tables with the pairs that are compared.

use crate::{RecordPair, RecordTables};

/// Tables, and the pairs of their records that are compared.
#[derive(Clone, Copy)]
pub struct ComparedTables<'a> {
    /// The tables.
    pub tables: &'a RecordTables,
    /// The pairs.
    pub pairs: &'a [RecordPair],
}
