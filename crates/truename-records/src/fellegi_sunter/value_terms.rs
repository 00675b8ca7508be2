//! Counts of values, words and n-grams in two passes: texts of records, then terms of distinct texts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::column_type::ColumnType;
use super::compared_column::ComparedColumn;
use super::model::FellegiSunterModel;
use super::numbered_columns::{BETWEEN, ColumnTexts, full_name_columns};
use super::value_frequencies::full_name;
use crate::{Record, Tables};

/// A text of a column, with the number of records that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueText {
    /// Number of the column among those of the model; behind them is that of full names.
    pub column: u32,
    /// The text.
    pub text: String,
    /// Number of records.
    pub records: u64,
}

impl FellegiSunterModel {
    /// Returns the distinct texts of the columns of distinct records. Those of the parts of a table are added by column and text before
    /// [`Self::value_terms`] takes them.
    pub fn value_texts(&self, records: &[Record]) -> Vec<ValueText> {
        let texts = ColumnTexts::of(Tables::One(records), |name| self.kind(name));
        let mut counts: BTreeMap<(usize, Cow<'_, str>), u64> = BTreeMap::new();
        for record in records {
            for column in 0..texts.count() {
                let text = texts.text(record, column);
                text.into_iter().for_each(|text| *counts.entry((column, text)).or_default() += 1);
            }
        }
        let number = |column: usize| {
            let name = texts.columns.get(column).map(|column| &column.name);
            self.columns.iter().position(|own| Some(&own.name) == name).unwrap_or(self.columns.len()) as u32
        };
        let found = counts.into_iter();
        found
            .map(|((column, text), records)| ValueText { column: number(column), text: text.into_owned(), records })
            .collect()
    }

    /// Returns the terms of distinct texts of a column with their counts, for [`ValueFrequencies::new`](super::ValueFrequencies::new). Each
    /// text of a table is given once, with the number of its records.
    pub fn value_terms(&self, column: u32, texts: &[(&str, u64)]) -> Vec<(u64, u64)> {
        let columns: Vec<(&str, ColumnType)> =
            self.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
        value_terms(&columns, column as usize, texts)
    }

    /// Returns the type of a column by its folded name; none of another one.
    pub(super) fn kind(&self, name: &str) -> Option<ColumnType> {
        self.columns.iter().find(|column| column.name == name).map(|column| column.kind)
    }
}

/// Returns the terms of distinct texts of one of the columns with their counts; behind the columns are full names.
pub(super) fn value_terms(columns: &[(&str, ColumnType)], column: usize, texts: &[(&str, u64)]) -> Vec<(u64, u64)> {
    let compared = |column: (&str, ColumnType), texts: &[&str]| {
        let rows = (0..texts.len() as u32).collect();
        ComparedColumn::of(column, texts, (rows, Vec::new()), columns.len() == 1)
    };
    if let Some(column) = columns.get(column) {
        let (texts, records): (Vec<&str>, Vec<u64>) = texts.iter().copied().unzip();
        return compared(*column, &texts).counted_terms(&records);
    }
    let Some((given, family)) = full_name_columns(columns) else { return Vec::new() };
    let parts = texts.iter().filter_map(|(text, records)| Some((text.split_once(BETWEEN)?, *records)));
    let ((first, last), records): ((Vec<&str>, Vec<&str>), Vec<u64>) = parts.unzip();
    let [first, last] = [(given, first), (family, last)].map(|(at, texts)| compared(columns[at], &texts));
    let term = |row: u32| Some(full_name(first.term(first.left(row)?), last.term(last.left(row)?)));
    (0..).zip(records).filter_map(|(row, records)| Some((term(row)?, records))).collect()
}
