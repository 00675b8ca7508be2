//! Counts of the values of tables, column by column.

use std::borrow::Cow;

use rayon::prelude::*;
use truename_text::stable_hash;

use super::column_type::ColumnType;
use super::numbered_columns::ColumnTexts;
use super::value_frequencies::{ValueFrequencies, add_up};
use super::value_terms::value_terms;
use crate::distinct::Firsts;
use crate::{Record, Tables};

/// Distinct texts that are taken apart together.
const TEXTS: usize = 8192;
/// Terms that are added up first; later ones when they are twice as many as were left.
const TERMS: usize = 1 << 22;

/// Counts the values of the distinct records of tables. One column after the other is counted, by the hashes of its texts, so that the
/// memory is some forty bytes a row.
pub(super) fn value_frequencies(tables: Tables<'_>, firsts: &Firsts, texts: &ColumnTexts) -> ValueFrequencies {
    let counting = Counting { tables, firsts, texts, columns: &texts.kinds() };
    let counts = (0..texts.count()).flat_map(|column| counting.terms(column)).collect();
    ValueFrequencies::of_sizes(firsts.sizes(tables), counts)
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
    fn terms(&self, column: usize) -> Vec<(u64, u64)> {
        let (is_two, firsts) = (matches!(self.tables, Tables::Two(..)), self.firsts);
        let hashed = |records: &'_ [Record], rows: &[u32], is_right: bool| {
            let hash =
                |row: &u32| Some((stable_hash(&self.texts.text(&records[*row as usize], column)?), *row, is_right));
            rows.par_iter().filter_map(hash).collect::<Vec<_>>()
        };
        let mut hashes = hashed(self.tables.left(), &firsts.left, false);
        if is_two {
            hashes.extend(hashed(self.tables.right(), &firsts.right, true));
        }
        hashes.par_sort_unstable();
        let mut equal = hashes.chunk_by(|one, other| one.0 == other.0);
        let (mut terms, mut most) = (Vec::new(), TERMS);
        loop {
            let piece: Vec<&[(u64, u32, bool)]> = equal.by_ref().take(TEXTS * rayon::current_num_threads()).collect();
            if piece.is_empty() {
                break;
            }
            let counted = |equal: &&[(u64, u32, bool)]| {
                let (_, row, is_right) = equal[0];
                let records = if is_right { self.tables.right() } else { self.tables.left() };
                Some((self.texts.text(&records[row as usize], column)?, equal.len() as u64))
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
}
