//! Parquet tables, read as the CSV text of their rows, and written.

use std::fs::File;
use std::io::{self, Cursor, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter};
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use crate::error::Error;
use crate::options::SourceOptions;
use crate::reader::Reader;
use crate::record::Dialect;

/// Rows that are read or written together.
const BATCH: usize = 4096;

/// Returns the rows of a table as CSV and, for each column, true if its values are numbers or booleans.
pub(crate) fn open(path: &Path, file: File, options: &SourceOptions) -> Result<(Reader, Vec<bool>), Error> {
    let failed = |error| Error::io("read", path, error);
    let bytes = file.metadata().map_err(failed)?.len();
    let builder = builder(file, options.row_range.as_ref()).map_err(failed)?;
    let fields = builder.schema().fields();
    let literals = fields.iter().map(|field| is_literal(field.data_type())).collect();
    let header = Dialect::of(b',').row(fields.iter().map(|field| field.name()), false) + "\n";
    let rows = builder.metadata().file_metadata().num_rows().unsigned_abs().max(1);
    let on_read = options.on_read.clone();
    let watch = move |read: usize| on_read.iter().for_each(|on_read| on_read(read as u64 * bytes / rows));
    let batches = builder.build().map_err(io::Error::other).map_err(failed)?;
    Ok((Box::new(Csv { batches, text: Cursor::new(header.into_bytes()), watch: Box::new(watch) }), literals))
}

/// Returns a reader of all rows of a table, or of some, for which it reads the row groups that have them.
fn builder(file: File, rows: Option<&Range<u64>>) -> io::Result<ParquetRecordBatchReaderBuilder<File>> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(io::Error::other)?.with_batch_size(BATCH);
    let Some(rows) = rows else { return Ok(builder) };
    let (mut chosen, mut skipped, mut start) = (Vec::new(), 0, 0);
    for (group, count) in counts(builder.metadata()).enumerate() {
        let end = start + count;
        if start < rows.end && rows.start < end {
            skipped = if chosen.is_empty() { rows.start - start } else { skipped };
            chosen.push(group);
        }
        start = end;
    }
    if rows.is_empty() || rows.end > start {
        return Err(io::Error::other(format!("it has {start} rows, and not rows {rows:?}")));
    }
    let limit = rows.end - rows.start;
    Ok(builder.with_row_groups(chosen).with_offset(skipped as usize).with_limit(limit as usize))
}

/// Returns the number of rows of each row group of a Parquet table, in their order.
///
/// # Errors
/// If it cannot be read.
pub fn row_groups(path: &Path) -> Result<Vec<u64>, Error> {
    let failed = |error| Error::io("read", path, error);
    Ok(counts(builder(File::open(path).map_err(failed)?, None).map_err(failed)?.metadata()).collect())
}

fn counts(metadata: &ParquetMetaData) -> impl Iterator<Item = u64> {
    metadata.row_groups().iter().map(|group| group.num_rows().unsigned_abs())
}

/// Returns true if values are numbers or booleans of JSON, which may lose digits of a decimal.
fn is_literal(kind: &DataType) -> bool {
    kind.is_integer() || kind.is_floating() || kind == &DataType::Boolean
}

/// The text of a table, made batch by batch.
struct Csv {
    batches: ParquetRecordBatchReader,
    text: Cursor<Vec<u8>>,
    /// Called with the number of rows read.
    watch: Box<dyn Fn(usize) + Send>,
}

impl Read for Csv {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.text.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(batch) = self.batches.next() else { return Ok(0) };
            let batch = batch.map_err(io::Error::other)?;
            self.text = Cursor::new(csv(&batch).map_err(io::Error::other)?.into_bytes());
            (self.watch)(batch.num_rows());
        }
    }
}

fn csv(batch: &RecordBatch) -> Result<String, ArrowError> {
    let (dialect, options) = (Dialect::of(b','), FormatOptions::default());
    let columns = batch.columns().iter().map(|column| Ok((column, ArrayFormatter::try_new(column, &options)?)));
    let columns = columns.collect::<Result<Vec<_>, ArrowError>>()?;
    let mut text = String::new();
    for row in 0..batch.num_rows() {
        for (number, (column, formatter)) in columns.iter().enumerate() {
            text.push_str(if number > 0 { "," } else { "" });
            let is_null = column.is_null(row);
            let value = if is_null { String::new() } else { formatter.value(row).try_to_string()? };
            match value.is_empty() {
                // A row of one null would be an empty line.
                true if is_null && columns.len() > 1 => {}
                true => text.push_str("\"\""),
                false => text.push_str(&dialect.cell(&value)),
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// A column that a Parquet table gains.
pub struct ParquetColumn {
    /// Name of the column.
    pub name: String,
    /// True if its values are numbers; else they are text.
    pub is_number: bool,
}

/// A Parquet table that is being written: the rows of other Parquet tables with columns added, or rows of text alone.
pub struct ParquetWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: SchemaRef,
    /// Rows that are copied; none where the table has no columns but the added ones.
    copied: Option<Batches>,
    numbers: Vec<bool>,
    rows: Vec<Vec<Value>>,
}

/// The batches of several files.
type Batches = Box<dyn Iterator<Item = io::Result<RecordBatch>> + Send>;

impl<W: Write + Send> ParquetWriter<W> {
    /// Opens a table with the columns and rows of some Parquet files, which have one schema, and with further columns. Of one file some
    /// rows can be taken. Compression and metadata are those of the first file.
    ///
    /// # Errors
    /// If a file cannot be read or has another schema, or the output cannot be written.
    pub fn open(out: W, files: &[PathBuf], rows: Option<&Range<u64>>, added: &[ParquetColumn]) -> io::Result<Self> {
        let readers = files.iter().map(|path| builder(File::open(path)?, rows)).collect::<io::Result<Vec<_>>>()?;
        let first = readers.first().map(|first| (first.schema().clone(), properties(first.metadata())));
        let snappy = || WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let (own, properties) = first.unwrap_or_else(|| (Arc::new(Schema::empty()), snappy()));
        if let Some(at) = readers.iter().position(|reader| reader.schema().fields() != own.fields()) {
            let (other, first) = (files[at].display(), files[0].display());
            return Err(io::Error::other(format!("the columns of {other} have other types than those of {first}")));
        }
        let kind = |column: &ParquetColumn| if column.is_number { DataType::Float64 } else { DataType::Utf8 };
        let gained = added.iter().map(|column| Arc::new(Field::new(&column.name, kind(column), true)));
        let fields: Vec<_> = own.fields().iter().cloned().chain(gained).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, own.metadata().clone()));
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(io::Error::other)?;
        let batches = readers.into_iter().map(|reader| reader.build().map_err(io::Error::other));
        let batches = batches.collect::<io::Result<Vec<_>>>()?.into_iter().flatten();
        let copied: Option<Batches> =
            (!files.is_empty()).then(|| Box::new(batches.map(|batch| batch.map_err(io::Error::other))) as Batches);
        let numbers = added.iter().map(|column| column.is_number).collect();
        Ok(Self { writer, schema, copied, numbers, rows: Vec::new() })
    }

    /// Writes the values of the added columns of the next row.
    ///
    /// # Errors
    /// If the output cannot be written, or a copied file cannot be read.
    pub fn write(&mut self, values: Vec<Value>) -> io::Result<()> {
        self.rows.push(values);
        if self.copied.is_none() && self.rows.len() >= BATCH {
            let rows = std::mem::take(&mut self.rows);
            return self.put(Vec::new(), &rows);
        }
        self.copy(BATCH)
    }

    /// Writes copied batches as long as `wanted` rows or more have their values.
    fn copy(&mut self, wanted: usize) -> io::Result<()> {
        while let Some(copied) = self.copied.as_mut().filter(|_| self.rows.len() >= wanted && !self.rows.is_empty()) {
            let Some(batch) = copied.next() else { return Err(io::Error::other("the input has changed")) };
            let batch = batch?;
            let rows: Vec<_> = self.rows.drain(..batch.num_rows().min(self.rows.len())).collect();
            self.put(batch.columns().to_vec(), &rows)?;
        }
        Ok(())
    }

    fn put(&mut self, mut columns: Vec<ArrayRef>, rows: &[Vec<Value>]) -> io::Result<()> {
        for (at, is_number) in self.numbers.iter().enumerate() {
            columns.push(match is_number {
                true => Arc::new(rows.iter().map(|row| row[at].as_f64()).collect::<Float64Array>()),
                false => Arc::new(rows.iter().map(|row| text(&row[at])).collect::<StringArray>()),
            });
        }
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(io::Error::other)?;
        self.writer.write(&batch).map_err(io::Error::other)
    }

    /// Writes the rest of the table, and returns the output.
    ///
    /// # Errors
    /// As [`ParquetWriter::write`].
    pub fn finish(mut self) -> io::Result<W> {
        self.copy(1)?;
        let rows = std::mem::take(&mut self.rows);
        if !rows.is_empty() {
            self.put(Vec::new(), &rows)?;
        }
        self.writer.into_inner().map_err(io::Error::other)
    }
}

/// Returns a value as text; a list is joined by bars.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => Some(values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|")),
        other => Some(other.to_string()),
    }
}

/// Returns writer properties with each column's compression and the key-value metadata of a table.
fn properties(metadata: &ParquetMetaData) -> WriterProperties {
    let pairs = metadata.file_metadata().key_value_metadata();
    let kept = pairs.map(|pairs| pairs.iter().filter(|pair| pair.key != ARROW_SCHEMA_META_KEY).cloned().collect());
    let mut properties = WriterProperties::builder().set_key_value_metadata(kept);
    for column in metadata.row_groups().first().map(|group| group.columns()).unwrap_or_default() {
        properties = properties
            .set_column_compression(column.column_path().clone(), column.compression())
            .set_compression(column.compression());
    }
    properties.build()
}
