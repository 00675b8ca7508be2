//! The columns of tables to compare pairs by: taken apart whole, or those of large tables for a few pairs at a time.

use rayon::prelude::*;

use super::column_type::ColumnType;
use super::compared_columns::ComparedColumns;
use super::numbered_columns::ColumnTexts;
use super::table_frequencies::value_frequencies;
use super::value_frequencies::ValueFrequencies;
use crate::distinct::Firsts;
use crate::{Record, RecordPair, Tables};

/// Number of distinct records up to which tables are taken apart whole.
const MOST_AT_ONCE: usize = 1_000_000;
/// Pairs whose records are taken apart together.
const PAIRS: usize = 4096;

/// The columns that pairs of records are compared by. The agreements of a pair are the same either way.
pub(super) enum TableColumns<'a> {
    /// All records are taken apart.
    Whole(ComparedColumns),
    /// The records of pairs are taken apart when they are compared, so that the memory does not grow with the tables but for the counts of
    /// frequent values.
    Parts(TableParts<'a>),
}

/// Tables with the frequencies of their values.
pub(super) struct TableParts<'a> {
    tables: Tables<'a>,
    kinds: Vec<(String, ColumnType)>,
    frequencies: ValueFrequencies,
}

impl<'a> TableColumns<'a> {
    /// Takes the columns that the tables share and `kind` gives a type.
    pub(super) fn of(tables: Tables<'a>, firsts: &Firsts, kind: impl Fn(&str) -> Option<ColumnType>) -> Self {
        if firsts.left.len() + firsts.right.len() > MOST_AT_ONCE {
            return Self::in_parts(tables, firsts, kind);
        }
        Self::Whole(ComparedColumns::of(tables, firsts, kind))
    }

    pub(super) fn in_parts(tables: Tables<'a>, firsts: &Firsts, kind: impl Fn(&str) -> Option<ColumnType>) -> Self {
        let texts = ColumnTexts::of(tables, kind);
        let frequencies = value_frequencies(tables, firsts, &texts);
        let kinds = texts.columns.into_iter().map(|column| (column.name, column.kind)).collect();
        Self::Parts(TableParts { tables, kinds, frequencies })
    }

    /// Returns the folded names and types of the columns, in order.
    pub(super) fn kinds(&self) -> Vec<(&str, ColumnType)> {
        match self {
            Self::Whole(columns) => columns.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect(),
            Self::Parts(parts) => parts.kinds.iter().map(|(name, kind)| (name.as_str(), *kind)).collect(),
        }
    }

    /// Returns the number of distinct records of the tables, and that of the pairs of them that may be compared.
    pub(super) fn sizes(&self) -> (f64, f64) {
        match self {
            Self::Whole(columns) => (columns.records, columns.pairs),
            Self::Parts(parts) => (parts.frequencies.records, parts.frequencies.pairs),
        }
    }

    /// Returns what `of` says of each pair.
    pub(super) fn map<T: Send>(
        &self,
        pairs: &[RecordPair],
        of: impl Fn(&ComparedColumns, RecordPair) -> T + Sync,
    ) -> Vec<T> {
        match self {
            Self::Whole(columns) => pairs.par_iter().map(|pair| of(columns, *pair)).collect(),
            Self::Parts(parts) => {
                let of_part = |pairs: &[RecordPair]| {
                    let (columns, pairs) = parts.of(pairs);
                    pairs.into_iter().map(|pair| of(&columns, pair)).collect::<Vec<_>>()
                };
                pairs.par_chunks(PAIRS).flat_map_iter(of_part).collect()
            }
        }
    }
}

impl TableParts<'_> {
    /// Takes the records of pairs apart. Returns the columns, and the pairs by the rows of these.
    fn of(&self, pairs: &[RecordPair]) -> (ComparedColumns, Vec<RecordPair>) {
        let kind = |name: &str| self.kinds.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
        let columns = |tables: Tables<'_>| ComparedColumns::of_part(tables, kind, &self.frequencies);
        let (left, right) = (pairs.iter().map(|pair| pair.left), pairs.iter().map(|pair| pair.right));
        let (columns, left, right) = match self.tables {
            Tables::One(records) => {
                let part = Part::of(records, left.chain(right));
                (columns(Tables::One(&part.records)), part.rows.clone(), part.rows)
            }
            Tables::Two(of_left, of_right) => {
                let (left, right) = (Part::of(of_left, left), Part::of(of_right, right));
                (columns(Tables::Two(&left.records, &right.records)), left.rows, right.rows)
            }
        };
        let place = |rows: &[u32], row: u32| rows.partition_point(|other| *other < row) as u32;
        let of_part =
            |pair: &RecordPair| RecordPair { left: place(&left, pair.left), right: place(&right, pair.right) };
        (columns, pairs.iter().map(of_part).collect())
    }
}

/// Records of a table, with their rows, ascending.
struct Part {
    rows: Vec<u32>,
    records: Vec<Record>,
}

impl Part {
    fn of(records: &[Record], rows: impl Iterator<Item = u32>) -> Self {
        let mut rows: Vec<u32> = rows.collect();
        rows.sort_unstable();
        rows.dedup();
        Self { records: rows.iter().map(|row| records[*row as usize].clone()).collect(), rows }
    }
}
