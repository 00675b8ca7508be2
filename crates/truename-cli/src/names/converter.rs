//! Conversion of a table to another format.

use std::collections::HashSet;

use anyhow::Context;
use serde_json::Value;
use truename_read::{Dialect, Encoding, ParquetColumn, ParquetWriter};

use super::added::{Added, cell};
use super::input::{Input, encode, finish};
use crate::arguments::{InputFormat, Match};
use crate::atomic_file::AtomicFile;
use crate::output::Output;

/// Position of the probability among the added columns; it is a number, the others are text.
const PROBABILITY: usize = 3;

pub enum Converter {
    Delimited {
        output: Output,
        dialect: Dialect,
        encoding: Encoding,
        /// True if formulas are written as text.
        is_safe: bool,
    },
    /// One object a row; the keys are JSON strings.
    Objects { output: Output, keys: Vec<String> },
    Parquet {
        writer: Box<ParquetWriter<AtomicFile>>,
        /// True if the columns of the input are copied.
        copies: bool,
    },
}

impl Converter {
    /// Opens the output and writes the header. `format` is CSV, TSV, JSONL or Parquet.
    pub fn open(
        format: InputFormat,
        arguments: &Match,
        input: &Input<'_>,
        columns: &[String],
        added: &Added,
    ) -> anyhow::Result<Self> {
        let (out, encoding) = (arguments.out.as_deref(), input.rows.encoding());
        let dialect = match format {
            InputFormat::Parquet => return Self::parquet(arguments, input, columns, added),
            InputFormat::Jsonl => {
                let keys = distinct(columns).into_iter().chain(added.names.iter().cloned());
                let keys = keys.map(|key| Value::from(key).to_string()).collect();
                return Ok(Self::Objects { output: Output::open(out)?, keys });
            }
            InputFormat::Csv => Dialect::of(b','),
            InputFormat::Tsv | InputFormat::Text => Dialect::TSV,
        };
        let (mut output, is_safe) = (Output::open(out)?, arguments.csv_safe);
        output.put(encoding.mark())?;
        output.put(&line(columns.iter().chain(&added.names), dialect, encoding, is_safe)?)?;
        Ok(Self::Delimited { output, dialect, encoding, is_safe })
    }

    fn parquet(arguments: &Match, input: &Input<'_>, columns: &[String], added: &Added) -> anyhow::Result<Self> {
        let copies = input.format == InputFormat::Parquet;
        let column = |name: &String, is_number| ParquetColumn { name: name.clone(), is_number };
        let mut gained: Vec<ParquetColumn> = added.names.iter().map(|name| column(name, false)).collect();
        gained[PROBABILITY].is_number = true;
        let own = if copies { Vec::new() } else { distinct(columns) };
        let all: Vec<ParquetColumn> = own.iter().map(|name| column(name, false)).chain(gained).collect();
        let out = arguments.out.as_deref().context("a Parquet table is written to a file")?;
        let files = if copies { &input.files[..] } else { &[] };
        let writer = ParquetWriter::open(AtomicFile::create(out)?, files, &all);
        let writer = Box::new(writer.with_context(|| format!("cannot write {}", out.display()))?);
        Ok(Self::Parquet { writer, copies })
    }

    /// Returns true if [`Converter::write`] takes the values of rows.
    pub fn needs_rows(&self) -> bool {
        !matches!(self, Self::Parquet { copies: true, .. })
    }

    /// Writes a row; `own` has one value a column.
    pub fn write(&mut self, own: Vec<Value>, added: Vec<Value>) -> anyhow::Result<()> {
        match self {
            Self::Parquet { writer, .. } => {
                writer.write(own.into_iter().chain(added).collect()).context("cannot write the results")
            }
            Self::Objects { output, keys } => {
                let values = own.iter().chain(&added);
                let fields: Vec<String> =
                    keys.iter().zip(values).map(|(key, value)| format!("{key}:{value}")).collect();
                output.put(format!("{{{}}}\n", fields.join(",")).as_bytes())
            }
            Self::Delimited { output, dialect, encoding, is_safe } => {
                let own = own.into_iter().map(|value| match value {
                    Value::Null => String::new(),
                    Value::String(text) => text,
                    other => other.to_string(),
                });
                let cells = own.chain(added.iter().map(|value| cell(value).into_owned()));
                output.put(&line(cells, *dialect, *encoding, *is_safe)?)
            }
        }
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Parquet { writer, .. } => writer.finish().context("cannot write the results")?.finish(),
            Self::Objects { output, .. } | Self::Delimited { output, .. } => output.finish(),
        }
    }
}

fn line(
    cells: impl Iterator<Item = impl AsRef<str>>,
    dialect: Dialect,
    encoding: Encoding,
    is_safe: bool,
) -> anyhow::Result<Vec<u8>> {
    finish(encoding, encode(encoding, dialect.row(cells, is_safe) + "\n")?)
}

/// Makes the columns' names distinct and not empty.
fn distinct(columns: &[String]) -> Vec<String> {
    let mut taken: HashSet<String> = columns.iter().cloned().collect();
    let mut seen = HashSet::new();
    let mut free = |column: &str| {
        let numbered = (2..).map(|number| format!("{column}_{number}"));
        numbered.into_iter().find(|name| taken.insert(name.clone())).unwrap_or_default()
    };
    let named = columns.iter().map(|column| if column.is_empty() { "column" } else { column });
    named.map(|column| if seen.insert(column) { column.to_owned() } else { free(column) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_name_are_numbered() {
        let columns = ["name", "name", "", "name_2", "", "column"].map(str::to_owned);
        assert_eq!(distinct(&columns), ["name", "name_3", "column", "name_2", "column_2", "column_3"]);
    }
}
