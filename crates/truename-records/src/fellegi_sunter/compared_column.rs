//! A column taken apart for comparison.

use std::collections::HashMap;

use super::column_type::ColumnType;
use super::column_types::is_of_births;
use super::comparison::{
    Address, Code, Company, Comparison, Coordinates, Email, NamePart, PersonName, Phone, Texts, Values,
};
use super::value_frequencies::{Term, ValueFrequencies};
use crate::date::Date;
use crate::distinct::Firsts;
use crate::number::Number;
use crate::thing_name::ThingNames;

/// Number of a text or value that says nothing.
pub(super) const MISSING: u32 = u32::MAX;
/// Weight, in records, of the standard probability of equal values beside their frequency.
const PRIOR: f64 = 10.0;

/// A column with the distinct texts of its records. Texts with one key are one value.
pub(super) struct ComparedColumn {
    /// Folded name.
    pub(super) name: String,
    pub(super) kind: ColumnType,
    /// Texts taken apart.
    texts: Box<dyn Values>,
    /// The texts as names, in columns of names of things alone.
    names: Option<ThingNames>,
    /// True for dates of birth and given names.
    may_contradict: bool,
    /// Value by text.
    values: Vec<u32>,
    /// Term by value.
    terms: Vec<u64>,
    /// Keys by value, in columns of given and family names alone.
    keys: Vec<String>,
    /// Number of distinct records by value.
    counts: Vec<u32>,
    /// Text by row.
    left: Vec<u32>,
    /// Empty for one table.
    right: Vec<u32>,
    /// Number of records that have a value.
    pub(super) filled: f64,
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

impl ComparedColumn {
    /// Takes a column apart, whose values are not counted yet. `is_only`: whether no other is compared.
    pub(super) fn of(
        (name, kind): (&str, ColumnType),
        texts: &[&str],
        (left, right): (Vec<u32>, Vec<u32>),
        is_only: bool,
    ) -> Self {
        let Apart { places, texts: apart, values, terms, keys } = apart(name, kind, texts);
        let place = |text: u32| places.get(text as usize).copied().unwrap_or(MISSING);
        let of_things = || {
            let kept = texts.iter().zip(&places).filter(|(_, place)| **place != MISSING);
            let kept: Vec<&str> = kept.map(|(text, _)| *text).collect();
            ThingNames::of(&kept, kind.is_main_name(name, is_only))
        };
        let names = kind.names_things(name).then(of_things);
        let may_contradict = is_of_births(name) || matches!(kind, ColumnType::GivenName | ColumnType::PersonName);
        Self {
            name: name.to_owned(),
            kind,
            texts: apart,
            names,
            may_contradict,
            values,
            terms,
            keys,
            counts: Vec::new(),
            left: left.into_iter().map(place).collect(),
            right: right.into_iter().map(place).collect(),
            filled: 0.0,
        }
    }

    /// Counts the values among the distinct records.
    pub(super) fn count(&mut self, firsts: &Firsts) {
        let mut counts = vec![0; self.terms.len()];
        let left = firsts.left.iter().filter_map(|row| self.left(*row));
        let right = firsts.right.iter().filter_map(|row| self.right(*row));
        left.chain(right).for_each(|value| counts[value as usize] += 1);
        self.filled = f64::from(counts.iter().sum::<u32>());
        self.counts = counts;
    }

    /// Takes the counts of values, words and n-grams from the frequencies of whole tables.
    pub(super) fn take_counts(&mut self, frequencies: &ValueFrequencies) {
        let name = &self.name;
        self.counts = self.terms.iter().map(|term| frequencies.count(*term)).collect();
        self.filled = f64::from(frequencies.count(Term::Filled.of(name)));
        let texts = frequencies.count(Term::Texts.of(name)) as usize;
        self.texts.take_counts(texts, &|gram| frequencies.count(Term::Gram(gram).of(name)));
        if let Some(names) = &mut self.names {
            names.take_counts(|word| frequencies.count(Term::Word(word).of(name)));
        }
    }

    /// Returns the terms of the texts of the rows, each of which stands for so many records, with their counts.
    pub(super) fn counted_terms(&self, records: &[u64]) -> Vec<(u64, u64)> {
        let name = &self.name;
        let rows = self.left.iter().zip(records).filter(|(text, _)| **text != MISSING);
        let of_value = |(text, count): (&u32, &u64)| (self.terms[self.values[*text as usize] as usize], *count);
        let mut terms: Vec<(u64, u64)> = rows.clone().map(of_value).collect();
        terms.push((Term::Filled.of(name), rows.map(|(_, count)| count).sum()));
        let grams = self.texts.grams();
        if !grams.is_empty() {
            terms.push((Term::Texts.of(name), self.values.len() as u64));
        }
        terms.extend(grams.into_iter().map(|(gram, count)| (Term::Gram(gram).of(name), u64::from(count))));
        let words = self.names.iter().flat_map(ThingNames::words);
        terms.extend(words.map(|word| (Term::Word(word).of(name), 1)));
        terms
    }

    /// Returns the value of a row.
    pub(super) fn left(&self, row: u32) -> Option<u32> {
        self.left_text(row).map(|text| self.values[text as usize])
    }

    /// Returns the value of a row that `right` of a pair counts.
    pub(super) fn right(&self, row: u32) -> Option<u32> {
        self.right_text(row).map(|text| self.values[text as usize])
    }

    fn left_text(&self, row: u32) -> Option<u32> {
        Some(self.left[row as usize]).filter(|text| *text != MISSING)
    }

    fn right_text(&self, row: u32) -> Option<u32> {
        let rows = if self.right.is_empty() { &self.left } else { &self.right };
        Some(rows[row as usize]).filter(|text| *text != MISSING)
    }

    /// Returns the key of a value; none but in columns of given and family names.
    pub(super) fn key(&self, value: Option<u32>) -> Option<&str> {
        self.keys.get(value? as usize).map(String::as_str)
    }

    /// Returns the term of a value.
    pub(super) fn term(&self, value: u32) -> u64 {
        self.terms[value as usize]
    }

    /// Returns the agreement of two rows; none where one has no value.
    pub(super) fn agreement(&self, left: u32, right: u32) -> Option<Agreement> {
        let (left, right) = (self.left_text(left)?, self.right_text(right)?);
        let [one, other] = [left, right].map(|text| self.values[text as usize]);
        let is_equal = one == other;
        let contradicts = !is_equal && self.contradicts(left, right);
        let level = if is_equal { self.kind.levels().len() - 1 } else { self.level(left, right, contradicts) };
        let count = self.counts[one as usize].max(self.counts[other as usize]);
        // Of unequal values the record itself has the more frequent one, too. Counts that frequencies leave out are one.
        let is_told = ValueFrequencies::tells(self.terms[one as usize], u64::from(count));
        let count = if is_equal || !is_told { count } else { count + 1 };
        Some(Agreement {
            level: level as u8,
            frequency: frequency(count, self.kind.standard_equal(), self.filled) as f32,
            contradicts,
        })
    }

    fn contradicts(&self, left: u32, right: u32) -> bool {
        match &self.names {
            Some(names) => names.differ_in_designators(left, right),
            None => self.may_contradict && self.texts.contradict(left, right),
        }
    }

    /// Returns the level of agreement of two texts; the lowest one of names of two things.
    fn level(&self, left: u32, right: u32, contradicts: bool) -> usize {
        let Some(names) = &self.names else { return self.texts.level(left, right) };
        if contradicts {
            return 0;
        }
        let level = self.texts.level(left, right);
        if level > 0 && names.differ_in_words(left, right) { 0 } else { level }
    }
}

/// Returns the probability that another of so many records has a value that `count` have, the one that is compared among them. Equal rows
/// are one record. The last of the others counts half: it may be of the same thing.
pub(super) fn frequency(count: u32, standard: f64, records: f64) -> f64 {
    (f64::from(count.max(2)) - 1.5 + PRIOR * standard) / (records + PRIOR - 1.0)
}

/// The distinct texts of a column, those that say nothing left out.
struct Apart {
    /// Place of each text among those that say something.
    places: Vec<u32>,
    texts: Box<dyn Values>,
    /// Value by text.
    values: Vec<u32>,
    /// Term by value.
    terms: Vec<u64>,
    /// Keys by value, in columns of given and family names alone.
    keys: Vec<String>,
}

/// Takes the texts of a column apart; those with one key are one value.
fn apart(name: &str, kind: ColumnType, texts: &[&str]) -> Apart {
    match kind {
        ColumnType::GivenName | ColumnType::FamilyName => compared::<NamePart>(name, kind, texts),
        ColumnType::PersonName => compared::<PersonName>(name, kind, texts),
        ColumnType::Company => compared::<Company>(name, kind, texts),
        ColumnType::Address => compared::<Address>(name, kind, texts),
        ColumnType::Phone => compared::<Phone>(name, kind, texts),
        ColumnType::Email => compared::<Email>(name, kind, texts),
        ColumnType::Date => compared::<Date>(name, kind, texts),
        ColumnType::Number => compared::<Number>(name, kind, texts),
        ColumnType::Postcode | ColumnType::Code => compared::<Code>(name, kind, texts),
        ColumnType::Coordinates => compared::<Coordinates>(name, kind, texts),
        ColumnType::Place | ColumnType::Text => {
            let keyed = |text| Some((Texts::key(text)?, text));
            apart_by(name, kind, texts, keyed, |kept: Vec<&str>| Box::new(Texts::of(&kept)))
        }
    }
}

fn compared<C: Comparison + Send + Sync + 'static>(name: &str, kind: ColumnType, texts: &[&str]) -> Apart {
    let keyed = |text: &str| C::parse(text).map(|value| (value.key(), value));
    apart_by(name, kind, texts, keyed, |values: Vec<C>| Box::new(values))
}

fn apart_by<'a, V>(
    name: &str,
    kind: ColumnType,
    texts: &[&'a str],
    keyed: impl Fn(&'a str) -> Option<(String, V)>,
    together: impl FnOnce(Vec<V>) -> Box<dyn Values>,
) -> Apart {
    let are_kept = matches!(kind, ColumnType::GivenName | ColumnType::FamilyName);
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let (mut kept, mut values, mut terms, mut keys) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let place = |text: &&'a str| {
        let Some((key, value)) = keyed(text) else { return MISSING };
        let term = Term::Value(&key).of(name);
        kept.push(value);
        values.push(*numbers.entry(term).or_insert_with(|| {
            terms.push(term);
            keys.extend(are_kept.then_some(key));
            terms.len() as u32 - 1
        }));
        values.len() as u32 - 1
    };
    let places = texts.iter().map(place).collect();
    Apart { places, texts: together(kept), values, terms, keys }
}
