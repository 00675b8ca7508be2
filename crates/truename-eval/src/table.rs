//! The rows of tables of judgements, each of which must be whole.

use std::io::Read;
use std::path::{Path, PathBuf};

use truename_read::{Source, SourceOptions, Table, TableOptions};

use crate::Error;

/// Creates the error of a row.
pub(crate) type Malformed = fn(&Path, u64, String) -> Error;

/// Opens a file of judgements.
pub(crate) fn open(path: &Path) -> Result<Source, Error> {
    Ok(Source::open(path, &SourceOptions::default())?)
}

/// Opens judgements of a reader; `name` stands for the file in messages.
pub(crate) fn of_reader(name: &Path, reader: impl Read + Send + 'static) -> Result<Source, Error> {
    Ok(Source::of_reader(name, reader, &SourceOptions::default())?)
}

/// A table, row by row.
pub(crate) struct Rows {
    path: PathBuf,
    table: Table,
    malformed: Malformed,
}

/// A row.
pub(crate) struct Row {
    cells: Vec<String>,
    pub(crate) line: u64,
}

impl Row {
    /// Returns the value of a cell; none where the row is too short.
    pub(crate) fn get(&self, at: usize) -> Option<&str> {
        self.cells.get(at).map(String::as_str)
    }

    pub(crate) fn width(&self) -> usize {
        self.cells.len()
    }
}

impl Rows {
    pub(crate) fn open(source: Source, options: &TableOptions<'_>, malformed: Malformed) -> Result<Self, Error> {
        let path = source.path().to_owned();
        Ok(Self { path, table: Table::open(source, options)?, malformed })
    }

    /// Returns the place of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Error> {
        self.table.column(name).map_err(|error| {
            let line = self.table.header.as_ref().map_or(1, |header| header.line);
            (self.malformed)(&self.path, line, error.to_string())
        })
    }

    /// Returns the error of a row.
    pub(crate) fn malformed(&self, line: u64, message: impl Into<String>) -> Error {
        (self.malformed)(&self.path, line, message.into())
    }

    /// Returns the next row that is not blank.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Error> {
        let record = loop {
            match self.table.read_filled()? {
                Some(record) if record.is_blank() => {}
                Some(record) => break record,
                None => return Ok(None),
            }
        };
        let (line, columns) = (record.line, self.table.columns.len());
        if record.has_open_quote {
            return Err(self.malformed(line, "a quote that is never closed"));
        }
        let cells: Option<Vec<String>> = record.cells().map(|cell| self.table.encoding().decode(cell)).collect();
        let cells = cells.ok_or_else(|| self.malformed(line, "not UTF-8"))?;
        // A cell too many moves the others under headers that are not theirs.
        if cells.iter().skip(columns).any(|cell| !cell.trim().is_empty()) {
            return Err(self.malformed(line, format!("row has {} cells, the header has {columns}", cells.len())));
        }
        Ok(Some(Row { cells, line }))
    }
}
