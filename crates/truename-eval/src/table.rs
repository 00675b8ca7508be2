//! Files of judgements: the rows of tables and the lines of lists, each of which must be whole.

use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use truename_error::{ErrorKind, Hint};
use truename_read::{LineFault, Source, SourceOptions, Table, TableOptions, column, files, json};

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

    /// Reads the entries of all files that a path stands for, which are in UTF-8 or UTF-16.
    pub(crate) fn read_utf8<T>(
        &self,
        path: &Path,
        read: impl Fn(Source) -> Result<Vec<T>, Error>,
    ) -> Result<Vec<T>, Error> {
        self.read(path, &SourceOptions::default(), read).map_err(|error| match error.kind() {
            // No setting says another encoding.
            ErrorKind::Undecodable => error.with_hint("convert it to UTF-8: iconv -f WINDOWS-1252 -t UTF-8 FILE"),
            _ => error,
        })
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

/// A table, row by row: delimited text, or JSON objects whose fields are the columns.
pub(crate) struct Rows {
    path: PathBuf,
    form: Form,
    kind: &'static FileKind,
}

enum Form {
    Table(Box<Table>),
    Objects { columns: Vec<String>, rows: std::vec::IntoIter<(u64, Map<String, Value>)> },
}

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
        let form = match json::holds_objects(source.beginning()) {
            true => Form::objects(source, kind)?,
            false => Form::Table(Box::new(Table::open(source, options)?)),
        };
        Ok(Self { path, form, kind })
    }

    /// Returns the place of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Error> {
        let table = match &self.form {
            Form::Table(table) => table,
            Form::Objects { columns, .. } => return column(columns, name).map_err(|error| self.malformed(1, error)),
        };
        table.column(name).map_err(|error| {
            let line = table.header.as_ref().map_or(1, |header| header.line);
            let title = table.title_rows(name).map(|rows| format!("; the header seems to be row {}", rows + 1));
            self.malformed(line, error.to_string() + &title.unwrap_or_default())
        })
    }

    /// Returns whether an object has one of these fields.
    pub(crate) fn have_field(&self, fields: &[&str]) -> bool {
        matches!(&self.form, Form::Objects { columns, .. } if columns.iter().any(|column| fields.contains(&&**column)))
    }

    /// Replaces each object by the objects that it stands for, with these columns.
    pub(crate) fn with_objects<const N: usize>(
        mut self,
        columns: [&str; N],
        of: impl Fn(Map<String, Value>) -> Result<Vec<Map<String, Value>>, String>,
    ) -> Result<Self, Error> {
        if let Form::Objects { rows, .. } = self.form {
            let mut replaced = Vec::new();
            for (line, object) in rows {
                let objects = of(object).map_err(|message| self.kind.malformed(&self.path, line, message))?;
                replaced.extend(objects.into_iter().map(|object| (line, object)));
            }
            self.form = Form::Objects { columns: columns.map(str::to_owned).to_vec(), rows: replaced.into_iter() };
        }
        Ok(self)
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
        match &mut self.form {
            Form::Table(table) => next_of_table(table, &self.path, self.kind),
            Form::Objects { columns, rows } => {
                let Some((line, mut fields)) = rows.next() else { return Ok(None) };
                let cell = |name: &String| cell(name, fields.remove(name).unwrap_or_default());
                let cells = columns.iter().map(cell).collect::<Result<_, _>>();
                Ok(Some(Row { cells: cells.map_err(|message| self.malformed(line, message))?, line }))
            }
        }
    }
}

fn next_of_table(table: &mut Table, path: &Path, kind: &FileKind) -> Result<Option<Row>, Error> {
    let record = loop {
        match table.read_filled()? {
            Some(record) if record.is_blank() => {}
            Some(record) => break record,
            None => return Ok(None),
        }
    };
    let (line, columns) = (record.line, table.columns.len());
    if record.has_open_quote {
        return Err(kind.malformed(path, line, "a quote that is never closed"));
    }
    let cells: Option<Vec<String>> = record.cells().map(|cell| table.encoding().decode(cell)).collect();
    let undecodable = || {
        let valid = std::str::from_utf8(record.content()).map_or_else(|error| error.valid_up_to(), str::len);
        LineFault::NotUtf8(valid + 1).at(path, line)
    };
    let cells = cells.ok_or_else(undecodable)?;
    // A cell too many moves the others under headers that are not theirs.
    if cells.iter().skip(columns).any(|cell| !cell.trim().is_empty()) {
        let message = format_args!("row has {} cells, the header has {columns}", cells.len());
        return Err(kind.malformed(path, line, message));
    }
    Ok(Some(Row { cells, line }))
}

impl Form {
    /// Reads all objects; a column is a field that one of them has.
    fn objects(source: Source, kind: &FileKind) -> Result<Self, Error> {
        let (path, encoding) = (source.path().to_owned(), source.encoding());
        let (mut columns, mut rows, mut objects) = (Vec::<String>::new(), Vec::new(), source.into_objects());
        while let Some(record) = objects.read()? {
            let text = encoding.decode(record.content()).ok_or_else(|| "not in the expected encoding".to_owned());
            let fields: Result<Map<String, Value>, String> = text.and_then(|text| json::object(&text));
            let fields = fields.map_err(|message| kind.malformed(&path, record.line, message))?;
            let new: Vec<String> = fields.keys().filter(|name| !columns.contains(name)).cloned().collect();
            columns.extend(new);
            rows.push((record.line, fields));
        }
        Ok(Self::Objects { columns, rows: rows.into_iter() })
    }
}

/// Returns the text of a field; values of a list are joined by `|`.
fn cell(name: &str, value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Null => Ok(String::new()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        Value::Array(values) => {
            let texts: Result<Vec<String>, String> = values.into_iter().map(|value| cell(name, value)).collect();
            Ok(texts?.join("|"))
        }
        Value::Object(_) => Err(format!("field \"{name}\" holds no text")),
    }
}

/// Returns the chance that a cell states; 1 where there is none.
pub(crate) fn chance(cell: Option<&str>) -> Result<f64, String> {
    let text = cell.unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(1.0);
    }
    let chance = text.parse().ok().filter(|chance| *chance > 0.0 && *chance <= 1.0);
    chance.ok_or_else(|| format!("the chance \"{}\" is not above 0 and at most 1", text.escape_debug()))
}
