//! Sections of a recipe as structs: defaults, ranges, paths and conditions of keys.

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::Range;
use crate::{Error, error};

/// Sections of a recipe as a struct; [`Default`] gives the values of keys that are not written.
pub(crate) trait Keys: Default + Serialize + DeserializeOwned {
    /// Every number with its range.
    const RANGES: &'static [(&'static str, Range)];
    /// Keys that name files and folders.
    const PATHS: &'static [&'static str] = &[];
    /// Sections whose keys are the user's.
    const OPEN: &'static [&'static str] = &[];
    /// Keys that count only beside certain values of another key.
    const CONDITIONS: &'static [Condition] = &[];

    /// Checks the values, their ranges aside.
    ///
    /// # Errors
    /// Where one makes no sense; the key is named.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Keys that count only where another key has one of some values.
pub(crate) struct Condition {
    pub keys: &'static [&'static str],
    /// The other key, whose value is a string.
    pub on: &'static str,
    pub values: &'static [&'static str],
}

impl Condition {
    /// Returns whether the keys count in a recipe with all its keys.
    pub fn holds(&self, complete: &Table) -> bool {
        find(complete, self.on).and_then(Value::as_str).is_some_and(|value| self.values.contains(&value))
    }
}

/// A row for each struct of keys, in the list of its kind of task.
pub(crate) struct Part {
    /// Returns every key with its default.
    pub defaults: fn() -> Table,
    /// Checks the types of values in a text; the error names the line.
    pub check_types: fn(&str) -> Result<(), toml::de::Error>,
    /// Returns every key, with the value that is written for it or its default.
    pub read: fn(&Table) -> Result<Table, Error>,
    pub paths: &'static [&'static str],
    pub open: &'static [&'static str],
    pub conditions: &'static [Condition],
}

impl Part {
    pub const fn of<K: Keys>() -> Self {
        Self {
            defaults: || complete(&K::default()),
            check_types: |text| toml::from_str::<K>(text).map(drop),
            read: read::<K>,
            paths: K::PATHS,
            open: K::OPEN,
            conditions: K::CONDITIONS,
        }
    }
}

fn complete<K: Keys>(keys: &K) -> Table {
    Table::try_from(keys).expect("keys that are read from TOML can be written as TOML")
}

fn read<K: Keys>(written: &Table) -> Result<Table, Error> {
    let keys: K = written.clone().try_into().map_err(error::types)?;
    let table = complete(&keys);
    for (key, range) in K::RANGES {
        match find(&table, key) {
            Some(Value::Integer(number)) if !range.contains(*number as f64) => {
                return Err(error::value(key, number, range));
            }
            Some(Value::Float(number)) if !range.contains(*number) => return Err(error::value(key, number, range)),
            _ => {}
        }
    }
    keys.check()?;
    Ok(table)
}

/// Returns the value of a key such as `schedule.epochs`.
pub(crate) fn find<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        Some((section, rest)) => find(table.get(section)?.as_table()?, rest),
        None => table.get(key),
    }
}

pub(crate) fn section_of<'a, 'b>(table: &'a mut Table, key: &'b str) -> Option<(&'a mut Table, &'b str)> {
    match key.split_once('.') {
        Some((section, rest)) => section_of(table.get_mut(section)?.as_table_mut()?, rest),
        None => Some((table, key)),
    }
}

/// Returns all keys, those of sections as `schedule.epochs`.
pub(crate) fn names(table: &Table) -> Vec<String> {
    let mut names = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(section) if !section.is_empty() => {
                names.extend(self::names(section).into_iter().map(|name| format!("{key}.{name}")));
            }
            _ => names.push(key.clone()),
        }
    }
    names
}

/// Adds the keys of `more`, section by section.
pub(crate) fn merge(table: &mut Table, more: Table) {
    for (key, value) in more {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(section)), Value::Table(more)) => merge(section, more),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}
