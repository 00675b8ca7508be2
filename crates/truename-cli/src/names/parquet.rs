//! Parquet tables: read with columns added, and written from tables of text.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter};
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;
use serde_json::Value;
use truename::{Link, Linker};
use truename_read::Encoding;

use super::added::{Added, cell};
use super::column::{column, name_column, quoted};
use super::context::InContext;
use super::converter::Converter;
use super::tally::Tally;
use super::{PIECE, Target, json_line};
use crate::arguments::Match;
use crate::atomic_file::AtomicFile;
use crate::exit_code::UsageError;
use crate::output::Output;
use crate::{bars, interrupt};

/// Position of the probability among the added columns; it is a number, the others are text.
const PROBABILITY: usize = 3;

/// Links the names of a Parquet table and writes the results.
pub fn run(arguments: &Match, target: Target, linker: &Linker, tally: &mut Tally, quiet: bool) -> anyhow::Result<()> {
    if arguments.file == Path::new("-") {
        return Err(UsageError("Parquet cannot be read from stdin; give a file".into()).into());
    }
    let failed = || format!("cannot read {}", arguments.file.display());
    let file = File::open(&arguments.file).with_context(|| format!("cannot open {}", arguments.file.display()))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).with_context(failed)?;
    let (schema, metadata) = (builder.schema().clone(), builder.metadata().clone());
    let present: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let names_at = name_column(&present, arguments.column.as_deref())?;
    let contexts_at = arguments.context_column.as_deref();
    let contexts_at = contexts_at.map(|wanted| column(&present, wanted, "--context-column")).transpose()?;
    let added = Added::beside(&present, arguments);
    let bar = bars::count_bar(metadata.file_metadata().num_rows().unsigned_abs(), quiet);
    let mut sink = Sink::open(arguments, target, &schema, &present, &added, &metadata)?;
    for batch in builder.with_batch_size(PIECE).build().with_context(failed)? {
        anyhow::ensure!(!interrupt::asked(), "interrupted");
        let batch = batch.with_context(failed)?;
        let texts = |at: usize| texts(batch.column(at)).with_context(|| format!("column {}", quoted(&present[at])));
        let names = texts(names_at)?.into_iter();
        let names: Vec<InContext> = match contexts_at {
            Some(at) => names.zip(texts(at)?).map(|(name, text)| InContext::new(name, text)).collect(),
            None => names.map(InContext::alone).collect(),
        };
        let links = tally.link(linker, &names)?;
        sink.write(batch, &links, &added, arguments)?;
        bar.inc(names.len() as u64);
    }
    bar.finish_and_clear();
    sink.finish()
}

/// Reads the columns and rows of a table as text; a null is an empty value.
pub fn read_whole(path: &Path) -> anyhow::Result<(Vec<String>, Vec<Vec<String>>)> {
    let failed = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).with_context(failed)?;
    let names: Vec<String> = builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut rows = Vec::new();
    for batch in builder.with_batch_size(PIECE).build().with_context(failed)? {
        interrupt::check()?;
        let batch = batch.with_context(failed)?;
        let columns = batch.columns().iter().map(values).collect::<Result<Vec<_>, _>>()?;
        let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
        for _ in 0..batch.num_rows() {
            rows.push(columns.iter_mut().map(|column| plain(column.next().unwrap_or_default())).collect());
        }
    }
    Ok((names, rows))
}

fn plain(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Output of the answers.
enum Sink {
    Candidates(Output),
    Converted(Converter),
    Table { writer: Box<ArrowWriter<AtomicFile>>, schema: SchemaRef },
}

impl Sink {
    fn open(
        arguments: &Match,
        target: Target,
        schema: &SchemaRef,
        present: &[String],
        added: &Added,
        metadata: &ParquetMetaData,
    ) -> anyhow::Result<Self> {
        match target {
            Target::Candidates => return Ok(Self::Candidates(Output::open(arguments.out.as_deref())?)),
            Target::Converted(format) => {
                let encoding = Encoding::UTF_8;
                return Ok(Self::Converted(Converter::open(format, arguments, present, added, encoding)?));
            }
            Target::Rows => {}
        }
        let Some(out) = &arguments.out else {
            let message =
                "a Parquet table is written to a file: say --out FILE.parquet, --out FILE.csv or --format jsonl";
            return Err(UsageError(message.into()).into());
        };
        let fields = schema.fields().iter().cloned().chain(added_fields(&added.names));
        let schema = Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()));
        Ok(Self::Table { writer: Box::new(writer(out, &schema, properties(metadata))?), schema })
    }

    fn write(&mut self, batch: RecordBatch, links: &[Link], added: &Added, arguments: &Match) -> anyhow::Result<()> {
        match self {
            Self::Candidates(output) => {
                for link in links {
                    output.put(&json_line(link, arguments.suggest)?)?;
                }
                Ok(std::io::Write::flush(output)?)
            }
            Self::Converted(converter) => {
                let columns = batch.columns().iter().map(values).collect::<Result<Vec<_>, _>>()?;
                let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
                for link in links {
                    let row = columns.iter_mut().map(|column| column.next().unwrap_or_default());
                    converter.write(row.collect(), added.values(link))?;
                }
                Ok(())
            }
            Self::Table { writer, schema } => {
                let rows: Vec<Vec<Value>> = links.iter().map(|link| added.values(link)).collect();
                let mut columns = batch.columns().to_vec();
                columns.extend(added_arrays(&rows, added.names.len()));
                writer.write(&RecordBatch::try_new(schema.clone(), columns)?).context("cannot write the results")
            }
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Candidates(output) => output.finish(),
            Self::Converted(converter) => converter.finish(),
            Self::Table { writer, .. } => writer.into_inner().context("cannot write the results")?.finish(),
        }
    }
}

/// Writes rows of text as a Parquet table.
pub struct Writer {
    writer: Box<ArrowWriter<AtomicFile>>,
    schema: SchemaRef,
    own: Vec<Vec<Value>>,
    added: Vec<Vec<Value>>,
}

impl Writer {
    /// Opens the output with text columns and the added columns.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn open(out: Option<&Path>, columns: &[String], added: &[String]) -> anyhow::Result<Self> {
        let out = out.context("a Parquet table is written to a file")?;
        let own = columns.iter().map(|name| Arc::new(Field::new(name, DataType::Utf8, true)));
        let schema = Arc::new(Schema::new(own.chain(added_fields(added)).collect::<Vec<_>>()));
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = Box::new(writer(out, &schema, properties)?);
        Ok(Self { writer, schema, own: Vec::new(), added: Vec::new() })
    }

    pub fn write(&mut self, own: Vec<Value>, added: Vec<Value>) -> anyhow::Result<()> {
        self.own.push(own);
        self.added.push(added);
        if self.own.len() < PIECE { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let (own, added) = (std::mem::take(&mut self.own), std::mem::take(&mut self.added));
        let columns = self.schema.fields().len();
        let Some(width) = own.first().map(Vec::len) else { return Ok(()) };
        let mut arrays: Vec<ArrayRef> = (0..width).map(|column| text_array(&own, column)).collect();
        arrays.extend(added_arrays(&added, columns - width));
        self.writer.write(&RecordBatch::try_new(self.schema.clone(), arrays)?).context("cannot write the results")
    }

    pub fn finish(mut self) -> anyhow::Result<()> {
        self.flush()?;
        self.writer.into_inner().context("cannot write the results")?.finish()
    }
}

fn writer(out: &Path, schema: &SchemaRef, properties: WriterProperties) -> anyhow::Result<ArrowWriter<AtomicFile>> {
    ArrowWriter::try_new(AtomicFile::create(out)?, schema.clone(), Some(properties))
        .with_context(|| format!("cannot write {}", out.display()))
}

fn added_fields(names: &[String]) -> impl Iterator<Item = FieldRef> {
    names.iter().enumerate().map(|(at, name)| {
        let kind = if at == PROBABILITY { DataType::Float64 } else { DataType::Utf8 };
        Arc::new(Field::new(name, kind, true))
    })
}

/// Returns writer properties with each column's compression and the key-value metadata of the input.
fn properties(metadata: &ParquetMetaData) -> WriterProperties {
    let kept = metadata
        .file_metadata()
        .key_value_metadata()
        .map(|pairs| pairs.iter().filter(|pair| pair.key != ARROW_SCHEMA_META_KEY).cloned().collect());
    let mut properties = WriterProperties::builder().set_key_value_metadata(kept);
    for column in metadata.row_groups().first().map(|group| group.columns()).unwrap_or_default() {
        properties = properties
            .set_column_compression(column.column_path().clone(), column.compression())
            .set_compression(column.compression());
    }
    properties.build()
}

fn added_arrays(rows: &[Vec<Value>], width: usize) -> Vec<ArrayRef> {
    let probability = |row: &Vec<Value>| row[PROBABILITY].as_f64().unwrap_or_default();
    (0..width)
        .map(|column| -> ArrayRef {
            if column == PROBABILITY {
                return Arc::new(Float64Array::from_iter_values(rows.iter().map(probability)));
            }
            text_array(rows, column)
        })
        .collect()
}

/// Returns a column of text; missing answers are null, as usual in Parquet.
fn text_array(rows: &[Vec<Value>], column: usize) -> ArrayRef {
    let text = |row: &Vec<Value>| (!row[column].is_null()).then(|| cell(&row[column]));
    Arc::new(rows.iter().map(text).collect::<StringArray>())
}

/// Returns the values of a column: numbers, booleans and nulls as such, anything else as text.
fn values(column: &ArrayRef) -> anyhow::Result<Vec<Value>> {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(column, &options)?;
    let kind = column.data_type();
    // JSON numbers may lose digits of a decimal.
    let is_text = !(kind.is_integer() || kind.is_floating() || kind == &DataType::Boolean);
    let value = |row| {
        if column.is_null(row) {
            return Ok(Value::Null);
        }
        let text = formatter.value(row).try_to_string()?;
        // Numbers that JSON lacks, such as NaN, stay text.
        let number = if is_text { None } else { serde_json::from_str(&text).ok() };
        Ok(number.unwrap_or(Value::String(text)))
    };
    (0..column.len()).map(value).collect()
}

/// Returns the texts of a column; a null is an empty name.
fn texts(column: &ArrayRef) -> anyhow::Result<Vec<String>> {
    fn owned<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
        values.map(|value| value.unwrap_or_default().to_owned()).collect()
    }
    Ok(match column.data_type() {
        DataType::Utf8 => owned(column.as_string::<i32>().iter()),
        DataType::LargeUtf8 => owned(column.as_string::<i64>().iter()),
        DataType::Utf8View => owned(column.as_string_view().iter()),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let values = texts(dictionary.values())?;
            if values.is_empty() {
                return Ok(vec![String::new(); column.len()]);
            }
            let keys = dictionary.normalized_keys();
            let text = |row| if column.is_null(row) { String::new() } else { values[keys[row]].clone() };
            (0..column.len()).map(text).collect()
        }
        other => bail!("holds {other} and not text"),
    })
}
