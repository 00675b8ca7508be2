//! Columns that are compared: those of one table, or those that two share by name.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use truename_read::folded;

use super::missing::is_missing;
use super::{Record, Tables};

/// The columns that are compared: those of one table, or those that two tables share by name. Where they share none, all
/// values of a record are one.
pub(super) struct Columns {
    /// Numbers by folded name; none where the tables share no column.
    numbers: HashMap<String, u32>,
}

impl Columns {
    pub(super) fn of(tables: Tables<'_>) -> Self {
        let mut names = names(tables.left());
        if let Tables::Two(_, right) = tables {
            let of_right: HashSet<String> = self::names(right).into_iter().collect();
            names.retain(|name| of_right.contains(name));
        }
        Self { numbers: names.into_iter().zip(0..).collect() }
    }

    pub(super) fn count(&self) -> usize {
        self.numbers.len().max(1)
    }

    /// Returns the folded names of the columns in the order of their numbers; an empty one where all values are one.
    pub(super) fn names(&self) -> Vec<&str> {
        if self.numbers.is_empty() {
            return vec![""];
        }
        let mut names: Vec<(&str, u32)> = self.numbers.iter().map(|(name, number)| (name.as_str(), *number)).collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        names.into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the values of a record with the numbers of their columns, ascending; empty ones for placeholders. The values of two columns
    /// with one name are one.
    pub(super) fn values<'a>(&self, record: &'a Record) -> Vec<(u32, Cow<'a, str>)> {
        if self.numbers.is_empty() {
            return vec![(0, record.text().into())];
        }
        let said = |value: &'a str| if is_missing(value) { "" } else { value };
        let number = |(name, value): (&str, &'a str)| Some((*self.numbers.get(name)?, said(value).into()));
        let mut values: Vec<(u32, Cow<'a, str>)> = record.folded_fields().filter_map(number).collect();
        values.sort_by_key(|(column, _)| *column);
        values.dedup_by(|(column, further), (known, value)| {
            let is_same = column == known;
            if is_same && value.is_empty() {
                *value = further.clone();
            } else if is_same && !further.is_empty() {
                *value = format!("{value} {further}").into();
            }
            is_same
        });
        values
    }

    /// Returns the value of a record in the column of a folded name, as [`Self::values`] does; an empty one if it has none.
    pub(super) fn value<'a>(&self, record: &'a Record, name: &str) -> Cow<'a, str> {
        if self.numbers.is_empty() {
            return record.text().into();
        }
        let of = record.folded_fields().filter(|(column, _)| *column == name).map(|(_, value)| value);
        let mut said = of.filter(|value| !is_missing(value) && !value.is_empty());
        let first: Cow<'a, str> = said.next().unwrap_or_default().into();
        said.fold(first, |known, further| format!("{known} {further}").into())
    }

    /// Returns the values of a record in one text.
    pub(super) fn text(&self, record: &Record) -> String {
        let values = self.values(record);
        values.iter().map(|(_, value)| value.as_ref()).filter(|value| !value.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the folded names of the columns of records, each once, in the order of their first record.
fn names(records: &[Record]) -> Vec<String> {
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    let mut last: &[String] = &[];
    for record in records {
        // The records of a table share their columns.
        if std::ptr::eq(last, record.columns()) {
            continue;
        }
        last = record.columns();
        names.extend(last.iter().map(|name| folded(name)).filter(|name| seen.insert(name.clone())));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(names: &[&str], values: &[&str]) -> Record {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Record::new(&names.into(), values.iter().map(|value| (*value).to_owned()).collect())
    }

    #[test]
    fn columns_that_both_tables_have_are_compared() {
        let left = [record(&["Title", "pages", "Year"], &["alpha", "7", "1990"])];
        let right = [record(&["x", "year", "title ", "TITLE"], &["y", "1991", "", "z"])];
        let columns = Columns::of(Tables::Two(&left, &right));
        let values = |record| {
            columns.values(record).into_iter().map(|(column, value)| (column, value.into_owned())).collect::<Vec<_>>()
        };
        assert_eq!(values(&left[0]), [(0, "alpha".into()), (1, "1990".into())]);
        assert_eq!(values(&right[0]), [(0, "z".into()), (1, "1991".into())]);
        assert_eq!((columns.value(&right[0], "title"), columns.value(&right[0], "pages")), ("z".into(), "".into()));
        assert_eq!(
            (columns.count(), columns.text(&left[0]), columns.text(&right[0])),
            (2, "alpha 1990".into(), "z 1991".into())
        );
        assert_eq!(Columns::of(Tables::One(&left)).text(&left[0]), "alpha 7 1990");
    }

    #[test]
    fn without_a_shared_column_all_values_are_one() {
        let (left, right) = ([record(&["a", "b"], &["x", "y"])], [record(&["c"], &["x y"])]);
        let columns = Columns::of(Tables::Two(&left, &right));
        assert_eq!(columns.values(&left[0]), columns.values(&right[0]));
        assert_eq!(columns.count(), 1);
    }
}
