//! Names to cluster, read whole: of lists, tables and triples.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;
use truename_read::{Record, json};

use super::column::{column, folded, name_column, quoted, table_column};
use super::input::{self, Form, Input, InputOptions, check_table_options, table_options};
use crate::arguments::{Cluster, InputFormat};
use crate::exit_code::{Advised, ExitCode, UsageError};
use crate::interrupt;

/// Columns of triples whose cells are names.
const SUBJECT: &str = "subject";
const OBJECT: &str = "object";

/// Distinct names in the order of their first appearance.
#[derive(Default)]
pub struct Phrases {
    pub names: Vec<String>,
    /// Appearances of each name.
    pub counts: Vec<u64>,
    /// Triples read; 0 where the input has names.
    pub triples: u64,
    /// Cells without a name.
    pub empty: u64,
    numbers: HashMap<String, usize>,
}

impl Phrases {
    fn add(&mut self, name: &str) {
        let name = name.trim();
        if name.is_empty() {
            self.empty += 1;
        } else if let Some(number) = self.numbers.get(name) {
            self.counts[*number] += 1;
        } else {
            self.numbers.insert(name.to_owned(), self.names.len());
            self.names.push(name.to_owned());
            self.counts.push(1);
        }
    }

    /// Adds the names of a triple.
    fn add_triple(&mut self, subject: &str, object: &str, subjects_alone: bool) {
        self.triples += 1;
        self.add(subject);
        if !subjects_alone {
            self.add(object);
        }
    }
}

/// Reads the names of a file.
///
/// # Errors
/// If the file cannot be read to its end, is not text in the expected encoding, or lacks a column, or a row lacks a cell.
pub fn read(arguments: &Cluster, quiet: bool) -> anyhow::Result<Phrases> {
    let path = &arguments.file;
    let Cluster { column, encoding, max_line_bytes, .. } = arguments;
    let options = InputOptions { encoding: encoding.as_deref(), max_line_bytes: *max_line_bytes, quiet };
    let input = Input::open(path, options)?;
    let format = input.format(arguments.input_format, column.is_some() || arguments.table.delimiter.is_some());
    if format == InputFormat::Parquet {
        return Err(
            UsageError("cluster reads text, CSV, TSV and JSONL; save the Parquet table as one of them".into()).into()
        );
    }
    check_table_options(&arguments.table, format)?;
    let bar = input.bar.clone();
    let wanted = column.as_deref().unwrap_or("name");
    let rows = input.into_rows(format, &table_options(&arguments.table, format, &[&[wanted]]))?;
    let mut rows = Rows { rows, path };
    let phrases = match &rows.rows.form {
        Form::Lines(_) => of_lines(&mut rows, arguments),
        Form::Table(_) => of_table(&mut rows, arguments),
        Form::Objects(_) => of_objects(&mut rows, arguments),
    };
    bar.finish_and_clear();
    let phrases = phrases?;
    anyhow::ensure!(!phrases.names.is_empty(), "{} has no names", path.display());
    Ok(phrases)
}

fn advised(message: String, hint: &str) -> anyhow::Error {
    Advised { message, hint: hint.into(), code: ExitCode::Failure }.into()
}

/// Rows of the input.
struct Rows<'a> {
    rows: input::Rows,
    path: &'a Path,
}

impl Rows<'_> {
    /// Returns the next row that is not empty.
    fn next(&mut self) -> anyhow::Result<Option<Record>> {
        loop {
            interrupt::check()?;
            match self.rows.next()? {
                Some(record) if record.is_blank() => {}
                record => return Ok(record),
            }
        }
    }

    fn decoded(&self, bytes: &[u8], line: u64) -> anyhow::Result<String> {
        self.rows.encoding.decode(bytes).ok_or_else(|| {
            let shown: String = String::from_utf8_lossy(bytes).chars().take(60).collect();
            let message = format!("{}:{line}: not in the expected encoding: {}", self.path.display(), quoted(&shown));
            advised(message, "say --encoding, as in --encoding windows-1252")
        })
    }
}

/// Reads names, or triples where the first line has three cells between tabs. A first line that only counts the triples, as in
/// CUVA's files, is passed over.
fn of_lines(rows: &mut Rows<'_>, arguments: &Cluster) -> anyhow::Result<Phrases> {
    let (mut phrases, mut are_triples, mut count_line) = (Phrases::default(), None, None);
    while let Some(record) = rows.next()? {
        let (text, line) = (rows.decoded(record.content(), record.line)?, record.line);
        let cells: Vec<&str> = text.split('\t').collect();
        if line == 1 && text.trim().bytes().all(|byte| byte.is_ascii_digit()) {
            count_line = Some(text);
            continue;
        }
        let is_triple = *are_triples.get_or_insert(cells.len() == 3);
        if let Some(count) = count_line.take().filter(|_| !is_triple) {
            phrases.add(&count);
        }
        match (is_triple, &cells[..]) {
            (true, [subject, _, object]) => phrases.add_triple(subject, object, arguments.subjects),
            (true, _) => {
                let message = format!("{}:{line}: {} of the 3 cells of a triple", rows.path.display(), cells.len());
                return Err(advised(
                    message,
                    "separate subject, relation and object by tabs, or name the columns of a table",
                ));
            }
            (false, _) => phrases.add(&text),
        }
    }
    count_line.iter().for_each(|count| phrases.add(count));
    no_triples(&phrases, arguments)?;
    Ok(phrases)
}

/// Refuses `--subjects` where the input has names.
fn no_triples(phrases: &Phrases, arguments: &Cluster) -> Result<(), UsageError> {
    if arguments.subjects && phrases.triples == 0 {
        return Err(UsageError(
            "--subjects is for triples: lines of three cells, or columns subject and object".into(),
        ));
    }
    Ok(())
}

/// Columns with names.
enum Columns {
    Names(usize),
    Triples { subject: usize, object: usize },
}

impl Columns {
    fn of(
        header: &[String],
        arguments: &Cluster,
        names: impl FnOnce(Option<&str>) -> anyhow::Result<usize>,
    ) -> anyhow::Result<Self> {
        let has = |wanted: &str| header.iter().any(|column| folded(column) == wanted);
        let are_triples = has(SUBJECT) && has(OBJECT) && !has("name");
        if arguments.column.is_none() && (are_triples || arguments.subjects) {
            let at = |wanted: &str| column(header, wanted, "--column");
            return Ok(Self::Triples { subject: at(SUBJECT)?, object: at(OBJECT)? });
        }
        Ok(Self::Names(names(arguments.column.as_deref())?))
    }
}

fn of_table(rows: &mut Rows<'_>, arguments: &Cluster) -> anyhow::Result<Phrases> {
    let mut phrases = Phrases::default();
    let Form::Table(table) = &rows.rows.form else { return Ok(phrases) };
    let width = table.columns.len();
    let columns = Columns::of(&table.columns, arguments, |asked| table_column(table, asked, "--column"))?;
    while let Some(record) = rows.next()? {
        let line = record.line;
        if record.has_open_quote {
            let message = format!("{}:{line}: a quote that is never closed", rows.path.display());
            return Err(advised(message, "write a quote within a quoted cell twice"));
        }
        let cell = |at: usize| match record.cell(at) {
            Some(cell) => rows.decoded(cell, line),
            None => {
                let message = format!("{}:{line}: row has {} of {width} cells", rows.path.display(), record.width());
                Err(advised(message, "fill the row up, or leave it out"))
            }
        };
        match columns {
            Columns::Names(at) => phrases.add(&cell(at)?),
            Columns::Triples { subject, object } => {
                phrases.add_triple(&cell(subject)?, &cell(object)?, arguments.subjects);
            }
        }
    }
    Ok(phrases)
}

fn of_objects(rows: &mut Rows<'_>, arguments: &Cluster) -> anyhow::Result<Phrases> {
    let (mut phrases, mut columns) = (Phrases::default(), None);
    while let Some(record) = rows.next()? {
        let (text, line) = (rows.decoded(record.content(), record.line)?, record.line);
        let object = json::object(&text).map_err(|reason| {
            let message = format!("{}:{line}: {reason}", rows.path.display());
            advised(message, "JSONL has one object a line; `jq -c .` writes it so")
        })?;
        let (fields, columns) = match &mut columns {
            Some((fields, columns)) => (fields, columns),
            none => {
                let fields: Vec<String> = object.keys().cloned().collect();
                let found = Columns::of(&fields, arguments, |asked| name_column(&fields, asked))?;
                let (fields, columns) = none.insert((fields, found));
                (fields, columns)
            }
        };
        let field = |at: usize| match object.get(&fields[at]) {
            Some(Value::String(name)) => Ok(name.clone()),
            Some(Value::Null) => Ok(String::new()),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
            _ => {
                let message = format!("{}:{line}: no text in the field {}", rows.path.display(), quoted(&fields[at]));
                Err(advised(message, "each object needs the field of the first one"))
            }
        };
        match columns {
            Columns::Names(at) => phrases.add(&field(*at)?),
            Columns::Triples { subject, object } => {
                phrases.add_triple(&field(*subject)?, &field(*object)?, arguments.subjects);
            }
        }
    }
    Ok(phrases)
}
