//! Counts of values, words and n-grams in two passes: texts of records, then terms of distinct texts.

use std::collections::HashMap;

use super::column_type::ColumnType;
use super::compared_column::{ComparedColumn, MISSING};
use super::compared_columns::full_name_columns;
use super::model::FellegiSunterModel;
use super::numbered_columns::NumberedColumns;
use super::value_frequencies::full_name;
use crate::{Record, Tables};

/// Sign between a given and a family name.
const BETWEEN: char = '\u{1f}';

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
        let numbered = NumberedColumns::of(Tables::One(records), |name| self.kind(name)).0;
        let mut found = Vec::new();
        let place = |name: &str| self.columns.iter().position(|column| column.name == name);
        for column in &numbered {
            let texts = column.texts.in_order();
            let mut counts = vec![0; texts.len()];
            column.left.iter().filter(|text| **text != MISSING).for_each(|text| counts[*text as usize] += 1);
            let number = place(&column.name).expect("the column is one of the model") as u32;
            let texts = texts.into_iter().zip(counts);
            found.extend(texts.map(|(text, records)| ValueText { column: number, text: text.to_owned(), records }));
        }
        let named: Vec<(&str, ColumnType)> =
            numbered.iter().map(|column| (column.name.as_str(), column.kind)).collect();
        if let Some((given, family)) = full_name_columns(&named) {
            let (given, family) = (&numbered[given], &numbered[family]);
            let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
            let names = given.left.iter().copied().zip(family.left.iter().copied());
            let names = names.filter(|(given, family)| *given != MISSING && *family != MISSING);
            names.for_each(|name| *counts.entry(name).or_default() += 1);
            let (first, last) = (given.texts.in_order(), family.texts.in_order());
            let text = |(given, family): (u32, u32)| full_name_text(first[given as usize], last[family as usize]);
            let column = self.columns.len() as u32;
            found.extend(counts.into_iter().map(|(name, records)| ValueText { column, text: text(name), records }));
        }
        found
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

/// Returns the text of a full name.
pub(super) fn full_name_text(given: &str, family: &str) -> String {
    format!("{given}{BETWEEN}{family}")
}
