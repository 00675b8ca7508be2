//! Records taken apart for comparison, with the statistics of their tables.

use std::borrow::Cow;

use rayon::prelude::*;
use truename_text::{NormalizedName, stable_hash};

use super::vocabulary::{Vocabulary, ratio, trigrams};
use crate::columns::Columns;
use crate::distinct_texts::DistinctTexts;
use crate::number::Number;
use crate::thing_name::ThingNames;
use crate::{ColumnTypes, Record, Tables};

/// Profiles of all records.
pub(super) struct Profiles {
    left: Vec<Profile>,
    /// Empty for one table.
    right: Vec<Profile>,
    pub(super) words: Vocabulary,
    pub(super) grams: Vocabulary,
    /// Share of each column in the weight of all n-grams.
    pub(super) column_weights: Vec<f64>,
    /// Distinct names by column; none of a column that does not name things.
    pub(super) names: Vec<Option<ThingNames>>,
    /// Number of records.
    pub(super) records: usize,
}

/// A record taken apart.
#[derive(Default)]
pub(super) struct Profile {
    /// Words of all columns.
    pub(super) words: Box<[u32]>,
    /// Words with a digit.
    pub(super) codes: Box<[u32]>,
    /// Trigrams of all columns; none where there is one column, whose field has them.
    grams: Box<[u32]>,
    /// Values that are not empty, in the order of the columns.
    pub(super) fields: Box<[Field]>,
}

/// The value of a column, taken apart.
pub(super) struct Field {
    pub(super) column: u32,
    /// Hash of the normal form without spaces.
    pub(super) hash: u64,
    /// The value, where it is a number.
    pub(super) number: Option<f64>,
    /// Number of the value among the names of its column; none in a column that does not name things.
    pub(super) name: Option<u32>,
    pub(super) grams: Box<[u32]>,
}

impl Profile {
    pub(super) fn grams(&self) -> &[u32] {
        match &self.fields[..] {
            [only] => &only.grams,
            _ => &self.grams,
        }
    }
}

impl Profiles {
    pub(super) fn of(tables: Tables<'_>) -> Self {
        let columns = Columns::of(tables);
        let records: Vec<&Record> = tables.all().collect();
        let words = Vocabulary::of(&records, |record| words_of(record, &columns));
        let grams = Vocabulary::of(&records, |record| grams_of(record, &columns));
        let profile = |record: &Record| Profile::of(record, &columns, &words, &grams);
        let mut left: Vec<Profile> = tables.left().par_iter().map(profile).collect();
        let mut right = match tables {
            Tables::One(_) => Vec::new(),
            Tables::Two(_, right) => right.par_iter().map(profile).collect(),
        };
        let mut column_weights = vec![0.0; columns.count()];
        for field in left.iter().chain(&right).flat_map(|profile| &profile.fields) {
            column_weights[field.column as usize] += grams.total(&field.grams);
        }
        let total = column_weights.iter().sum();
        column_weights.iter_mut().for_each(|weight| *weight = ratio(*weight, total));
        let count = records.len();
        let of_all = records.into_iter().zip(left.iter_mut().chain(&mut right));
        let names = numbered_names(of_all, &columns, &ColumnTypes::of(tables));
        Self { left, right, words, grams, column_weights, names, records: count }
    }

    pub(super) fn left(&self, row: u32) -> &Profile {
        &self.left[row as usize]
    }

    pub(super) fn right(&self, row: u32) -> &Profile {
        if self.right.is_empty() { &self.left[row as usize] } else { &self.right[row as usize] }
    }
}

impl Profile {
    fn of(record: &Record, columns: &Columns, words: &Vocabulary, grams: &Vocabulary) -> Self {
        let values = columns.values(record);
        let normalized: Vec<NormalizedName> = values.iter().map(|(_, value)| NormalizedName::new(value)).collect();
        let field = |((column, value), normalized): (&(u32, Cow<'_, str>), &NormalizedName)| {
            (!normalized.is_empty()).then(|| Field {
                column: *column,
                hash: stable_hash(&normalized.squeezed()),
                number: Number::read(value).map(|number| number.0),
                name: None,
                grams: grams.numbers(trigrams(normalized)),
            })
        };
        let fields: Box<[Field]> = values.iter().zip(&normalized).filter_map(field).collect();
        let has_digit = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
        let tokens = || normalized.iter().flat_map(NormalizedName::tokens);
        let of_all = || grams.numbers(normalized.iter().flat_map(trigrams));
        Self {
            words: words.numbers(tokens().map(stable_hash)),
            codes: words.numbers(tokens().filter(has_digit).map(stable_hash)),
            grams: if fields.len() == 1 { Box::default() } else { of_all() },
            fields,
        }
    }
}

/// Numbers the values of the columns that name things, and takes these names apart.
fn numbered_names<'a>(
    records: impl Iterator<Item = (&'a Record, &'a mut Profile)>,
    columns: &Columns,
    types: &ColumnTypes,
) -> Vec<Option<ThingNames>> {
    let has_names = |column: &str| types.get(column).is_some_and(|kind| kind.names_things(column));
    let mut texts: Vec<Option<DistinctTexts<'_>>> =
        columns.names().into_iter().map(|column| has_names(column).then(DistinctTexts::default)).collect();
    for (record, profile) in records {
        for (column, value) in columns.values(record) {
            let Some(texts) = &mut texts[column as usize] else { continue };
            if let Some(field) = profile.fields.iter_mut().find(|field| field.column == column) {
                field.name = texts.number(value);
            }
        }
    }
    let is_main = |column: &str| types.get(column).is_some_and(|kind| kind.is_main_name(column, columns.count() == 1));
    let names =
        |(texts, column): (Option<DistinctTexts<'_>>, &str)| Some(ThingNames::of(&texts?.in_order(), is_main(column)));
    texts.into_iter().zip(columns.names()).map(names).collect()
}

/// Returns the hashes of a record's words, each once.
fn words_of(record: &Record, columns: &Columns) -> Vec<u64> {
    let words = |value: &str| NormalizedName::new(value).tokens().map(stable_hash).collect::<Vec<_>>();
    distinct(columns.values(record).iter().flat_map(|(_, value)| words(value)).collect())
}

/// Returns a record's trigrams, each once.
fn grams_of(record: &Record, columns: &Columns) -> Vec<u64> {
    let values = columns.values(record);
    distinct(values.iter().flat_map(|(_, value)| trigrams(&NormalizedName::new(value))).collect())
}

fn distinct(mut terms: Vec<u64>) -> Vec<u64> {
    terms.sort_unstable();
    terms.dedup();
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_weigh_by_what_they_say() {
        let columns = ["title".to_owned(), "year".to_owned()].into();
        let record = |title: &str| Record::new(&columns, vec![title.into(), "1990".into()]);
        let records = [record("alpha beta 7b"), record("gamma delta"), record("")];
        let profiles = Profiles::of(Tables::One(&records));
        let columns = |row| profiles.left(row).fields.iter().map(|field| field.column).collect::<Vec<_>>();
        assert_eq!((columns(0), columns(2), profiles.records), (vec![0, 1], vec![1], 3));
        assert!(profiles.column_weights[0] > 0.5 && (profiles.column_weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!((profiles.left(0).codes.len(), profiles.right(1).codes.len()), (2, 1));
        assert_eq!(profiles.left(0).fields[1].number, Some(1990.0));
    }
}
