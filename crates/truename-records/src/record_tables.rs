//! Tables of values, and the columns of them that are compared.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;
use truename_error::{ErrorKind, HintPart, hint};
use truename_read::{column, folded, quoted};
use truename_text::stable_hash;

use super::columns::Columns;
use super::record::RecordSource;
use super::{Cells, ColumnType, Record, Tables, identifier_columns};
use crate::Error;

/// The columns to compare. Columns are named in capitals or not, or by their numbers from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnChoice {
    /// Columns that are compared; all that do not identify rows if it is empty.
    pub columns: Vec<String>,
    /// Column with the ids of the rows, which is not compared.
    pub id_column: Option<String>,
    /// Columns that are compared although their values identify rows, as a key that both tables share.
    pub compare: Vec<String>,
    /// Types of columns, in place of those found by their names and values.
    pub types: Vec<(String, ColumnType)>,
}

/// One table or two, with the records to compare.
#[derive(Clone, Debug)]
pub struct RecordTables {
    /// The first table.
    pub left: RecordTable,
    /// The second table.
    pub right: Option<RecordTable>,
    /// Columns that identify rows and are not compared.
    pub identifiers: Vec<String>,
    /// Types given to columns, by folded name.
    pub types: Vec<(String, ColumnType)>,
}

/// A table with a record for each row.
#[derive(Clone, Debug)]
pub struct RecordTable {
    /// Name of the table in messages.
    pub name: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Places of the columns among the cells of a row.
    pub(super) places: Vec<usize>,
    cells: Arc<Cells>,
    /// Numbers of the columns that are compared.
    compared: Vec<usize>,
    records: Vec<Record>,
    /// Place of the ids among the cells of a row, where a column has them.
    ids: Option<usize>,
    /// Tables whose rows these are, where they are those of several.
    pub(super) parts: Option<Parts>,
}

/// The tables whose rows a table has.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// Name of each table.
    pub(super) names: Vec<String>,
    /// Number of the table of each row.
    pub(super) rows: Vec<u32>,
}

impl RecordTable {
    /// Creates a table. A row with fewer values than there are columns is filled up.
    ///
    /// # Panics
    /// If a row has more values.
    pub fn new(
        name: impl Into<String>,
        columns: Vec<String>,
        rows: impl IntoIterator<Item = impl IntoIterator<Item = impl AsRef<str>>>,
    ) -> Self {
        Self::of_cells(name, columns, rows.into_iter().collect())
    }

    /// Creates a table of cells as [`Self::new`] does.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn of_cells(name: impl Into<String>, columns: Vec<String>, cells: Cells) -> Self {
        assert!(cells.width() <= columns.len(), "a row of {} values and {} columns", cells.width(), columns.len());
        Self {
            name: name.into(),
            places: (0..columns.len()).collect(),
            columns,
            cells: Arc::new(cells),
            compared: Vec::new(),
            records: Vec::new(),
            ids: None,
            parts: None,
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.cells.rows()
    }

    /// Returns the values of a row, one a column.
    ///
    /// # Panics
    /// If the table has no such row.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = &str> {
        self.places.iter().map(move |place| self.cells.cell(row, *place))
    }

    /// Returns the values of a column.
    pub(super) fn column(&self, at: usize) -> impl Iterator<Item = &str> {
        let place = self.places[at];
        (0..self.rows()).map(move |row| self.cells.cell(row, place))
    }

    fn choose(&mut self, choice: &ColumnChoice) -> Result<(), Error> {
        let id = match &choice.id_column {
            Some(wanted) => Some(column(&self.columns, wanted).map_err(|error| error.advised("id_column"))?),
            None => None,
        };
        if let Some(at) = id {
            self.check_ids(at)?;
            self.ids = Some(self.places[at]);
        }
        let mut places = choice.columns.iter().map(|wanted| column(&self.columns, wanted));
        let mut places: Vec<usize> =
            places.by_ref().collect::<Result<_, _>>().map_err(|error| error.advised("column"))?;
        places.sort_unstable();
        places.dedup();
        if choice.columns.is_empty() {
            places = (0..self.columns.len()).filter(|at| Some(*at) != id).collect();
        }
        if places.is_empty() {
            let message = format!("{} has no column beside that of the ids", self.name);
            return Err(Error::new(ErrorKind::NoColumn, message).with_hint("records are compared by another column"));
        }
        self.compare(places);
        Ok(())
    }

    /// Refuses a column in which an id is empty or stands twice.
    fn check_ids(&self, at: usize) -> Result<(), Error> {
        let refused = |reason: String| Error::new(ErrorKind::Syntax, format!("{}: {reason}", self.name));
        let part = |row: usize| self.parts.as_ref().map_or(0, |parts| parts.rows[row]);
        // Rows with the hashes of their ids.
        let mut hashes: Vec<(u32, u64, usize)> = Vec::with_capacity(self.rows());
        for (row, id) in self.column(at).map(str::trim).enumerate() {
            if id.is_empty() {
                return Err(refused(format!("row {} has no id", row + 1)));
            }
            hashes.push((part(row), stable_hash(id), row));
        }
        hashes.par_sort_unstable();
        let id = |row: usize| self.cells.cell(row, self.places[at]).trim();
        let are_equal = |one: &(u32, u64, usize), other: &(u32, u64, usize)| {
            (one.0, one.1) == (other.0, other.1) && id(one.2) == id(other.2)
        };
        let repeated =
            hashes.windows(2).filter(|rows| are_equal(&rows[0], &rows[1])).map(|rows| (rows[1].2, rows[0].2));
        match repeated.min() {
            Some((row, first)) => {
                Err(refused(format!("rows {} and {} have the same id {}", first + 1, row + 1, quoted(id(row)))))
            }
            None => Ok(()),
        }
    }

    /// Makes records of the columns to compare.
    fn compare(&mut self, columns: Vec<usize>) {
        let names = columns.iter().map(|at| self.columns[*at].clone()).collect();
        let places = columns.iter().map(|at| self.places[*at]).collect();
        self.records = RecordSource::records(names, places, &self.cells);
        self.compared = columns;
    }

    /// Returns the records, one a row.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Returns the id of a row, or its number from 1; of a row of one of several tables behind the name of that table: `shop:17`.
    ///
    /// # Panics
    /// If the table has no such row, and ids or parts.
    pub fn row_name(&self, row: u32) -> String {
        let first = self.parts.as_ref().map_or(0, |parts| parts.first(row));
        let name = match self.ids {
            Some(place) => self.cells.cell(row as usize, place).trim().to_owned(),
            None => (u64::from(row - first) + 1).to_string(),
        };
        match self.part(row) {
            Some(part) => format!("{part}:{name}"),
            None => name,
        }
    }

    /// Returns the name of the table that a row came from, where the rows are those of several.
    pub fn part(&self, row: u32) -> Option<&str> {
        let parts = self.parts.as_ref()?;
        Some(&parts.names[parts.rows[row as usize] as usize])
    }

    /// Returns the number of the table that each row came from, where the rows are those of several.
    pub fn sources(&self) -> Option<&[u32]> {
        self.parts.as_ref().map(|parts| &parts.rows[..])
    }
}

impl Parts {
    /// Returns the columns that identify the rows of two of the tables.
    fn identifiers(&self, records: &[Record]) -> Vec<String> {
        let ends: Vec<usize> =
            (0..=self.names.len() as u32).map(|part| self.rows.partition_point(|of| *of < part)).collect();
        let tables: Vec<&[Record]> = ends.windows(2).map(|ends| &records[ends[0]..ends[1]]).collect();
        let pairs =
            tables.iter().enumerate().flat_map(|(at, left)| tables[at + 1..].iter().map(move |right| (*left, *right)));
        let mut found: Vec<String> =
            pairs.flat_map(|(left, right)| identifier_columns(Tables::Two(left, right))).collect();
        let mut seen = HashSet::new();
        found.retain(|name| seen.insert(name.clone()));
        found
    }

    /// Returns the first row of the table of a row.
    fn first(&self, row: u32) -> u32 {
        let part = self.rows[row as usize];
        self.rows.partition_point(|other| *other < part) as u32
    }
}

impl RecordTables {
    /// Makes records of one table or two.
    ///
    /// # Errors
    /// If a table lacks a column that is named, or an id is empty or stands twice.
    pub fn new(left: RecordTable, right: Option<RecordTable>, choice: &ColumnChoice) -> Result<Self, Error> {
        let mut tables = Self { left, right, identifiers: Vec::new(), types: Vec::new() };
        tables.left.choose(choice)?;
        tables.right.as_mut().map_or(Ok(()), |right| right.choose(choice))?;
        let compare =
            choice.compare.iter().map(|wanted| tables.named(wanted, "compare")).collect::<Result<Vec<_>, _>>()?;
        if choice.columns.is_empty() {
            tables.leave_out_identifiers(&compare);
        }
        tables.types =
            choice.types.iter().map(|(wanted, kind)| tables.typed(wanted, *kind)).collect::<Result<_, _>>()?;
        Ok(tables)
    }

    /// Returns a compared column, folded, with a type.
    fn typed(&self, wanted: &str, kind: ColumnType) -> Result<(String, ColumnType), Error> {
        let name = self.named(wanted, "type")?;
        let is_compared = Columns::of(self.tables()).names().contains(&name.as_str());
        let refused = || {
            let message = format!("the column {} has a type and is not compared", quoted(wanted));
            Error::new(ErrorKind::NoColumn, message).with_hint(hint![HintPart::setting("compare").value(wanted)])
        };
        is_compared.then_some((name.clone(), kind)).ok_or_else(refused)
    }

    /// Returns a column that a table has, folded; `setting` names it.
    fn named(&self, wanted: &str, setting: &'static str) -> Result<String, Error> {
        let has = |table: &&RecordTable| table.columns.iter().any(|name| folded(name) == folded(wanted));
        let columns = &self.right.as_ref().filter(has).unwrap_or(&self.left).columns;
        Ok(folded(&columns[column(columns, wanted).map_err(|error| error.advised(setting))?]))
    }

    /// Leaves out the columns that identify rows, but those asked for and the last of a table.
    fn leave_out_identifiers(&mut self, compare: &[String]) {
        let mut found = match &self.left.parts {
            Some(parts) => parts.identifiers(&self.left.records),
            None => identifier_columns(self.tables()),
        };
        found.retain(|name| !compare.contains(name));
        let kept = |table: &RecordTable| -> Vec<usize> {
            let is_kept = |at: &usize| !found.contains(&folded(&table.columns[*at]));
            table.compared.iter().copied().filter(is_kept).collect()
        };
        let (left, right) = (kept(&self.left), self.right.as_ref().map(kept));
        if found.is_empty() || left.is_empty() || right.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        let written = |name: &String| {
            self.each().flat_map(|table| &table.columns).find(|column| folded(column) == *name).cloned()
        };
        self.identifiers = found.iter().filter_map(written).collect();
        self.left.compare(left);
        self.right.as_mut().zip(right).into_iter().for_each(|(table, columns)| table.compare(columns));
    }

    /// Returns the records.
    pub fn tables(&self) -> Tables<'_> {
        match &self.right {
            None => Tables::One(&self.left.records),
            Some(right) => Tables::Two(&self.left.records, &right.records),
        }
    }

    /// Returns the table that `right` of a pair counts.
    pub fn right(&self) -> &RecordTable {
        self.right.as_ref().unwrap_or(&self.left)
    }

    /// Returns the tables, each once.
    pub fn each(&self) -> impl Iterator<Item = &RecordTable> {
        std::iter::once(&self.left).chain(&self.right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, columns: &[&str], rows: &[&[&str]]) -> RecordTable {
        RecordTable::new(
            name,
            columns.iter().map(|name| (*name).to_owned()).collect(),
            rows.iter().map(|row| row.iter()),
        )
    }

    #[test]
    fn ids_name_rows_and_are_not_compared() {
        let people = || table("people", &["Key", "name", "town"], &[&["a", "Anna", "Berlin"], &["b", "Bert"]]);
        let choice = ColumnChoice { id_column: Some("key".into()), ..ColumnChoice::default() };
        let tables = RecordTables::new(people(), None, &choice).unwrap();
        assert_eq!(tables.left.records()[1].serialized(), "COL name VAL Bert COL town VAL");
        assert_eq!((tables.left.row_name(1), tables.right().row(1).len()), ("b".to_owned(), 3));
        let named = |columns: &[&str]| {
            let columns = columns.iter().map(|name| (*name).to_owned()).collect();
            RecordTables::new(people(), None, &ColumnChoice { columns, ..ColumnChoice::default() })
        };
        assert_eq!(
            named(&["3", "NAME"]).unwrap().left.records()[0].serialized(),
            "COL name VAL Anna COL town VAL Berlin"
        );
        let error = named(&["names"]).unwrap_err();
        assert_eq!(error.to_string(), "no column \"names\" among \"Key\", \"name\", \"town\"");
        assert_eq!(error.hint().unwrap().to_string(), "did you mean `column = name`?");
    }

    #[test]
    fn ids_are_there_and_differ() {
        let choice = ColumnChoice { id_column: Some("id".into()), ..ColumnChoice::default() };
        let refused = |rows: &[&[&str]]| {
            RecordTables::new(table("people", &["id", "name"], rows), None, &choice).unwrap_err().to_string()
        };
        assert_eq!(refused(&[&["1", "a"], &["", "b"]]), "people: row 2 has no id");
        assert_eq!(refused(&[&["1", "a"], &[" 1", "b"]]), "people: rows 1 and 2 have the same id \"1\"");
        let alone = RecordTables::new(table("people", &["id"], &[]), None, &choice).unwrap_err();
        assert_eq!(alone.to_string(), "people has no column beside that of the ids");
    }
}
