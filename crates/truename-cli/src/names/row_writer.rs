//! Rows that gain cells or fields, and are otherwise written with the bytes that they have in the input.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value, json};
use truename_read::{Dialect, Encoding, Record, RowFormat, Rows};

use super::added::cell;
use super::input::{encode, finish, refused};
use crate::output::Output;

pub struct RowWriter {
    output: Output,
    /// Encoding of the rows that are read.
    input: Encoding,
    /// Encoding of the rows that are written.
    encoding: Encoding,
    /// Dialect of a table's rows.
    dialect: Option<Dialect>,
    format: RowFormat,
    /// Number of columns before those that are added.
    width: usize,
    /// Names of the added columns or fields.
    added: Vec<String>,
    /// True if formulas of a table are written as text.
    is_safe: bool,
}

impl RowWriter {
    /// Creates the writer of rows with `width` columns that gain `added`.
    pub fn new(output: Output, rows: &Rows<'_>, width: usize, added: &[String]) -> Self {
        let (dialect, encoding, format) = (rows.dialect(), rows.encoding(), rows.format());
        let added = added.to_vec();
        Self { output, input: encoding, encoding, dialect, format, width, added, is_safe: false }
    }

    /// Sets the encoding of the output; that of the input where there is no label.
    pub fn encoded(self, label: Option<&str>) -> Self {
        let encoding = label.and_then(Encoding::of_output).unwrap_or(self.input);
        Self { encoding, ..self }
    }

    /// Sets whether cells that a spreadsheet would run as formulas are written as text.
    pub fn csv_safe(self, is_safe: bool) -> Self {
        Self { is_safe, ..self }
    }

    /// Writes the lines above the header, and the header with the names of columns added; a list gets a header.
    pub fn begin(&mut self, rows: &mut Rows<'_>, extra: &[String]) -> anyhow::Result<()> {
        let (leading, header) = match rows.table_mut() {
            Some(table) => (std::mem::take(&mut table.leading), table.header.take()),
            None if self.format == RowFormat::Lines => (Vec::new(), Some(list_header(rows.peek()?))),
            None => (Vec::new(), None),
        };
        self.output.put(self.encoding.mark())?;
        self.output.put(&finish(self.encoding, self.recoded(leading)?)?)?;
        let names: Vec<Cow<'_, str>> = extra.iter().chain(&self.added).map(|name| name.clone().into()).collect();
        header.map_or(Ok(()), |header| self.put_cells(header, names.into_iter()))
    }

    /// Writes a row with its values, behind as many cells as the header has.
    pub fn put(&mut self, record: Record, values: &[Value]) -> anyhow::Result<()> {
        if self.format == RowFormat::Objects {
            return self.put_fields(record, values);
        }
        let missing = self.width.saturating_sub(record.width());
        self.put_cells(record, std::iter::repeat_n(Cow::Borrowed(""), missing).chain(values.iter().map(cell)))
    }

    /// Writes a row without values. In place of a malformed object stands one with the fault and the text.
    pub fn pass(&mut self, record: &Record, fault: Option<&str>) -> anyhow::Result<()> {
        if let Some(fault) = fault.filter(|_| self.format == RowFormat::Objects) {
            let error = encode(self.encoding, error_object(fault, record, self.input))?;
            return self.output.put(&finish(self.encoding, [&error, record.line_end].concat())?);
        }
        let safe = self.dialect.filter(|_| self.is_safe).and_then(|dialect| record.without_formulas(dialect));
        let content = self.recoded(safe.unwrap_or_else(|| record.content().to_vec()))?;
        self.output.put(&finish(self.encoding, [&content, record.line_end].concat())?)
    }

    /// Returns bytes of the input in the encoding of the output. What is not in the encoding of the input becomes U+FFFD.
    fn recoded(&self, bytes: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        if self.input.name() == self.encoding.name() {
            return Ok(bytes);
        }
        let text = self.input.decode(&bytes).unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned());
        encode(self.encoding, text)
    }

    fn put_cells<'c>(&mut self, record: Record, cells: impl Iterator<Item = Cow<'c, str>>) -> anyhow::Result<()> {
        let line_end = record.line_end;
        let safe = self.is_safe.then(|| record.without_formulas(self.dialect.unwrap_or(Dialect::TSV))).flatten();
        let mut row = self.recoded(safe.unwrap_or_else(|| record.into_content()))?;
        let dialect = self.dialect.unwrap_or_else(|| {
            // The list becomes a table, in which a tab would begin a new cell.
            row.iter_mut().filter(|byte| **byte == b'\t').for_each(|byte| *byte = b' ');
            Dialect::TSV
        });
        row.push(dialect.delimiter);
        row.extend(encode(self.encoding, dialect.row(cells, self.is_safe))?);
        row.extend(line_end);
        self.output.put(&finish(self.encoding, row)?)
    }

    /// Inserts fields before the object's last brace.
    fn put_fields(&mut self, record: Record, values: &[Value]) -> anyhow::Result<()> {
        let line_end = record.line_end;
        let mut row = self.recoded(record.into_content())?;
        let brace = row.iter().rposition(|byte| *byte == b'}').unwrap_or(row.len());
        let behind = row.split_off(brace);
        let fields = self.added.iter().zip(values).map(|(name, value)| format!("\"{name}\":{value}"));
        let comma = if row.trim_ascii_end().ends_with(b"{") { "" } else { "," };
        row.extend(encode(self.encoding, format!("{comma}{}", fields.collect::<Vec<_>>().join(",")))?);
        row.extend(behind);
        row.extend(line_end);
        self.output.put(&finish(self.encoding, row)?)
    }

    /// Refuses an object that has an added field already; objects of a file are read before the names are chosen.
    pub fn check_fields(&self, object: &Map<String, Value>, path: &Path, line: u64) -> anyhow::Result<()> {
        let Some(taken) = self.added.iter().find(|name| object.contains_key(*name)) else { return Ok(()) };
        let message = format!("the object has a field \"{taken}\" already");
        let hint = "give the objects as a file, all with the same fields: the added fields then get other names";
        Err(refused(path, line, &message, hint))
    }

    pub fn flush(&mut self) -> std::io::Result<()> {
        std::io::Write::flush(&mut self.output)
    }

    pub fn finish(self) -> anyhow::Result<()> {
        self.output.finish()
    }
}

/// Returns the JSON object that stands for a row without an answer: the fault, and the text of the row.
pub fn error_object(fault: &str, record: &Record, encoding: Encoding) -> String {
    let content = record.content();
    let text = encoding.decode(content).unwrap_or_else(|| String::from_utf8_lossy(content).into_owned());
    json!({"error": fault, "row": text}).to_string()
}

/// Returns the header that a list gets, with the line end of its first row.
fn list_header(first: Option<&Record>) -> Record {
    let line_end = first.map(|first| first.line_end).filter(|line_end| !line_end.is_empty());
    Record::of_bytes(b"name".to_vec(), line_end.unwrap_or(b"\n"), 0)
}
