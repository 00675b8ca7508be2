//! The tables to compare, as records.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename_read::Encoding;
use truename_records::{Record, Tables, identifier_columns};

use crate::arguments::{Dedupe, InputFormat};
use crate::exit_code::UsageError;
use crate::names::column::{column, extra_columns, folded, quoted, table_column};
use crate::names::input::{InputOptions, layout, told};
use crate::problems::{Fault, MalformedRows};
use crate::{interrupt, names};

/// One table or two.
pub struct Input {
    pub left: InputTable,
    pub right: Option<InputTable>,
    /// Columns that identify rows and are not compared.
    pub identifiers: Vec<String>,
}

/// A table with the records to compare, one a row. Every row has one value a column.
pub struct InputTable {
    pub path: PathBuf,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Places of the columns that are compared.
    compared: Vec<usize>,
    pub records: Vec<Record>,
    /// Ids by row, where a column has them.
    ids: Option<Vec<String>>,
    pub malformed: MalformedRows,
}

impl Input {
    pub fn read(arguments: &Dedupe, quiet: bool) -> anyhow::Result<Self> {
        let left = InputTable::read(&arguments.file, arguments, quiet)?;
        let right = arguments.right.as_ref().map(|path| InputTable::read(path, arguments, quiet)).transpose()?;
        let mut input = Self { left, right, identifiers: Vec::new() };
        let compare = arguments.compare.iter().map(|wanted| input.named(wanted)).collect::<Result<Vec<_>, _>>()?;
        if arguments.columns.is_empty() {
            input.leave_out_identifiers(&compare);
        }
        Ok(input)
    }

    /// Returns a column that a table has, folded.
    fn named(&self, wanted: &str) -> anyhow::Result<String> {
        let of_right =
            self.right.as_ref().filter(|right| right.columns.iter().any(|name| folded(name) == folded(wanted)));
        let columns = &of_right.unwrap_or(&self.left).columns;
        Ok(folded(&columns[column(columns, wanted, "--compare")?]))
    }

    /// Leaves out the columns that identify rows, but those asked for and the last of a table.
    fn leave_out_identifiers(&mut self, compare: &[String]) {
        let mut found = identifier_columns(self.tables());
        found.retain(|name| !compare.contains(name));
        let kept = |table: &InputTable| -> Vec<usize> {
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

    pub fn tables(&self) -> Tables<'_> {
        match &self.right {
            None => Tables::One(&self.left.records),
            Some(right) => Tables::Two(&self.left.records, &right.records),
        }
    }

    /// Returns the table that `right` of a pair counts.
    pub fn right(&self) -> &InputTable {
        self.right.as_ref().unwrap_or(&self.left)
    }

    /// Returns the tables, each once.
    pub fn each(&self) -> impl Iterator<Item = &InputTable> {
        std::iter::once(&self.left).chain(&self.right)
    }
}

impl InputTable {
    /// Reads CSV, TSV or Parquet: a file, or those of a folder or a pattern. A row with fewer cells than the header is filled up;
    /// the cells behind the last column get columns `extra_1` and so on.
    fn read(path: &Path, arguments: &Dedupe, quiet: bool) -> anyhow::Result<Self> {
        let mut input = open(path, arguments, quiet)?;
        if let Some(table) = input.rows.table().filter(|table| table.columns.len() == 1 && arguments.columns.is_empty())
        {
            // A title is no column.
            table_column(table, None, "--column")?;
        }
        let mut columns = input.rows.table().map(|table| table.columns.clone()).unwrap_or_default();
        let (mut rows, mut malformed) = (Vec::new(), MalformedRows::new(arguments.strict));
        while let Some(record) = input.rows.read()? {
            interrupt::check()?;
            if !record.content().is_empty() {
                let (row, faults) = values(&record, columns.len(), input.rows.encoding());
                faults.into_iter().try_for_each(|fault| malformed.add(input.rows.path(), record.line, fault))?;
                rows.push(row);
            }
        }
        input.bar.finish_and_clear();
        columns.extend(extra_columns(&columns, rows.iter().map(Vec::len).max().unwrap_or_default()));
        rows.iter_mut().for_each(|row| row.resize(columns.len(), String::new()));
        let id_column = arguments.id_column.as_deref();
        let id = id_column.map(|wanted| column(&columns, wanted, "--id-column")).transpose()?;
        let compared = compared(&columns, &arguments.columns, id)?;
        let ids = id.map(|at| ids(path, &rows, at)).transpose()?;
        let (path, records) = (path.to_owned(), Vec::new());
        let mut table = Self { path, columns, rows, compared: Vec::new(), records, ids, malformed };
        table.compare(compared);
        Ok(table)
    }

    /// Makes records of the columns to compare.
    fn compare(&mut self, columns: Vec<usize>) {
        let names: Arc<[String]> = columns.iter().map(|at| self.columns[*at].clone()).collect();
        let values = |row: &Vec<String>| columns.iter().map(|at| row[*at].clone()).collect();
        self.records = self.rows.iter().map(|row| Record::new(&names, values(row))).collect();
        self.compared = columns;
    }

    /// Returns the name of a row in the answers: its id, or its number from 1.
    pub fn name(&self, row: u32) -> String {
        match &self.ids {
            Some(ids) => ids[row as usize].clone(),
            None => (u64::from(row) + 1).to_string(),
        }
    }

    /// Returns the rows by their names in the answers.
    pub fn rows_by_name(&self) -> HashMap<String, u32> {
        (0..self.records.len() as u32).map(|row| (self.name(row), row)).collect()
    }
}

fn open<'a>(path: &Path, arguments: &'a Dedupe, quiet: bool) -> anyhow::Result<names::input::Input<'a>> {
    let Dedupe { encoding, max_line_bytes, input_format, table, .. } = arguments;
    let options = InputOptions { encoding: encoding.as_deref(), max_line_bytes: *max_line_bytes, quiet };
    let told = |source: &_, first: Option<_>| told(source, *input_format, first.unwrap_or(InputFormat::Csv));
    names::input::Input::open(&[path.to_owned()], options, told, |format| match format {
        InputFormat::Text | InputFormat::Jsonl => {
            let message = format!("{} is no table: records are read from CSV, TSV and Parquet", path.display());
            Err(UsageError(message).into())
        }
        _ => Ok(layout(format, table, &[])?),
    })
}

/// Returns the values of a row, and what is wrong with it.
fn values(row: &truename_read::Record, columns: usize, encoding: Encoding) -> (Vec<String>, Vec<Fault>) {
    let mut faults = Vec::new();
    let values: Option<Vec<String>> = row.cells().map(|cell| encoding.decode(cell)).collect();
    let values = values.unwrap_or_else(|| {
        faults.push(Fault::answered("a cell that is not in the expected encoding; read with U+FFFD".into()));
        let lossy = |cell| encoding.decode(cell).unwrap_or_else(|| String::from_utf8_lossy(cell).into_owned());
        row.cells().map(lossy).collect()
    });
    faults.extend(row.quote_fault().map(|fault| Fault::answered(fault.into())));
    faults.extend(
        match values.len() {
            width if width < columns => Some(format!("row has {width} of {columns} cells; filled up")),
            width if width > columns => {
                Some(format!("row has {width} cells, the header has {columns}; the rest gets columns of its own"))
            }
            _ => None,
        }
        .map(Fault::answered),
    );
    (values, faults)
}

/// Returns the places of the columns to compare.
fn compared(columns: &[String], asked: &[String], id: Option<usize>) -> anyhow::Result<Vec<usize>> {
    if asked.is_empty() {
        let all: Vec<usize> = (0..columns.len()).filter(|at| Some(*at) != id).collect();
        let none = || UsageError("the table has no column beside the id".into());
        return if all.is_empty() { Err(none().into()) } else { Ok(all) };
    }
    let mut places: Vec<usize> =
        asked.iter().map(|wanted| column(columns, wanted, "--column")).collect::<Result<_, _>>()?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// Returns the ids of all rows.
fn ids(path: &Path, rows: &[Vec<String>], at: usize) -> anyhow::Result<Vec<String>> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (row, id) in rows.iter().map(|row| row[at].trim()).enumerate() {
        let path = path.display();
        anyhow::ensure!(!id.is_empty(), "{path}: row {} has no id", row + 1);
        if let Some(first) = seen.insert(id, row) {
            anyhow::bail!("{path}: rows {} and {} have the same id {}", first + 1, row + 1, quoted(id));
        }
    }
    Ok(rows.iter().map(|row| row[at].trim().to_owned()).collect())
}
