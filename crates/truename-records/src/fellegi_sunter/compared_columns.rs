//! The columns of tables taken apart for comparison: distinct values by number, and how many records have each.

use std::borrow::Cow;
use std::collections::HashMap;

use super::column_type::ColumnType;
use super::column_types::is_of_births;
use super::comparison::{
    Address, Code, Company, Comparison, Coordinates, Email, NamePart, PersonName, Phone, Texts, Values, are_spellings,
};
use super::name_suffix::is_suffix_column;
use crate::columns::Columns;
use crate::date::Date;
use crate::distinct::Firsts;
use crate::distinct_texts::DistinctTexts;
use crate::header::header_words;
use crate::number::Number;
use crate::thing_name::ThingNames;
use crate::{DistinctRecords, Record, RecordPair, Tables};

/// Number of a value that says nothing.
const MISSING: u32 = u32::MAX;
/// Words of the names of columns of names that persons have beside a given and a family name.
const FURTHER_NAMES: [&str; 6] = ["middle", "second", "maiden", "birth", "other", "former"];
/// Weight, in records, of the standard probability of equal values beside their frequency.
const PRIOR: f64 = 10.0;

/// The columns that two records are compared by.
pub(super) struct ComparedColumns {
    pub(super) columns: Vec<ComparedColumn>,
    /// The columns of given and of family names, where there is one each.
    names: Option<FullNames>,
    /// Rows of the distinct records: equal rows are one.
    pub(super) firsts: Firsts,
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

/// A column with the distinct values of its records.
pub(super) struct ComparedColumn {
    /// Folded name.
    pub(super) name: String,
    pub(super) kind: ColumnType,
    values: Box<dyn Values>,
    /// The values as names, in columns of names of things alone.
    names: Option<ThingNames>,
    /// True for dates of birth and given names.
    may_contradict: bool,
    /// Keys by value, in columns of given and family names alone.
    keys: Vec<String>,
    /// Number of distinct records by value.
    counts: Vec<u32>,
    /// Value by row.
    left: Vec<u32>,
    /// Empty for one table.
    right: Vec<u32>,
    /// Number of records that have a value.
    filled: f64,
}

/// Agreement of two values of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Agreement {
    pub(super) level: u8,
    /// Probability that another record has the value, or of two values the more frequent one.
    pub(super) frequency: f32,
    /// True if the values tell two things apart: `Galaxy S21` and `Galaxy S22`, or two dates of birth.
    pub(super) contradicts: bool,
}

impl Agreement {
    /// Returns true for equal values of a type.
    pub(super) fn is_equal(self, kind: ColumnType) -> bool {
        usize::from(self.level) + 1 == kind.levels().len()
    }
}

impl ComparedColumns {
    /// Takes the columns apart that the tables share and `kind` gives a type.
    pub(super) fn of(tables: Tables<'_>, kind: impl Fn(&str) -> Option<ColumnType>) -> Self {
        let (shared, firsts) = (Columns::of(tables), DistinctRecords::of(tables).firsts());
        let mut texts: Vec<DistinctTexts<'_>> = (0..shared.count()).map(|_| DistinctTexts::default()).collect();
        let suffix = Suffix::of(&shared.names(), &kind);
        let mut numbered = |records| numbered_rows(records, &shared, suffix, &mut texts);
        let left = numbered(tables.left());
        let right = match tables {
            Tables::One(_) => vec![Vec::new(); shared.count()],
            Tables::Two(_, right) => numbered(right),
        };
        let rows = left.into_iter().zip(right);
        let is_compared = |at: usize| suffix.is_none_or(|suffix| suffix.column as usize != at);
        let columns = shared.names().into_iter().zip(texts).zip(rows).enumerate().filter(|(at, _)| is_compared(*at));
        let columns = columns.filter_map(|(_, ((name, texts), rows))| {
            Some(ComparedColumn::of((name, kind(name)?), &texts.in_order(), rows, &firsts, shared.count() == 1))
        });
        let columns: Vec<ComparedColumn> = columns.collect();
        let names = FullNames::of(&columns, &firsts);
        Self { columns, names, firsts }
    }

    /// Returns the agreement of the records of a pair in each column; none where a value is missing.
    pub(super) fn agreements(&self, pair: RecordPair) -> Vec<Option<Agreement>> {
        let of = |column: &ComparedColumn| column.agreement(column.left(pair.left)?, column.right(pair.right)?);
        let mut found: Vec<Option<Agreement>> = self.columns.iter().map(of).collect();
        if let Some(names) = &self.names {
            self.swap(pair, (names.given, names.family), &mut found);
            self.join(pair, names, &mut found);
        }
        found
    }

    /// Returns the number of distinct records.
    pub(super) fn records(&self) -> f64 {
        (self.firsts.left.len() + self.firsts.right.len()) as f64
    }

    /// Returns the number of pairs of distinct records.
    pub(super) fn pairs(&self, tables: Tables<'_>) -> f64 {
        let (left, right) = (self.firsts.left.len() as f64, self.firsts.right.len() as f64);
        match tables {
            Tables::One(_) => left * (left - 1.0).max(0.0) / 2.0,
            Tables::Two(..) => left * right,
        }
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
}

impl ComparedColumns {
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
    /// Counts the full names of distinct records; none unless there is one column of either kind, those of further names aside.
    fn of(columns: &[ComparedColumn], firsts: &Firsts) -> Option<Self> {
        let only = |kind| {
            let is_main = |at: &usize| {
                let words = header_words(&columns[*at].name);
                columns[*at].kind == kind && !words.iter().any(|word| FURTHER_NAMES.contains(&word.as_str()))
            };
            let mut places = (0..columns.len()).filter(is_main);
            places.next().filter(|_| places.next().is_none())
        };
        let (given, family) = only(ColumnType::GivenName).zip(only(ColumnType::FamilyName))?;
        let (first, last) = (&columns[given], &columns[family]);
        let left = firsts.left.iter().filter_map(|row| first.left(*row).zip(last.left(*row)));
        let right = firsts.right.iter().filter_map(|row| first.right(*row).zip(last.right(*row)));
        let mut counts: HashMap<(u32, u32), u32> = HashMap::new();
        left.chain(right).for_each(|name| *counts.entry(name).or_default() += 1);
        Some(Self { given, family, counts })
    }
}

impl ComparedColumn {
    /// Takes a column apart. `is_only`: whether the tables share no other.
    fn of(
        (name, kind): (&str, ColumnType),
        texts: &[&str],
        (left, right): (Vec<u32>, Vec<u32>),
        firsts: &Firsts,
        is_only: bool,
    ) -> Self {
        let Apart { numbers, values, keys } = apart(kind, texts);
        let number = |text: u32| numbers.get(text as usize).copied().unwrap_or(MISSING);
        let left: Vec<u32> = left.into_iter().map(number).collect();
        let right: Vec<u32> = right.into_iter().map(number).collect();
        let mut counts = vec![0; numbers.len()];
        let of_rows =
            |rows: &'_ [u32], values: &[u32]| rows.iter().map(|row| values[*row as usize]).collect::<Vec<_>>();
        for value in of_rows(&firsts.left, &left).into_iter().chain(of_rows(&firsts.right, &right)) {
            if value != MISSING {
                counts[value as usize] += 1;
            }
        }
        let filled = f64::from(counts.iter().sum::<u32>());
        let of_things =
            || ThingNames::of(&first_texts(texts, &numbers, counts.len()), kind.is_main_name(name, is_only));
        let names = kind.names_things(name).then(of_things);
        let may_contradict = is_of_births(name) || matches!(kind, ColumnType::GivenName | ColumnType::PersonName);
        Self { name: name.to_owned(), kind, values, names, may_contradict, keys, counts, left, right, filled }
    }

    pub(super) fn left(&self, row: u32) -> Option<u32> {
        Some(self.left[row as usize]).filter(|value| *value != MISSING)
    }

    pub(super) fn right(&self, row: u32) -> Option<u32> {
        let rows = if self.right.is_empty() { &self.left } else { &self.right };
        Some(rows[row as usize]).filter(|value| *value != MISSING)
    }

    fn key(&self, value: Option<u32>) -> Option<&str> {
        self.keys.get(value? as usize).map(String::as_str)
    }

    fn agreement(&self, left: u32, right: u32) -> Option<Agreement> {
        let is_equal = left == right;
        let contradicts = !is_equal && self.contradicts(left, right);
        let level = if is_equal { self.kind.levels().len() - 1 } else { self.level(left, right, contradicts) };
        let count = self.counts[left as usize].max(self.counts[right as usize]);
        // The record itself has the value too.
        let count = if is_equal { count } else { count + 1 };
        Some(Agreement {
            level: level as u8,
            frequency: frequency(count, self.kind.standard_equal(), self.filled) as f32,
            contradicts,
        })
    }

    fn contradicts(&self, left: u32, right: u32) -> bool {
        match &self.names {
            Some(names) => names.differ_in_designators(left, right),
            None => self.may_contradict && self.values.contradict(left, right),
        }
    }

    /// Returns the level of agreement of two values; the lowest one of names of two things.
    fn level(&self, left: u32, right: u32, contradicts: bool) -> usize {
        let Some(names) = &self.names else { return self.values.level(left, right) };
        if contradicts {
            return 0;
        }
        let level = self.values.level(left, right);
        if level > 0 && names.differ_in_words(left, right) { 0 } else { level }
    }
}

/// Returns the probability that another of so many records has a value that `count` have, the one that is compared among them. Equal rows
/// are one record. The last of the others counts half: it may be of the same thing.
fn frequency(count: u32, standard: f64, records: f64) -> f64 {
    (f64::from(count.max(2)) - 1.5 + PRIOR * standard) / (records + PRIOR - 1.0)
}

/// The values of the distinct texts of a column.
struct Apart {
    /// Value by text.
    numbers: Vec<u32>,
    values: Box<dyn Values>,
    keys: Vec<String>,
}

/// Returns the first text of each of `count` values.
fn first_texts<'a>(texts: &[&'a str], numbers: &[u32], count: usize) -> Vec<&'a str> {
    let mut firsts = vec![""; count];
    for (text, number) in texts.iter().zip(numbers).rev().filter(|(_, number)| **number != MISSING) {
        firsts[*number as usize] = text;
    }
    firsts
}

/// Takes texts apart; those with one key are one value.
fn apart(kind: ColumnType, texts: &[&str]) -> Apart {
    let mut apart = match kind {
        ColumnType::GivenName | ColumnType::FamilyName => return compared::<NamePart>(texts),
        ColumnType::PersonName => compared::<PersonName>(texts),
        ColumnType::Company => compared::<Company>(texts),
        ColumnType::Address => compared::<Address>(texts),
        ColumnType::Phone => compared::<Phone>(texts),
        ColumnType::Email => compared::<Email>(texts),
        ColumnType::Date => compared::<Date>(texts),
        ColumnType::Number => compared::<Number>(texts),
        ColumnType::Postcode | ColumnType::Code => compared::<Code>(texts),
        ColumnType::Coordinates => compared::<Coordinates>(texts),
        ColumnType::Place | ColumnType::Text => {
            let mut kept = Vec::new();
            let (numbers, keys) = numbered(texts, |text| Some((Texts::key(text)?, text)), &mut kept);
            Apart { numbers, values: Box::new(Texts::of(&kept)), keys }
        }
    };
    apart.keys = Vec::new();
    apart
}

fn compared<C: Comparison + Send + Sync + 'static>(texts: &[&str]) -> Apart {
    let mut values: Vec<C> = Vec::new();
    let keyed = |text: &str| C::parse(text).map(|value| (value.key(), value));
    let (numbers, keys) = numbered(texts, keyed, &mut values);
    Apart { numbers, values: Box::new(values), keys }
}

/// Returns the number of the value of each text and the keys of the values, which it collects: the first one with each key.
fn numbered<'a, V>(
    texts: &[&'a str],
    keyed: impl Fn(&'a str) -> Option<(String, V)>,
    values: &mut Vec<V>,
) -> (Vec<u32>, Vec<String>) {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut keys = Vec::new();
    let mut number = |text: &&'a str| {
        let Some((key, value)) = keyed(text) else { return MISSING };
        *numbers.entry(key).or_insert_with_key(|key| {
            keys.push(key.clone());
            values.push(value);
            keys.len() as u32 - 1
        })
    };
    (texts.iter().map(&mut number).collect(), keys)
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
