//! Files of judgements: the rows of tables and the lines of lists, each of which must be whole.

use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};

use truename_error::{ErrorKind, Hint};
use truename_read::{LineFault, Source, SourceOptions, Table, TableOptions, files};

use crate::Error;

/// A kind of files.
pub(crate) struct FileKind {
    /// Message about a file without an entry; none where it may be empty.
    pub(crate) nothing: Option<&'static str>,
    /// Description of the files, as advice.
    pub(crate) hint: fn() -> Hint,
}

impl FileKind {
    /// Reads the entries of all files that a path stands for.
    pub(crate) fn read<T>(
        &self,
        path: &Path,
        options: &SourceOptions,
        read: impl Fn(Source) -> Result<Vec<T>, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        for file in files(path)? {
            all.extend(self.some(&file, read(Source::open_table(&file, options)?)?)?);
        }
        self.some(path, all)
    }

    /// Reads the entries of a reader; `name` stands for the file in messages.
    pub(crate) fn read_from<T>(
        &self,
        name: &Path,
        reader: impl Read + Send + 'static,
        read: impl Fn(Source) -> Result<Vec<T>, Error>,
    ) -> Result<Vec<T>, Error> {
        self.some(name, read(Source::of_reader(name, reader, &SourceOptions::default())?)?)
    }

    fn some<T>(&self, path: &Path, entries: Vec<T>) -> Result<Vec<T>, Error> {
        match self.nothing {
            Some(nothing) if entries.is_empty() => Err(self.malformed(path, 1, nothing)),
            _ => Ok(entries),
        }
    }

    /// Reads an entry, or none, from each line that is not blank, by its number.
    pub(crate) fn lines<T>(
        &self,
        source: Source,
        mut read: impl FnMut(u64, &str) -> Result<Option<T>, String>,
    ) -> Result<Vec<T>, Error> {
        let path = source.path().to_owned();
        let (mut entries, mut lines) = (Vec::new(), source.into_lines());
        while let Some(line) = lines.read_filled()? {
            let text = line.text().map_err(|fault| fault.at(&path, line.number))?;
            entries.extend(read(line.number, text).map_err(|message| self.malformed(&path, line.number, message))?);
        }
        Ok(entries)
    }

    /// Reads lines of Ditto: two records and a label between tabs.
    pub(crate) fn pairs<T>(
        &self,
        source: Source,
        mut read: impl FnMut(u64, [&str; 3]) -> Result<T, String>,
    ) -> Result<Vec<T>, Error> {
        self.lines(source, |line, text| {
            let cells: Vec<&str> = text.split('\t').map(str::trim).collect();
            let parts = cells.len();
            let cells = cells.try_into().map_err(|_| {
                format!("a pair is a record, a tab, a record, a tab and a label; this line has {parts} parts")
            })?;
            read(line, cells).map(Some)
        })
    }

    pub(crate) fn malformed(&self, path: &Path, line: u64, message: impl Display) -> Error {
        Error::at(ErrorKind::Syntax, path, line, message).with_hint((self.hint)())
    }
}

/// A table, row by row.
pub(crate) struct Rows {
    path: PathBuf,
    table: Table,
    kind: &'static FileKind,
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
    pub(crate) fn open(source: Source, options: &TableOptions<'_>, kind: &'static FileKind) -> Result<Self, Error> {
        let path = source.path().to_owned();
        if source.beginning().trim_ascii_start().starts_with(b"{\"") {
            return Err(kind.malformed(&path, 1, "this is JSON, not a table"));
        }
        Ok(Self { path, table: Table::open(source, options)?, kind })
    }

    /// Returns the place of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Error> {
        self.table.column(name).map_err(|error| {
            let line = self.table.header.as_ref().map_or(1, |header| header.line);
            let title = self.table.title_rows(name).map(|rows| format!("; the header seems to be row {}", rows + 1));
            self.malformed(line, error.to_string() + &title.unwrap_or_default())
        })
    }

    /// Reads an entry from each row that is not blank.
    pub(crate) fn read<T>(mut self, mut read: impl FnMut(&Row) -> Result<T, String>) -> Result<Vec<T>, Error> {
        let mut entries = Vec::new();
        while let Some(row) = self.next()? {
            entries.push(read(&row).map_err(|message| self.malformed(row.line, message))?);
        }
        Ok(entries)
    }

    fn malformed(&self, line: u64, message: impl Display) -> Error {
        self.kind.malformed(&self.path, line, message)
    }

    fn next(&mut self) -> Result<Option<Row>, Error> {
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
        let undecodable = || {
            let valid = std::str::from_utf8(record.content()).map_or_else(|error| error.valid_up_to(), str::len);
            LineFault::NotUtf8(valid + 1).at(&self.path, line)
        };
        let cells = cells.ok_or_else(undecodable)?;
        // A cell too many moves the others under headers that are not theirs.
        if cells.iter().skip(columns).any(|cell| !cell.trim().is_empty()) {
            return Err(self.malformed(line, format_args!("row has {} cells, the header has {columns}", cells.len())));
        }
        Ok(Some(Row { cells, line }))
    }
}
