//! The columns of tables that are compared, by the numbers of their distinct texts.

use std::borrow::Cow;

use super::column_type::ColumnType;
use super::compared_column::{ComparedColumn, MISSING};
use super::name_suffix::is_suffix_column;
use crate::columns::Columns;
use crate::distinct_texts::{DistinctTexts, trimmed};
use crate::header::header_words;
use crate::{Record, Tables};

/// Words of the names of columns of names that persons have beside a given and a family name.
const FURTHER_NAMES: [&str; 6] = ["middle", "second", "maiden", "birth", "other", "former"];

/// Sign between a given and a family name.
pub(super) const BETWEEN: char = '\u{1f}';

/// The columns that are compared, for the texts of one record after another. Suffixes of generations are a part of the names.
pub(super) struct ColumnTexts {
    shared: Columns,
    pub(super) columns: Vec<TextColumn>,
    /// Places of the columns of given and of family names, where full names are counted.
    names: Option<(usize, usize)>,
}

/// A column of texts.
pub(super) struct TextColumn {
    /// Folded name.
    pub(super) name: String,
    pub(super) kind: ColumnType,
    /// Folded name of the column of the suffixes of its names.
    suffix: Option<String>,
}

impl ColumnTexts {
    /// Finds the columns that the tables share and `kind` gives a type.
    pub(super) fn of(tables: Tables<'_>, kind: impl Fn(&str) -> Option<ColumnType>) -> Self {
        let shared = Columns::of(tables);
        let names = shared.names();
        let suffix = Suffix::of(&names, &kind);
        let column = |(at, name): (u32, &&str)| {
            let suffix_name = suffix.filter(|suffix| suffix.name == at).map(|suffix| names[suffix.column as usize]);
            let is_kept = suffix.is_none_or(|suffix| suffix.column != at);
            let kind = kind(name).filter(|_| is_kept)?;
            Some(TextColumn { name: (*name).to_owned(), kind, suffix: suffix_name.map(str::to_owned) })
        };
        let columns: Vec<TextColumn> = (0..).zip(&names).filter_map(column).collect();
        let mut texts = Self { shared, columns, names: None };
        texts.names = full_name_columns(&texts.kinds());
        texts
    }

    /// Returns the folded names and types of the columns.
    pub(super) fn kinds(&self) -> Vec<(&str, ColumnType)> {
        self.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect()
    }

    /// Returns the number of columns, one of full names behind the others among them.
    pub(super) fn count(&self) -> usize {
        self.columns.len() + usize::from(self.names.is_some())
    }

    /// Returns the text of a record in a column; none if it has no value.
    pub(super) fn text<'a>(&self, record: &'a Record, column: usize) -> Option<Cow<'a, str>> {
        let Some(TextColumn { name, suffix, .. }) = self.columns.get(column) else {
            let (given, family) = self.names?;
            return Some(format!("{}{BETWEEN}{}", self.text(record, given)?, self.text(record, family)?).into());
        };
        let value = self.shared.value(record, name);
        let suffix = suffix.as_ref().map(|name| self.shared.value(record, name)).filter(|suffix| !suffix.is_empty());
        trimmed(match suffix {
            Some(suffix) if !value.is_empty() => format!("{value} {suffix}").into(),
            _ => value,
        })
    }
}

/// The columns that are compared, by the numbers of the texts of their records.
pub(super) struct NumberedColumns<'a>(pub(super) Vec<NumberedColumn<'a>>);

/// A column with its distinct texts.
pub(super) struct NumberedColumn<'a> {
    /// Folded name.
    pub(super) name: String,
    pub(super) kind: ColumnType,
    pub(super) texts: DistinctTexts<'a>,
    /// Text by row; [`MISSING`] for none.
    pub(super) left: Vec<u32>,
    /// Empty for one table.
    pub(super) right: Vec<u32>,
}

impl<'a> NumberedColumns<'a> {
    /// Collects the texts of the columns that the tables share and `kind` gives a type.
    pub(super) fn of(tables: Tables<'a>, kind: impl Fn(&str) -> Option<ColumnType>) -> Self {
        let shared = Columns::of(tables);
        let mut texts: Vec<DistinctTexts<'_>> = (0..shared.count()).map(|_| DistinctTexts::default()).collect();
        let suffix = Suffix::of(&shared.names(), &kind);
        let mut numbered = |records| numbered_rows(records, &shared, suffix, &mut texts);
        let left = numbered(tables.left());
        let right = match tables {
            Tables::One(_) => vec![Vec::new(); shared.count()],
            Tables::Two(_, right) => numbered(right),
        };
        let columns = shared.names().into_iter().zip(texts).zip(left.into_iter().zip(right)).enumerate();
        let columns = columns.filter(|(at, _)| suffix.is_none_or(|suffix| suffix.column as usize != *at));
        let column = |(_, ((name, texts), (left, right))): (usize, ((&str, _), _))| {
            Some(NumberedColumn { name: name.to_owned(), kind: kind(name)?, texts, left, right })
        };
        Self(columns.filter_map(column).collect())
    }

    /// Takes the texts apart.
    pub(super) fn compared(self) -> Vec<ComparedColumn> {
        let is_only = self.0.len() == 1;
        let compared = |NumberedColumn { name, kind, texts, left, right }: NumberedColumn<'_>| {
            ComparedColumn::of((&name, kind), &texts.in_order(), (left, right), is_only)
        };
        self.0.into_iter().map(compared).collect()
    }
}

/// Returns the number of the text of each row, for each column.
fn numbered_rows<'a>(
    records: &'a [Record],
    columns: &Columns,
    suffix: Option<Suffix>,
    texts: &mut [DistinctTexts<'a>],
) -> Vec<Vec<u32>> {
    let mut rows = vec![vec![MISSING; records.len()]; columns.count()];
    for (row, record) in records.iter().enumerate() {
        let mut values = columns.values(record);
        suffix.iter().for_each(|suffix| suffix.add(&mut values));
        for (column, value) in values {
            rows[column as usize][row] = texts[column as usize].number(value).unwrap_or(MISSING);
        }
    }
    rows
}

/// Returns the places of the columns of given and of family names; none unless there is one of either kind, those of further names aside.
pub(super) fn full_name_columns(columns: &[(&str, ColumnType)]) -> Option<(usize, usize)> {
    let only = |kind| {
        let is_main = |at: &usize| {
            let (name, of) = columns[*at];
            of == kind && !header_words(name).iter().any(|word| FURTHER_NAMES.contains(&word.as_str()))
        };
        let mut places = (0..columns.len()).filter(is_main);
        places.next().filter(|_| places.next().is_none())
    };
    only(ColumnType::GivenName).zip(only(ColumnType::FamilyName))
}

/// A column of suffixes of generations, which are a part of the names in another one.
#[derive(Clone, Copy)]
struct Suffix {
    column: u32,
    name: u32,
}

impl Suffix {
    /// Finds the columns of suffixes and of the names that they belong to.
    fn of(names: &[&str], kind: impl Fn(&str) -> Option<ColumnType>) -> Option<Self> {
        let of_kind = |wanted| names.iter().rposition(|name| kind(name) == Some(wanted));
        let column = names.iter().position(|name| is_suffix_column(name))? as u32;
        let name = of_kind(ColumnType::FamilyName).or_else(|| of_kind(ColumnType::PersonName))? as u32;
        Some(Self { column, name })
    }

    /// Puts the suffix of a record behind its name.
    fn add(self, values: &mut [(u32, Cow<'_, str>)]) {
        let place = |column| values.iter().position(|(of, value)| *of == column && !value.is_empty());
        if let (Some(suffix), Some(name)) = (place(self.column), place(self.name)) {
            values[name].1 = format!("{} {}", values[name].1, values[suffix].1).into();
        }
    }
}
