//! The columns of tables taken apart for comparison: distinct values by number, and how many records have each.

use std::collections::HashMap;

use super::column_type::ColumnType;
use super::compared_column::{Agreement, ComparedColumn, frequency};
use super::comparison::{NamePart, are_spellings};
use super::numbered_columns::{NumberedColumns, full_name_columns};
use super::value_frequencies::{ValueFrequencies, full_name};
use crate::distinct::Firsts;
use crate::{Record, RecordPair, Tables};

/// The columns that two records are compared by.
pub(super) struct ComparedColumns {
    pub(super) columns: Vec<ComparedColumn>,
    /// The columns of given and of family names, where there is one each.
    names: Option<FullNames>,
    /// Number of distinct records of the whole tables.
    pub(super) records: f64,
    /// Number of pairs of these that may be compared.
    pub(super) pairs: f64,
}

/// The full names of persons in two columns.
struct FullNames {
    /// Place of the column of given names.
    given: usize,
    /// Place of the column of family names.
    family: usize,
    /// Number of distinct records by value of both.
    counts: HashMap<(u32, u32), u32>,
}

impl ComparedColumns {
    /// Takes the columns apart that the tables share and `kind` gives a type, and counts their values.
    pub(super) fn of(tables: Tables<'_>, firsts: &Firsts, kind: impl Fn(&str) -> Option<ColumnType>) -> Self {
        let mut columns = NumberedColumns::of(tables, kind).compared();
        columns.iter_mut().for_each(|column| column.count(firsts));
        let names = FullNames::of(&columns).map(|names| names.counted(&columns, firsts));
        let (records, pairs) = firsts.sizes(tables);
        Self { columns, names, records, pairs }
    }

    /// Takes the columns of a part of tables apart, with the frequencies of the whole ones.
    pub(super) fn of_part(
        tables: Tables<'_>,
        kind: impl Fn(&str) -> Option<ColumnType>,
        frequencies: &ValueFrequencies,
    ) -> Self {
        let rows = |records: &[Record]| (0..records.len() as u32).collect();
        let right = match tables {
            Tables::One(_) => Vec::new(),
            Tables::Two(_, right) => rows(right),
        };
        let firsts = Firsts { left: rows(tables.left()), right };
        let mut columns = NumberedColumns::of(tables, kind).compared();
        columns.iter_mut().for_each(|column| column.take_counts(frequencies));
        let names = FullNames::of(&columns).map(|names| names.with_frequencies(&columns, &firsts, frequencies));
        Self { columns, names, records: frequencies.records, pairs: frequencies.pairs }
    }

    /// Returns the agreement of the records of a pair in each column; none where a value is missing.
    pub(super) fn agreements(&self, pair: RecordPair) -> Vec<Option<Agreement>> {
        let mut found: Vec<Option<Agreement>> =
            self.columns.iter().map(|column| column.agreement(pair.left, pair.right)).collect();
        if let Some(names) = &self.names {
            self.swap(pair, (names.given, names.family), &mut found);
            self.join(pair, names, &mut found);
        }
        found
    }

    /// Returns true if both records have the same values, in most columns, and no other ones.
    pub(super) fn are_equal(&self, pair: RecordPair) -> bool {
        let values = |column: &ComparedColumn| (column.left(pair.left), column.right(pair.right));
        let filled = self.columns.iter().map(values).filter(|(left, right)| left.is_some() || right.is_some());
        let (equal, others): (Vec<_>, Vec<_>) = filled.partition(|(left, right)| left == right);
        others.is_empty() && 2 * equal.len() > self.columns.len()
    }

    /// Puts given and family names on the level of swapped ones if each is a spelling of the other one of the other record.
    fn swap(&self, pair: RecordPair, (given, family): (usize, usize), found: &mut [Option<Agreement>]) {
        let (Some(first), Some(last)) = (found[given], found[family]) else { return };
        let (first_names, last_names) = (&self.columns[given], &self.columns[family]);
        let are_one = |one: Option<&str>, other: Option<&str>| {
            one.zip(other).is_some_and(|(one, other)| one == other || are_spellings(one, other))
        };
        if usize::from(first.level.max(last.level)) < NamePart::SIMILAR
            && are_one(first_names.key(first_names.left(pair.left)), last_names.key(last_names.right(pair.right)))
            && are_one(last_names.key(last_names.left(pair.left)), first_names.key(first_names.right(pair.right)))
        {
            let swapped = |agreement| Agreement { level: NamePart::SWAPPED as u8, contradicts: false, ..agreement };
            (found[given], found[family]) = (Some(swapped(first)), Some(swapped(last)));
        }
    }

    /// Gives equal family names of records with equal given names the probability that they have beside these: full names are more frequent
    /// than their parts tell.
    fn join(&self, pair: RecordPair, names: &FullNames, found: &mut [Option<Agreement>]) {
        let FullNames { given, family, counts } = names;
        let (given_names, family_names) = (&self.columns[*given], &self.columns[*family]);
        let full = given_names.left(pair.left).zip(family_names.left(pair.left));
        let other = given_names.right(pair.right).zip(family_names.right(pair.right));
        if let (Some(first), Some(last), Some(full)) =
            (found[*given], &mut found[*family], full.filter(|_| full == other))
        {
            let standard = ColumnType::PersonName.standard_equal();
            let joint = frequency(counts.get(&full).copied().unwrap_or_default(), standard, family_names.filled);
            last.frequency = last.frequency.max((joint as f32 / first.frequency).min(1.0));
        }
    }
}

impl FullNames {
    /// Finds the columns of given and of family names; none unless there is one of either kind, those of further names aside.
    fn of(columns: &[ComparedColumn]) -> Option<Self> {
        let named: Vec<(&str, ColumnType)> = columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
        let (given, family) = full_name_columns(&named)?;
        Some(Self { given, family, counts: HashMap::new() })
    }

    /// Returns the full names of rows, by the values of both columns.
    fn names<'a>(
        &self,
        columns: &'a [ComparedColumn],
        firsts: &'a Firsts,
    ) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        let (given, family) = (&columns[self.given], &columns[self.family]);
        let left = firsts.left.iter().filter_map(|row| given.left(*row).zip(family.left(*row)));
        left.chain(firsts.right.iter().filter_map(|row| given.right(*row).zip(family.right(*row))))
    }

    /// Counts the full names of distinct records.
    fn counted(mut self, columns: &[ComparedColumn], firsts: &Firsts) -> Self {
        let names = self.names(columns, firsts);
        names.for_each(|name| *self.counts.entry(name).or_default() += 1);
        self
    }

    /// Takes the counts of the full names of rows from the frequencies of whole tables.
    fn with_frequencies(mut self, columns: &[ComparedColumn], firsts: &Firsts, frequencies: &ValueFrequencies) -> Self {
        let (given, family) = (&columns[self.given], &columns[self.family]);
        let count = |(first, last)| frequencies.count(full_name(given.term(first), family.term(last)));
        self.counts = self.names(columns, firsts).map(|name| (name, count(name))).collect();
        self
    }
}
