//! The rows of a published table, whose cells are known by the names of their columns.

use std::collections::BTreeMap;

use truename_read::{Source, Table, TableOptions};

use super::collector::Collector;
use super::table::{cell_counts, for_each_record, list_cut_header, shown};
use crate::Error;

/// A table with a header, before its rows are read.
pub(super) struct Rows {
    table: Table,
    /// Places of the columns, by their names in small letters.
    places: BTreeMap<String, usize>,
}

/// A row of a table.
pub(super) struct Row<'a> {
    pub(super) line: Option<u64>,
    places: &'a BTreeMap<String, usize>,
    cells: Vec<&'a str>,
}

impl Rows {
    /// Reads the header. Cells are in quotes where `is_quoted` is true.
    pub(super) fn open(source: Source, is_quoted: bool) -> Result<Self, Error> {
        let delimiter = header(&source.beginning_text()).contains('\t').then_some(b'\t');
        let table = Table::open(source, &TableOptions { delimiter, is_quoted, ..TableOptions::default() })?;
        let names = table.columns.iter().map(|name| name.trim().trim_start_matches('#').to_ascii_lowercase());
        let places = names.enumerate().map(|(at, name)| (name, at)).collect();
        Ok(Self { table, places })
    }

    /// Returns true if the table has a column.
    pub(super) fn has(&self, column: &str) -> bool {
        self.places.contains_key(&column.to_ascii_lowercase())
    }

    /// Refuses a table without one of the columns that every table of the format has.
    pub(super) fn require(self, format: &str, columns: &[&str], collector: &mut Collector<'_>) -> Result<Self, Error> {
        match columns.iter().find(|column| !self.has(column)) {
            Some(column) => {
                let message = format!("no column \"{column}\", which every table of {format} has");
                Err(Error::syntax(collector.path(), Some(1), message))
            }
            None => list_cut_header(&self.table, collector).map(|()| self),
        }
    }

    /// Hands each row to `visit`. Rows with more or fewer cells than the header, or that are not UTF-8, are listed.
    pub(super) fn for_each(
        self,
        collector: &mut Collector<'_>,
        mut visit: impl FnMut(&Row<'_>, &mut Collector<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Self { mut table, places } = self;
        let width = table.columns.len();
        for_each_record(&mut table, collector, |record, collector| {
            let cells: Result<Vec<&str>, _> = record.cells().map(std::str::from_utf8).collect();
            match cells {
                Err(_) => collector.not_utf8(record.line, record.content()),
                Ok(cells) if cells.len() < width || cells[width..].iter().any(|cell| !cell.is_empty()) => {
                    collector.problem(Some(record.line), &shown(record), cell_counts(cells.len(), width))
                }
                Ok(cells) => visit(&Row { line: Some(record.line), places: &places, cells }, collector),
            }
        })
    }
}

impl<'a> Row<'a> {
    /// Returns a cell, by the name of its column in small letters, without blanks around it; an empty text where the table has
    /// no such column.
    pub(super) fn cell(&self, column: &str) -> &'a str {
        self.places.get(column).map_or("", |at| self.cells[*at].trim())
    }

    /// Returns the cells of the columns whose names begin so.
    pub(super) fn cells_of(&self, prefix: &str) -> impl Iterator<Item = &'a str> {
        let columns = self.places.range(prefix.to_owned()..).take_while(move |(name, _)| name.starts_with(prefix));
        columns.map(|(_, at)| self.cells[*at].trim())
    }

    /// Returns the values of a cell that is a list.
    pub(super) fn list(&self, column: &str, separator: char) -> impl Iterator<Item = String> + use<'a> {
        values(self.cell(column), separator)
    }

    /// Returns a cell as a prefixed id, if it has a value.
    pub(super) fn curie(&self, prefix: &str, column: &str) -> Option<String> {
        let id = self.cell(column);
        (!id.is_empty()).then(|| format!("{prefix}:{id}"))
    }
}

/// Returns the values of a list that are not empty.
pub(super) fn values(list: &str, separator: char) -> impl Iterator<Item = String> {
    list.split(separator).map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
}

/// Returns the line that may be a header: the first that is not empty.
pub(super) fn header(beginning: &str) -> &str {
    beginning.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// Returns true if a header has all of some columns, whatever separates them.
pub(super) fn has_columns(header: &str, columns: &[&str]) -> bool {
    let named = |column: &&str| {
        let mut names = header.split(['\t', ',', ';', '|']);
        names.any(|name| name.trim().trim_matches('"').trim_start_matches('#').eq_ignore_ascii_case(column))
    };
    columns.iter().all(named)
}
