//! Counts of the values of tables, column by column.

use std::borrow::Cow;

use rayon::prelude::*;
use truename_text::stable_hash;

use super::column_type::ColumnType;
use super::compared_columns::full_name_columns;
use super::numbered_columns::ColumnTexts;
use super::value_frequencies::{ValueFrequencies, add_up};
use super::value_terms::{full_name_text, value_terms};
use crate::distinct::Firsts;
use crate::{Record, Tables};

/// Distinct texts that are taken apart together.
const TEXTS: usize = 8192;
/// Terms that are added up first; later ones when they are twice as many as were left.
const TERMS: usize = 1 << 22;

/// A column whose values are counted: one that is compared, or that of full names.
#[derive(Clone, Copy)]
enum Counted {
    Column(usize),
    /// By the columns of given and of family names.
    FullNames(usize, usize),
}

/// Counts the values of the distinct records of tables. One column after the other is counted, by the hashes of its texts, so that the
/// memory is some forty bytes a row.
pub(super) fn value_frequencies(tables: Tables<'_>, firsts: &Firsts, texts: &ColumnTexts) -> ValueFrequencies {
    let columns: Vec<(&str, ColumnType)> =
        texts.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
    let counting = Counting { tables, firsts, texts, columns: &columns };
    let names = full_name_columns(&columns).map(|(given, family)| Counted::FullNames(given, family));
    let counted = (0..columns.len()).map(Counted::Column).chain(names);
    ValueFrequencies::of_sizes(firsts.sizes(tables), counted.flat_map(|of| counting.terms(of)).collect())
}

/// The values to count.
struct Counting<'a> {
    tables: Tables<'a>,
    firsts: &'a Firsts,
    texts: &'a ColumnTexts,
    columns: &'a [(&'a str, ColumnType)],
}

impl Counting<'_> {
    /// Returns the terms of a column whose counts are kept.
    fn terms(&self, of: Counted) -> Vec<(u64, u64)> {
        let (is_two, firsts) = (matches!(self.tables, Tables::Two(..)), self.firsts);
        let hashed = |records: &'_ [Record], rows: &[u32], is_right: bool| {
            let hash = |row: &u32| Some((stable_hash(&self.text(&records[*row as usize], of)?), *row, is_right));
            rows.par_iter().filter_map(hash).collect::<Vec<_>>()
        };
        let mut hashes = hashed(self.tables.left(), &firsts.left, false);
        if is_two {
            hashes.extend(hashed(self.tables.right(), &firsts.right, true));
        }
        hashes.par_sort_unstable();
        let mut equal = hashes.chunk_by(|one, other| one.0 == other.0);
        let column = if let Counted::Column(at) = of { at } else { self.columns.len() };
        let (mut terms, mut most) = (Vec::new(), TERMS);
        loop {
            let piece: Vec<&[(u64, u32, bool)]> = equal.by_ref().take(TEXTS * rayon::current_num_threads()).collect();
            if piece.is_empty() {
                break;
            }
            let counted = |equal: &&[(u64, u32, bool)]| {
                let (_, row, is_right) = equal[0];
                let records = if is_right { self.tables.right() } else { self.tables.left() };
                Some((self.text(&records[row as usize], of)?, equal.len() as u64))
            };
            let of_texts = |piece: &[&[(u64, u32, bool)]]| {
                let texts: Vec<(Cow<'_, str>, u64)> = piece.iter().filter_map(counted).collect();
                let texts: Vec<(&str, u64)> = texts.iter().map(|(text, records)| (&**text, *records)).collect();
                value_terms(self.columns, column, &texts)
            };
            terms.par_extend(piece.par_chunks(TEXTS).flat_map_iter(of_texts));
            if terms.len() > most {
                add_up(&mut terms);
                most = TERMS.max(2 * terms.len());
            }
        }
        add_up(&mut terms);
        terms.retain(|(term, count)| ValueFrequencies::tells(*term, *count));
        terms
    }

    /// Returns the text of a record that is counted.
    fn text<'r>(&self, record: &'r Record, of: Counted) -> Option<Cow<'r, str>> {
        match of {
            Counted::Column(at) => self.texts.text(record, at),
            Counted::FullNames(given, family) => {
                let (given, family) = (self.texts.text(record, given)?, self.texts.text(record, family)?);
                Some(full_name_text(&given, &family).into())
            }
        }
    }
}
