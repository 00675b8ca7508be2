//! The output of `match`: rows that gain columns, as they are or converted, or candidates.

use std::collections::HashSet;
use std::io::Write;

use anyhow::Context;
use serde_json::{Map, Value};
use truename::Link;
use truename_read::{Dialect, Encoding, ParquetColumn, ParquetWriter, Record};
use truename_view::NameLine;

use super::added::{AddedColumns, cell};
use super::input::{Input, by_extension, encode, finish};
use super::match_run::MatchRun;
use super::row_writer::{RowWriter, error_object};
use crate::arguments::{InputFormat, Match, OutputFormat};
use crate::atomic_file::AtomicFile;
use crate::exit_code::UsageError;
use crate::output::Output;

/// Position of the probability among the added columns; it is a number, the others are text.
const PROBABILITY: usize = 3;

/// Form of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Rows as they are, with columns or fields added.
    Rows,
    /// Rows converted to another format, with columns or fields added.
    Converted(InputFormat),
    /// One object a name, with its answer and candidates.
    Candidates,
}

impl Target {
    pub fn of(arguments: &Match, input: InputFormat) -> anyhow::Result<Self> {
        let target = Self::asked(arguments, input)?;
        let is_utf8 = matches!(target, Self::Candidates | Self::Converted(InputFormat::Jsonl | InputFormat::Parquet));
        match is_utf8 && arguments.output_encoding.is_some() {
            true => Err(UsageError("--output-encoding is for rows of text; JSON and Parquet are UTF-8".into()).into()),
            false => Ok(target),
        }
    }

    fn asked(arguments: &Match, input: InputFormat) -> anyhow::Result<Self> {
        let refused = |message: String| Err(UsageError(message).into());
        let Some(out) = &arguments.out else {
            return match (arguments.format, input) {
                (OutputFormat::Jsonl, _) => Ok(Self::Candidates),
                (OutputFormat::Table, InputFormat::Parquet) => refused(
                    "a Parquet table is written to a file: say --out FILE.parquet, --out FILE.csv or --format jsonl"
                        .into(),
                ),
                (OutputFormat::Table, _) => Ok(Self::Rows),
            };
        };
        let (shown, asked) = (out.display(), by_extension(out));
        let is_packed = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        match (arguments.format, asked) {
            (OutputFormat::Jsonl, None | Some(InputFormat::Jsonl)) => Ok(Self::Candidates),
            (OutputFormat::Jsonl, _) => refused(format!("--format jsonl writes JSONL; call {shown} .jsonl")),
            (_, Some(InputFormat::Parquet)) if is_packed => {
                refused(format!("Parquet is compressed in itself; call {shown} .parquet"))
            }
            (_, Some(InputFormat::Parquet)) if !cfg!(feature = "parquet") => {
                refused("Parquet is not enabled in this build; build with --features parquet".into())
            }
            (_, None | Some(InputFormat::Parquet)) if input == InputFormat::Parquet => {
                Ok(Self::Converted(InputFormat::Parquet))
            }
            (_, None) => Ok(Self::Rows),
            (_, Some(asked)) if asked == input => Ok(Self::Rows),
            (_, Some(InputFormat::Tsv)) if input == InputFormat::Text => Ok(Self::Rows),
            (..) if input == InputFormat::Jsonl => refused(format!(
                "rows of JSONL have no fixed columns, so they are written as JSONL; call {shown} .jsonl"
            )),
            (_, Some(asked)) => Ok(Self::Converted(asked)),
        }
    }
}

/// Output of the results.
pub enum Sink {
    /// Rows as they are, with columns or fields added.
    Rows(RowWriter),
    /// One object a name; with its best candidate where the answer is NIL, if `suggests`.
    Candidates { output: Output, suggests: bool },
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

impl Sink {
    /// Opens the output of rows with some columns, of which the last are for cells beyond the header, and writes the header.
    pub fn open(
        target: Target,
        input: &mut Input<'_>,
        (own, extra): (&[String], &[String]),
        added: &AddedColumns,
        run: MatchRun<'_>,
    ) -> anyhow::Result<Self> {
        let MatchRun { arguments, resumable } = run;
        let (columns, is_safe) = ([own, extra].concat(), arguments.csv_safe);
        if let Target::Converted(InputFormat::Parquet) = target {
            return Self::parquet(run, input, &columns, added);
        }
        let mut output = Output::open_or(resumable, arguments.out.as_deref())?;
        let dialect = match target {
            Target::Rows => {
                let writer = RowWriter::new(output, &input.rows, columns.len(), &added.names);
                let mut writer = writer.csv_safe(is_safe).encoded(arguments.output_encoding.as_deref());
                writer.begin(&mut input.rows, extra)?;
                return Ok(Self::Rows(writer));
            }
            Target::Candidates => {
                return Ok(Self::Candidates { output, suggests: arguments.suggest });
            }
            Target::Converted(InputFormat::Jsonl) => {
                let keys = distinct(&columns).into_iter().chain(added.names.iter().cloned());
                let keys = keys.map(|key| Value::from(key).to_string()).collect();
                return Ok(Self::Objects { output, keys });
            }
            Target::Converted(InputFormat::Csv) => Dialect::of(b','),
            Target::Converted(_) => Dialect::TSV,
        };
        let label = arguments.output_encoding.as_deref();
        let encoding = label.and_then(Encoding::of_output).unwrap_or(input.rows.encoding());
        output.put(encoding.mark())?;
        output.put(&line(columns.iter().chain(&added.names), dialect, encoding, is_safe)?)?;
        Ok(Self::Delimited { output, dialect, encoding, is_safe })
    }

    fn parquet(run: MatchRun<'_>, input: &Input<'_>, columns: &[String], added: &AddedColumns) -> anyhow::Result<Self> {
        let arguments = run.arguments;
        if run.resumable.is_some() {
            let message = "--resume cannot go on with a Parquet table; `truename batch match` makes it in parts";
            return Err(UsageError(message.into()).into());
        }
        let copies = input.format == InputFormat::Parquet;
        let column = |name: &String, is_number| ParquetColumn { name: name.clone(), is_number };
        let mut gained: Vec<ParquetColumn> = added.names.iter().map(|name| column(name, false)).collect();
        gained[PROBABILITY].is_number = true;
        let own = if copies { Vec::new() } else { distinct(columns) };
        let all: Vec<ParquetColumn> = own.iter().map(|name| column(name, false)).chain(gained).collect();
        let out = arguments.out.as_deref().context("a Parquet table is written to a file")?;
        let files = if copies { &input.files[..] } else { &[] };
        let writer = ParquetWriter::open(AtomicFile::create(out)?, files, input.row_range(), &all);
        let writer = Box::new(writer.with_context(|| format!("cannot write {}", out.display()))?);
        Ok(Self::Parquet { writer, copies })
    }

    /// Returns true if [`Sink::write`] takes the values of rows.
    pub fn needs_values(&self) -> bool {
        matches!(self, Self::Delimited { .. } | Self::Objects { .. } | Self::Parquet { copies: false, .. })
    }

    /// Returns true if a row with more cells than the columns cannot be written.
    pub fn needs_columns(&self) -> bool {
        !matches!(self, Self::Candidates { .. })
    }

    /// Refuses an object that has an added field already.
    pub fn check_fields(&self, fields: &Map<String, Value>, path: &std::path::Path, line: u64) -> anyhow::Result<()> {
        if let Self::Rows(writer) = self { writer.check_fields(fields, path, line) } else { Ok(()) }
    }

    /// Writes a row with its answer; `own` has one value a column where they are needed.
    pub fn write(&mut self, record: Record, own: Vec<Value>, link: &Link, added: &AddedColumns) -> anyhow::Result<()> {
        match self {
            Self::Rows(writer) => writer.put(record, &added.values(link)),
            Self::Candidates { output, suggests } => {
                let of = if *suggests { NameLine::with_suggestion } else { NameLine::new };
                output.put(&[serde_json::to_vec(&of(link))?, b"\n".to_vec()].concat())
            }
            Self::Parquet { writer, .. } => {
                writer.write(own.into_iter().chain(added.values(link)).collect()).context("cannot write the results")
            }
            Self::Objects { output, keys } => {
                let values = own.into_iter().chain(added.values(link));
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
                let values = added.values(link);
                let cells = own.chain(values.iter().map(|value| cell(value).into_owned()));
                output.put(&line(cells, *dialect, *encoding, *is_safe)?)
            }
        }
    }

    /// Writes a row without a name: unchanged, where rows are written as they are; in JSONL an object with the fault of a malformed one.
    pub fn pass(&mut self, record: &Record, fault: Option<&str>, encoding: Encoding) -> anyhow::Result<()> {
        match (self, fault) {
            (Self::Rows(writer), fault) => writer.pass(record, fault),
            (Self::Candidates { output, .. } | Self::Objects { output, .. }, Some(fault)) => {
                output.put((error_object(fault, record, encoding) + "\n").as_bytes())
            }
            _ => Ok(()),
        }
    }

    /// Flushes what the reader of a pipe waits for.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Rows(writer) => Ok(writer.flush()?),
            Self::Candidates { output, .. } => Ok(output.flush()?),
            Self::Delimited { .. } | Self::Objects { .. } | Self::Parquet { .. } => Ok(()),
        }
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Rows(writer) => writer.finish(),
            Self::Parquet { writer, .. } => writer.finish().context("cannot write the results")?.finish(),
            Self::Candidates { output, .. } | Self::Objects { output, .. } | Self::Delimited { output, .. } => {
                output.finish()
            }
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
