//! The types of the columns of tables.

use super::column_type::ColumnType;
use crate::Tables;
use crate::columns::Columns;
use crate::header::header_words;

/// Most values of a column that are looked at.
const LOOKED_AT: usize = 1000;
/// Words of the names of columns of dates of birth.
const BIRTH: &[&str] = &[
    "born",
    "birth",
    "birthday",
    "birthdate",
    "dob",
    "geboren",
    "geburtsdatum",
    "geburtstag",
    "naissance",
    "nacimiento",
    "nascita",
];
/// Words of the names of further columns that tables of persons have.
const OF_PERSONS: &[&str] =
    &["gender", "sex", "age", "ssn", "geschlecht", "nationality", "salutation", "anrede", "sexe"];

/// The types of the columns that tables share, by folded name, in the order of the columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnTypes(Vec<(String, ColumnType)>);

impl ColumnTypes {
    /// Finds the type of each column by its name and values.
    pub fn of(tables: Tables<'_>) -> Self {
        let columns = Columns::of(tables);
        let values = values(tables, &columns);
        let named: Vec<(&str, Vec<&str>)> = columns
            .names()
            .into_iter()
            .zip(values.iter().map(|values| values.iter().map(String::as_str).collect()))
            .collect();
        let alone = |(name, values): &(&str, Vec<&str>)| ColumnType::of(name, values, false);
        let is_beside_persons = named.iter().any(|column| {
            alone(column) == ColumnType::Email
                || is_of_births(column.0)
                || header_words(column.0).iter().any(|word| OF_PERSONS.contains(&word.as_str()))
        });
        let kind =
            |(name, values): &(&str, Vec<&str>)| ((*name).to_owned(), ColumnType::of(name, values, is_beside_persons));
        Self(named.iter().map(kind).collect())
    }

    /// Replaces the types of columns, by folded name.
    #[must_use]
    pub fn with(mut self, given: &[(String, ColumnType)]) -> Self {
        for (name, kind) in &mut self.0 {
            *kind = given.iter().rfind(|(given, _)| given == name).map_or(*kind, |(_, kind)| *kind);
        }
        self
    }

    /// Returns the type of a column by its folded name.
    pub fn get(&self, name: &str) -> Option<ColumnType> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind)
    }

    /// Returns the columns with their types, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, ColumnType)> {
        self.0.iter().map(|(name, kind)| (name.as_str(), *kind))
    }
}

/// Returns true for the name of a column of dates of birth.
pub(super) fn is_of_births(name: &str) -> bool {
    header_words(name).iter().any(|word| BIRTH.contains(&word.as_str()))
}

/// Returns values of each column that are not missing.
fn values(tables: Tables<'_>, columns: &Columns) -> Vec<Vec<String>> {
    let mut values: Vec<Vec<String>> = vec![Vec::new(); columns.count()];
    for record in tables.all() {
        for (column, value) in columns.values(record) {
            let values = &mut values[column as usize];
            if values.len() < LOOKED_AT && !value.trim().is_empty() {
                values.push(value.trim().to_owned());
            }
        }
        if values.iter().all(|values| values.len() == LOOKED_AT) {
            break;
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    fn of(columns: &[&str], rows: &[&[&str]]) -> Vec<ColumnType> {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        let rows: Vec<Record> = rows
            .iter()
            .map(|row| Record::new(&columns, row.iter().map(|value| (*value).to_owned()).collect()))
            .collect();
        ColumnTypes::of(Tables::One(&rows)).iter().map(|(_, kind)| kind).collect()
    }

    #[test]
    fn other_columns_tell_persons_from_restaurants() {
        use ColumnType as T;
        let restaurants: &[&[&str]] = &[&["Golden Dragon", "12 Elm Street"], &["Cafe Luna", "3 Hill Road"]];
        assert_eq!(of(&["name", "address"], restaurants), [T::Text, T::Address]);
        let persons: &[&[&str]] = &[&["Kire Natula", "kire@example.org"], &["Gabu Tilemo", "g@example.org"]];
        assert_eq!(of(&["name", "e-mail"], persons), [T::PersonName, T::Email]);
        let persons: &[&[&str]] = &[&["Kire Natula", "f"], &["Gabu Tilemo", "m"]];
        assert_eq!(of(&["name", "gender"], persons)[0], T::PersonName);
    }

    #[test]
    fn given_types_take_the_place_of_found_ones() {
        let columns = ["name".to_owned(), "city".to_owned()].into();
        let rows = [Record::new(&columns, vec!["John Sample".into(), "Ulm".into()])];
        let types = ColumnTypes::of(Tables::One(&rows)).with(&[("name".into(), ColumnType::Text)]);
        assert_eq!((types.get("name"), types.get("city")), (Some(ColumnType::Text), Some(ColumnType::Place)));
    }
}
