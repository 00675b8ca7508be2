//! Columns that number rows.

use std::collections::{HashMap, HashSet};

use truename_read::folded;
use truename_text::NormalizedName;

use super::header::header_words;
use super::{DistinctRecords, Record, Tables};

/// Least share of the distinct records whose values differ, in a column that is an identifier.
const DIFFERENT: f64 = 0.99;
/// Fewest records by which the values alone show that a column numbers them; years of few records are close together too.
const RUNNING: usize = 20;
/// Most pairs of equal values by which a key of two tables is told from numbers that happen to be equal.
const COMPARED: usize = 1000;
/// Least difference between the mean word overlap (Jaccard) of records that have one value of a shared key and that of others.
const ALIKE: f64 = 0.2;
/// Last words of the names of identifiers.
const LAST_WORDS: [&str; 5] = ["id", "ids", "identifier", "uuid", "guid"];
/// Whole names of identifiers.
const NAMES: [&str; 12] =
    ["", "#", "key", "pk", "no", "nr", "number", "row", "row no", "row number", "rownum", "index"];

/// Returns the names of the columns that identify rows, in lower case: almost all their values differ, and they have the name of an
/// identifier (`id`, `customer_id`, `row`), are UUIDs or are numbered (`1`, `2`, … or `P-001`, `P-002`, …). Such a column says
/// nothing about which records stand for the same thing.
///
/// A column that two tables share is one only if it identifies the rows of both and is no key of both: records with the same value
/// are then no more alike than others.
pub fn identifier_columns(tables: Tables<'_>) -> Vec<String> {
    let distinct = DistinctRecords::of(tables).firsts();
    let left = Table::of(tables.left(), &distinct.left);
    let Tables::Two(_, right) = tables else { return left.identifiers() };
    let right = Table::of(right, &distinct.right);
    let (of_left, of_right) = (left.identifiers(), right.identifiers());
    let is_one = |name: &String, own: &[String], other: &Table<'_>| own.contains(name) || !other.has(name);
    let mut both: Vec<String> = of_left.iter().filter(|name| is_one(name, &of_right, &right)).cloned().collect();
    both.extend(of_right.iter().filter(|name| !left.has(name)).cloned());
    let all = both.clone();
    both.retain(|name| !is_shared_key(name, &all, &left, &right));
    both
}

/// The distinct records of a table.
struct Table<'a> {
    columns: Vec<String>,
    records: Vec<&'a Record>,
}

impl<'a> Table<'a> {
    fn of(records: &'a [Record], rows: &[u32]) -> Self {
        let records: Vec<&Record> = rows.iter().map(|row| &records[*row as usize]).collect();
        let columns = records.first().map_or(&[][..], |record| record.columns());
        // Rows of a table share their columns; other records have no column in common by its place.
        let columns = if records.iter().all(|record| record.columns() == columns) { columns } else { &[] };
        Self { columns: columns.iter().map(|name| folded(name)).collect(), records }
    }

    /// Returns true if a record has a value of a column.
    fn has(&self, name: &String) -> bool {
        self.values_of(name).next().is_some()
    }

    fn identifiers(&self) -> Vec<String> {
        let places = (0..self.columns.len()).filter(|place| self.is_identifier(*place));
        places.map(|place| self.columns[place].clone()).collect()
    }

    fn is_identifier(&self, place: usize) -> bool {
        let different: HashSet<&str> = self.values(place).map(|(value, _)| value).collect();
        let enough = DIFFERENT * self.records.len() as f64;
        self.records.len() > 1
            && different.len() as f64 >= enough
            && different.iter().all(|value| is_code(value))
            && (is_name_of_identifier(&self.records[0].columns()[place])
                || different.iter().all(|value| is_uuid(value))
                || different.len() >= RUNNING && are_numbered(&different))
    }

    /// Returns the values of a column that are not empty, with their records.
    fn values(&self, place: usize) -> impl Iterator<Item = (&'a str, &'a Record)> {
        let value = move |record: &&'a Record| record.fields().nth(place).map(|(_, value)| (value.trim(), *record));
        self.records.iter().filter_map(value).filter(|(value, _)| !value.is_empty())
    }

    fn values_of(&self, name: &String) -> impl Iterator<Item = (&'a str, &'a Record)> {
        self.columns.iter().position(|column| column == name).into_iter().flat_map(|place| self.values(place))
    }
}

/// Returns whether records of two tables that have the same value in a column are more alike than others.
fn is_shared_key(name: &String, identifiers: &[String], left: &Table<'_>, right: &Table<'_>) -> bool {
    let words = |record: &Record| -> HashSet<String> {
        let others = record.fields().filter(|(column, _)| !identifiers.contains(&folded(column)));
        others
            .flat_map(|(_, value)| NormalizedName::new(value).tokens().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    };
    let of_right: HashMap<&str, &Record> = right.values_of(name).collect();
    let both = left.values_of(name).filter_map(|(value, record)| Some((words(record), words(of_right.get(value)?))));
    let both: Vec<(HashSet<String>, HashSet<String>)> = both.take(COMPARED).collect();
    let overlap = |distance: usize| {
        let right = both.iter().map(|(_, right)| right).cycle().skip(distance);
        both.iter().zip(right).map(|((left, _), right)| jaccard(left, right)).sum::<f64>() / both.len() as f64
    };
    let of_others = if both.len() > 1 { overlap(1) } else { 0.0 };
    !both.is_empty() && overlap(0) - of_others >= ALIKE
}

fn jaccard(left: &HashSet<String>, right: &HashSet<String>) -> f64 {
    let shared = left.intersection(right).count();
    shared as f64 / (left.len() + right.len() - shared).max(1) as f64
}

/// Returns whether a column is called an identifier: `ID`, `customer_id`, `customerId`, `row`.
fn is_name_of_identifier(name: &str) -> bool {
    let words = header_words(name);
    words.last().is_some_and(|word| LAST_WORDS.contains(&word.as_str())) || NAMES.contains(&words.join(" ").as_str())
}

/// Returns whether a value is one word and no address, as values of identifiers are.
fn is_code(value: &str) -> bool {
    !value.contains(|letter: char| letter.is_whitespace() || matches!(letter, '@' | '/'))
}

fn is_uuid(value: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = value.trim_matches(['{', '}']).split('-').collect();
    parts.len() == lengths.len()
        && parts
            .iter()
            .zip(lengths)
            .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns whether values are numbers behind one prefix, at least half of those between the least and the greatest.
fn are_numbered(values: &HashSet<&str>) -> bool {
    let parts = |value: &&'_ str| {
        let prefix = value.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        Some((value[..prefix].to_owned(), value[prefix..].parse::<u64>().ok()?))
    };
    let Some(numbers) = values.iter().map(parts).collect::<Option<Vec<_>>>() else { return false };
    let is_one_prefix = numbers.iter().all(|(prefix, _)| *prefix == numbers[0].0);
    let (least, greatest) = numbers
        .iter()
        .fold((u64::MAX, 0), |(least, greatest), (_, number)| (least.min(*number), greatest.max(*number)));
    is_one_prefix && greatest - least < 2 * values.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Vec<Record> {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>().into();
        rows.map(|values| Record::new(&columns, values)).collect()
    }

    fn identifiers(name: &str, value: impl Fn(usize) -> String) -> Vec<String> {
        let rows = table(&[name, "title"], (0..40).map(|row| vec![value(row), format!("title {}", row / 2)]));
        identifier_columns(Tables::One(&rows))
    }

    #[test]
    fn columns_that_number_rows_are_identifiers() {
        let none: [&str; 0] = [];
        assert_eq!(identifiers("Customer_ID", |row| format!("x{}", row * row)), ["customer_id"]);
        assert_eq!(identifiers("customerId", |row| (row * 977).to_string()), ["customerid"]);
        assert_eq!(identifiers("lfd. Nr.", |row| (1000 + row).to_string()), ["lfd. nr."]);
        assert_eq!(identifiers("code", |row| format!("P-{row:04}")), ["code"]);
        assert_eq!(identifiers("ref", |row| format!("{row:08x}-0000-4000-8000-00000000000a")), ["ref"]);
        // Values that repeat, that say something, or that only differ.
        assert_eq!(identifiers("id", |row| (row / 3).to_string()), none);
        assert_eq!(identifiers("email id", |row| format!("a{row}@b.org")), none);
        assert_eq!(identifiers("price", |row| (row * row * 7).to_string()), none);
        assert_eq!(identifiers("paid", |row| (row * row * 7).to_string()), none);
        assert_eq!(identifiers("id", |row| format!("name of {row}")), none);
    }

    #[test]
    fn few_years_are_no_numbers_of_rows_and_equal_rows_count_once() {
        let years = table(&["title", "year"], (0..5).map(|row| vec!["t".into(), (1990 + row).to_string()]));
        assert!(identifier_columns(Tables::One(&years)).is_empty());
        let twice =
            table(&["id", "title"], (0..40).map(|row| vec![(row / 2).to_string(), format!("title {}", row / 2)]));
        assert_eq!(identifier_columns(Tables::One(&twice)), ["id"]);
        assert!(identifier_columns(Tables::One(&twice[..1])).is_empty());
        assert!(identifier_columns(Tables::One(&[])).is_empty());
    }

    #[test]
    fn a_key_of_two_tables_is_compared_and_numbers_of_their_rows_are_not() {
        let row = |id: usize, thing: usize| vec![id.to_string(), format!("thing{thing} of maker{thing}")];
        let left = table(&["id", "title"], (0..40).map(|number| row(number, number)));
        let same = table(&["ID", "title"], (10..50).map(|number| row(number, number)));
        let other = table(&["ID", "title"], (10..50).map(|number| row(number, 79 - number)));
        assert!(identifier_columns(Tables::Two(&left, &same)).is_empty());
        assert_eq!(identifier_columns(Tables::Two(&left, &other)), ["id"]);
        // One that a single table has identifies its rows.
        let named = table(&["sku", "title"], (0..40).map(|number| row(number, number)));
        assert_eq!(identifier_columns(Tables::Two(&left, &named)), ["id", "sku"]);
    }
}
