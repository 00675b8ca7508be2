//! Parquet tables: the columns pass through, four are added.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;
use truename::{Link, Linker};

use super::delimited::name_column;
use super::tally::Tally;
use super::{added_cells, added_columns, json_line, probability};
use crate::arguments::{Match, OutputFormat};
use crate::atomic_file::AtomicFile;
use crate::exit_code::UsageError;
use crate::output::Output;
use crate::{interrupt, progress};

/// Rows read and linked at a time.
const PIECE: usize = 4096;

pub fn run(arguments: &Match, linker: &Linker, tally: &mut Tally, quiet: bool) -> anyhow::Result<()> {
    if arguments.file == Path::new("-") {
        return Err(UsageError("Parquet cannot be read from stdin; give a file".into()).into());
    }
    let failed = || format!("cannot read {}", arguments.file.display());
    let file = File::open(&arguments.file).with_context(|| format!("cannot open {}", arguments.file.display()))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).with_context(failed)?;
    let (schema, metadata) = (builder.schema().clone(), builder.metadata().clone());
    let present: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let column = name_column(&present, arguments.column.as_deref())?;
    let bar = progress::count_bar(metadata.file_metadata().num_rows().unsigned_abs(), quiet);
    let mut sink = Sink::open(arguments, &schema, &present, &metadata)?;
    for batch in builder.with_batch_size(PIECE).build().with_context(failed)? {
        anyhow::ensure!(!interrupt::asked(), "interrupted");
        let batch = batch.with_context(failed)?;
        let names = texts(batch.column(column)).with_context(|| format!("column \"{}\"", present[column]))?;
        let links = tally.link(linker, &names)?;
        sink.write(batch, &links)?;
        bar.inc(names.len() as u64);
    }
    bar.finish_and_clear();
    sink.finish()
}

/// Where the answers go.
enum Sink {
    Jsonl(Output),
    Table { writer: Box<ArrowWriter<AtomicFile>>, schema: SchemaRef, top: usize },
}

impl Sink {
    fn open(
        arguments: &Match,
        schema: &SchemaRef,
        present: &[String],
        metadata: &ParquetMetaData,
    ) -> anyhow::Result<Self> {
        if arguments.format == OutputFormat::Jsonl {
            return Ok(Self::Jsonl(Output::open(arguments.out.as_deref())?));
        }
        let Some(out) = &arguments.out else {
            return Err(UsageError("a Parquet table is written to a file: say --out, or --format jsonl".into()).into());
        };
        let top = arguments.top.unwrap_or(1) as usize;
        let mut fields: Vec<FieldRef> = schema.fields().iter().cloned().collect();
        for name in added_columns(present, top, arguments.explain) {
            let kind = if name.ends_with("probability") { DataType::Float64 } else { DataType::Utf8 };
            fields.push(Arc::new(Field::new(name, kind, true)));
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        let writer = ArrowWriter::try_new(AtomicFile::create(out)?, schema.clone(), Some(properties(metadata)))
            .with_context(|| format!("cannot write {}", out.display()))?;
        Ok(Self::Table { writer: Box::new(writer), schema, top })
    }

    fn write(&mut self, batch: RecordBatch, links: &[Link]) -> anyhow::Result<()> {
        match self {
            Self::Jsonl(output) => {
                for link in links {
                    output.put(&json_line(link)?)?;
                }
                Ok(std::io::Write::flush(output)?)
            }
            Self::Table { writer, schema, top } => {
                let mut columns = batch.columns().to_vec();
                columns.extend(added_arrays(links, *top));
                writer.write(&RecordBatch::try_new(schema.clone(), columns)?).context("cannot write the results")
            }
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Jsonl(output) => output.finish(),
            Self::Table { writer, .. } => writer.into_inner().context("cannot write the results")?.finish(),
        }
    }
}

/// The compression of each column and the key-value metadata as they were.
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

fn added_arrays(links: &[Link], top: usize) -> Vec<ArrayRef> {
    let cells: Vec<Vec<String>> = links.iter().map(|link| added_cells(link, top)).collect();
    let width = cells.first().map_or(0, Vec::len);
    (0..width)
        .map(|column| -> ArrayRef {
            if column == 3 {
                return Arc::new(Float64Array::from_iter_values(links.iter().map(probability)));
            }
            // An answer that is not there is null, as tables of this kind have it.
            let text = |row: &Vec<String>| Some(row[column].clone()).filter(|cell| !cell.is_empty());
            Arc::new(cells.iter().map(text).collect::<StringArray>())
        })
        .collect()
}

/// The texts of a column; a null is an empty name.
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
