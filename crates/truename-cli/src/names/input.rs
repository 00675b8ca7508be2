//! The input of a command: a list of names, a table or JSON objects, with its progress bar.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use indicatif::ProgressBar;
use serde_json::{Map, Value};
use truename_read::{Dialect, Encoding, Error, Objects, Record, Records, Source, SourceOptions, Table, TableOptions};
use truename_read::{has_extension, json, quoted};

use crate::arguments::{InputFormat, TableArguments};
use crate::bars::bytes_bar;
use crate::exit_code::UsageError;

/// Options by which an input is opened.
#[derive(Clone, Copy)]
pub struct InputOptions<'a> {
    pub encoding: Option<&'a str>,
    pub max_line_bytes: u64,
    pub quiet: bool,
}

/// A file or stdin, in its own bytes.
pub struct Input {
    pub source: Source,
    pub bar: ProgressBar,
}

impl Input {
    /// Opens the input.
    ///
    /// # Errors
    /// If the file cannot be read, is no text, or the encoding is unknown.
    pub fn open(path: &Path, options: InputOptions<'_>) -> anyhow::Result<Self> {
        let metadata = std::fs::metadata(path).ok().filter(|metadata| metadata.is_file() && path != Path::new("-"));
        let bar = bytes_bar(metadata.map(|metadata| metadata.len()), options.quiet);
        let counted = bar.clone();
        let options = SourceOptions {
            encoding: options.encoding.map(str::to_owned),
            max_line_bytes: options.max_line_bytes,
            on_read: Some(Arc::new(move |bytes| counted.inc(bytes))),
        };
        Ok(Self { source: Source::open_raw(path, &options)?, bar })
    }

    /// Returns the format asked for, else that of the extension or the content; `is_table` where text has columns.
    pub fn format(&self, asked: Option<InputFormat>, is_table: bool) -> InputFormat {
        let beginning = self.source.beginning().trim_ascii_start();
        let is_object = |rest: &[u8]| matches!(rest.trim_ascii_start(), [b'"' | b'}', ..]);
        let are_objects = match beginning {
            [b'{', rest @ ..] => is_object(rest),
            [b'[', rest @ ..] => rest.trim_ascii_start().strip_prefix(b"{").is_some_and(is_object),
            _ => false,
        };
        let by_content = || match () {
            () if self.source.is_parquet() && self.source.is_file() => Some(InputFormat::Parquet),
            () if are_objects => Some(InputFormat::Jsonl),
            () => is_table.then_some(InputFormat::Csv),
        };
        asked.or_else(|| by_extension(self.source.path())).or_else(by_content).unwrap_or(InputFormat::Text)
    }

    /// Returns the rows.
    ///
    /// # Errors
    /// If the beginning of a table cannot be read, or the input is neither text nor a table.
    pub fn into_rows(self, format: InputFormat, options: &TableOptions<'_>) -> Result<Rows, Error> {
        let source = self.source;
        source.check_table()?;
        let encoding = source.encoding();
        Ok(match format {
            InputFormat::Jsonl => Rows { form: Form::Objects(source.into_objects()), encoding },
            InputFormat::Csv | InputFormat::Tsv => {
                Rows { form: Form::Table(Box::new(Table::open(source, options)?)), encoding }
            }
            InputFormat::Text | InputFormat::Parquet => Rows { form: Form::Lines(source.into_records(None)), encoding },
        })
    }
}

/// Rows with the bytes that they have in the file.
pub struct Rows {
    pub form: Form,
    pub encoding: Encoding,
}

pub enum Form {
    Lines(Records),
    Table(Box<Table>),
    Objects(Objects),
}

impl Rows {
    /// Reads the next row, which may be empty.
    ///
    /// # Errors
    /// If the row is too long, or the file cannot be read.
    pub fn next(&mut self) -> Result<Option<Record>, Error> {
        match &mut self.form {
            Form::Lines(records) => records.read(),
            Form::Table(table) => table.read(),
            Form::Objects(objects) => objects.read_blank_too(),
        }
    }

    pub fn dialect(&self) -> Option<Dialect> {
        match &self.form {
            Form::Table(table) => Some(table.dialect),
            Form::Lines(_) | Form::Objects(_) => None,
        }
    }
}

/// Returns the options of a table in which a column is expected.
pub fn table_options<'a>(
    arguments: &TableArguments,
    format: InputFormat,
    wanted: &'a [&'a [&'a str]],
) -> TableOptions<'a> {
    let said = arguments.delimiter.map(|said| said.0).or((format == InputFormat::Tsv).then_some(b'\t'));
    TableOptions {
        delimiter: said,
        skip_rows: arguments.skip_rows,
        has_header: !arguments.no_header,
        wanted,
        ..TableOptions::default()
    }
}

/// Refuses options of tables for other inputs.
pub fn check_table_options(arguments: &TableArguments, format: InputFormat) -> Result<(), UsageError> {
    let given = [
        ("--delimiter", arguments.delimiter.is_some()),
        ("--skip-rows", arguments.skip_rows > 0),
        ("--no-header", arguments.no_header),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) if !matches!(format, InputFormat::Csv | InputFormat::Tsv) => {
            Err(UsageError(format!("{flag} is for tables; say --input-format csv")))
        }
        _ => Ok(()),
    }
}

/// Returns the object in a row, or the reason why there is none.
pub fn object(record: &Record, encoding: Encoding) -> Result<Map<String, Value>, String> {
    json::object(&encoding.decode(record.content()).ok_or("not in the expected encoding")?)
}

/// Returns the text of a field, or the reason why there is none.
pub fn text_of(object: &Map<String, Value>, field: &str) -> Result<String, String> {
    match object.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Null) => Ok(String::new()),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
        Some(_) => Err(format!("field {} holds no text", quoted(field))),
        None => Err(format!("no field {}", quoted(field))),
    }
}

/// Returns text in the encoding of a row.
///
/// # Errors
/// If the encoding lacks a character.
pub fn encode(encoding: Encoding, text: &str) -> anyhow::Result<Vec<u8>> {
    encoding.encode(text).with_context(|| {
        let name = encoding.name();
        format!("\"{text}\" cannot be written in {name}; convert the input to UTF-8, or write --format jsonl")
    })
}

/// Returns the bytes of a whole row for the output.
///
/// # Errors
/// If a row of UTF-16 is not text.
pub fn finish(encoding: Encoding, row: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    encoding.finish(row).context("a row is not UTF-16")
}

/// Returns the format of a file's extension; that of a compressor is ignored.
pub fn by_extension(path: &Path) -> Option<InputFormat> {
    let known = [
        ("csv", InputFormat::Csv),
        ("tsv", InputFormat::Tsv),
        ("tab", InputFormat::Tsv),
        ("jsonl", InputFormat::Jsonl),
        ("ndjson", InputFormat::Jsonl),
        ("parquet", InputFormat::Parquet),
        ("pq", InputFormat::Parquet),
    ];
    known.into_iter().find(|(extension, _)| has_extension(path, extension)).map(|(_, format)| format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_extension() {
        let told = |path: &str| by_extension(Path::new(path));
        assert_eq!(told("a.b/X.CSV"), Some(InputFormat::Csv));
        assert_eq!(told("x.tsv.gz"), Some(InputFormat::Tsv));
        assert_eq!(told("x.ndjson.zst"), Some(InputFormat::Jsonl));
        assert_eq!((told("x.txt"), told("csv"), told("-"), told("x.gz")), (None, None, None, None));
    }
}
