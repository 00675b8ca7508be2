//! Names to cluster, read whole: of lists, tables and triples.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context;
use serde_json::{Map, Value};

use super::column::{column, folded, name_column, quoted};
use super::dialect::delimiter;
use super::encoding::Codec;
use super::record::{Cells, Dialect, Record, Records};
use super::source::Source;
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
    let source = Source::open(path, quiet)?;
    let is_table = arguments.column.is_some() || arguments.delimiter.is_some();
    let format = source.format_of(path, arguments.input_format, is_table);
    let codec = Codec::of(arguments.encoding.as_deref(), &source.beginning)?;
    if format == InputFormat::Parquet {
        return Err(
            UsageError("cluster reads text, CSV, TSV and JSONL; save the Parquet table as one of them".into()).into()
        );
    }
    source.check_text(path, codec)?;
    let dialect = dialect(arguments, format, &codec.preview(&source.beginning), source.is_whole);
    let bar = source.bar.clone();
    let text = source.into_text(codec).with_context(|| failed(path))?;
    let longest = usize::try_from(arguments.max_line_bytes).unwrap_or(usize::MAX);
    let mut rows = Rows { records: Records::new(text, dialect, longest), path, codec };
    let phrases = match (format, dialect) {
        (InputFormat::Jsonl, _) => of_objects(&mut rows, arguments),
        (_, Some(dialect)) => of_table(&mut rows, dialect, arguments),
        (_, None) => of_lines(&mut rows, arguments),
    };
    bar.finish_and_clear();
    let phrases = phrases?;
    anyhow::ensure!(!phrases.names.is_empty(), "{} has no names", path.display());
    Ok(phrases)
}

fn dialect(arguments: &Cluster, format: InputFormat, beginning: &[u8], is_whole: bool) -> Option<Dialect> {
    let said = arguments.delimiter.map(|said| said.0);
    match (format, said) {
        (InputFormat::Tsv, None | Some(b'\t')) => Some(Dialect::TSV),
        (InputFormat::Csv | InputFormat::Tsv, Some(said)) => Some(Dialect::quoted(said)),
        (InputFormat::Csv, None) => Some(Dialect::quoted(delimiter(beginning, is_whole, arguments.column.as_deref()))),
        _ => None,
    }
}

fn failed(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

fn advised(message: String, hint: &str) -> anyhow::Error {
    Advised { message, hint: hint.into(), code: ExitCode::Failure }.into()
}

/// Rows of the input.
struct Rows<'a> {
    records: Records<Box<dyn std::io::BufRead>>,
    path: &'a Path,
    codec: Codec,
}

impl Rows<'_> {
    /// Returns the next row that is not empty.
    fn next(&mut self) -> anyhow::Result<Option<Record>> {
        loop {
            interrupt::check()?;
            match self.records.next().with_context(|| failed(self.path))? {
                Some(record) if record.content.trim_ascii().is_empty() => {}
                record => return Ok(record),
            }
        }
    }

    fn decoded(&self, bytes: &[u8], line: u64) -> anyhow::Result<String> {
        self.codec.decode(bytes).ok_or_else(|| {
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
    while let Some(Record { content, line, .. }) = rows.next()? {
        let text = rows.decoded(&content, line)?;
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
    fn of(header: &[String], arguments: &Cluster) -> anyhow::Result<Self> {
        let has = |wanted: &str| header.iter().any(|column| folded(column) == wanted);
        let are_triples = has(SUBJECT) && has(OBJECT) && !has("name");
        if arguments.column.is_none() && (are_triples || arguments.subjects) {
            let at = |wanted: &str| column(header, wanted, "--column");
            return Ok(Self::Triples { subject: at(SUBJECT)?, object: at(OBJECT)? });
        }
        Ok(Self::Names(name_column(header, arguments.column.as_deref())?))
    }
}

fn of_table(rows: &mut Rows<'_>, dialect: Dialect, arguments: &Cluster) -> anyhow::Result<Phrases> {
    let (mut phrases, mut cells) = (Phrases::default(), Cells::new(dialect));
    let Some(header) = rows.next()? else { return Ok(phrases) };
    let names: Vec<Vec<u8>> = cells.of(&header.content).into_iter().map(<[u8]>::to_vec).collect();
    let names: Vec<String> = names.iter().map(|name| rows.decoded(name, header.line)).collect::<Result<_, _>>()?;
    let columns = Columns::of(&names, arguments)?;
    while let Some(Record { content, line, .. }) = rows.next()? {
        let found = cells.of(&content);
        let cell = |at: usize| match found.get(at) {
            Some(cell) => rows.decoded(cell, line),
            None => {
                let message =
                    format!("{}:{line}: row has {} of {} cells", rows.path.display(), found.len(), names.len());
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
    while let Some(Record { content, line, .. }) = rows.next()? {
        let text = rows.decoded(&content, line)?;
        let object: Map<String, Value> = serde_json::from_str(&text).map_err(|error| {
            let message = format!("{}:{line}: not a JSON object: {error}", rows.path.display());
            advised(message, "JSONL has one object a line; `jq -c .` writes it so")
        })?;
        let (fields, columns) = match &mut columns {
            Some((fields, columns)) => (fields, columns),
            none => {
                let fields: Vec<String> = object.keys().cloned().collect();
                let found = Columns::of(&fields, arguments)?;
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
