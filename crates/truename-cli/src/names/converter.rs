//! Conversion of a table to another format.

use std::collections::HashSet;

use serde_json::Value;
use truename_read::{Dialect, Encoding};

use super::added::{Added, cell};
use super::input::{encode, finish};
use super::parquet;
use crate::arguments::{InputFormat, Match};
use crate::output::Output;

pub enum Converter {
    Delimited {
        output: Output,
        dialect: Dialect,
        encoding: Encoding,
        /// True if formulas are written as text.
        is_safe: bool,
    },
    /// One object a row; the keys are JSON strings.
    Objects {
        output: Output,
        keys: Vec<String>,
    },
    Parquet(parquet::Writer),
}

impl Converter {
    /// Opens the output and writes the header. `format` is CSV, TSV, JSONL or Parquet.
    pub fn open(
        format: InputFormat,
        arguments: &Match,
        columns: &[String],
        added: &Added,
        encoding: Encoding,
    ) -> anyhow::Result<Self> {
        let out = arguments.out.as_deref();
        let dialect = match format {
            InputFormat::Parquet => {
                return Ok(Self::Parquet(parquet::Writer::open(out, &distinct(columns), &added.names)?));
            }
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
        output.put(&line(columns.iter().chain(&added.names).cloned(), dialect, encoding, is_safe)?)?;
        Ok(Self::Delimited { output, dialect, encoding, is_safe })
    }

    /// Writes a row; `own` has one value a column.
    pub fn write(&mut self, own: Vec<Value>, added: Vec<Value>) -> anyhow::Result<()> {
        match self {
            Self::Parquet(writer) => writer.write(own, added),
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
                output.put(&line(own.chain(added.iter().map(cell)), *dialect, *encoding, *is_safe)?)
            }
        }
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Parquet(writer) => writer.finish(),
            Self::Objects { output, .. } | Self::Delimited { output, .. } => output.finish(),
        }
    }
}

fn line(
    cells: impl Iterator<Item = String>,
    dialect: Dialect,
    encoding: Encoding,
    is_safe: bool,
) -> anyhow::Result<Vec<u8>> {
    finish(encoding, encode(encoding, &(dialect.row(cells, is_safe) + "\n"))?)
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
