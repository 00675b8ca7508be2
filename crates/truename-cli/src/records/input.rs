//! The tables to compare, as records.

use std::path::{Path, PathBuf};

use truename_read::Encoding;
use truename_records::{ColumnChoice, RecordTable, RecordTables};

use crate::arguments::{Dedupe, InputFormat};
use crate::exit_code::UsageError;
use crate::names::column::extra_columns;
use crate::names::input::{InputOptions, layout, told};
use crate::problems::{Fault, MalformedRows};
use crate::{interrupt, names};

/// One table or two.
pub struct Input {
    pub tables: RecordTables,
    /// Malformed rows of each table.
    pub malformed: Vec<MalformedRows>,
}

impl Input {
    pub fn read(arguments: &Dedupe, quiet: bool) -> anyhow::Result<Self> {
        let mut malformed = Vec::new();
        let mut table = |path: &PathBuf| {
            let (table, faults) = read(path, arguments, quiet)?;
            malformed.push(faults);
            anyhow::Ok(table)
        };
        let (left, right) = (table(&arguments.file)?, arguments.right.as_ref().map(&mut table).transpose()?);
        let choice = ColumnChoice {
            columns: arguments.columns.clone(),
            id_column: arguments.id_column.clone(),
            compare: arguments.compare.clone(),
        };
        Ok(Self { tables: RecordTables::new(left, right, &choice)?, malformed })
    }
}

/// Reads CSV, TSV or Parquet: a file, or those of a folder or a pattern. A row with fewer cells than the header is filled up;
/// the cells behind the last column get columns `extra_1` and so on.
fn read(path: &Path, arguments: &Dedupe, quiet: bool) -> anyhow::Result<(RecordTable, MalformedRows)> {
    let mut input = open(path, arguments, quiet)?;
    if let Some(table) = input.rows.table().filter(|table| table.columns.len() == 1 && arguments.columns.is_empty()) {
        // A title is no column.
        table.named_column(None, "column")?;
    }
    let mut columns = input.rows.table().map(|table| table.columns.clone()).unwrap_or_default();
    let (mut rows, mut malformed) = (Vec::new(), MalformedRows::new(arguments.strict));
    while let Some(record) = input.rows.read()? {
        interrupt::check()?;
        if !record.content().is_empty() {
            let (row, faults) = values(&record, columns.len(), input.rows.encoding());
            faults.into_iter().try_for_each(|fault| malformed.add(input.rows.path(), record.line, fault))?;
            rows.push(row);
        }
    }
    input.bar.finish_and_clear();
    columns.extend(extra_columns(&columns, rows.iter().map(Vec::len).max().unwrap_or_default()));
    Ok((RecordTable::new(path.display().to_string(), columns, rows), malformed))
}

fn open<'a>(path: &Path, arguments: &'a Dedupe, quiet: bool) -> anyhow::Result<names::input::Input<'a>> {
    let Dedupe { encoding, max_line_bytes, input_format, table, .. } = arguments;
    let options =
        InputOptions { encoding: encoding.as_deref(), max_line_bytes: *max_line_bytes, row_range: None, quiet };
    let told = |source: &_, first: Option<_>| told(source, *input_format, first.unwrap_or(InputFormat::Csv));
    names::input::Input::open(&[path.to_owned()], options, told, |format| match format {
        InputFormat::Text | InputFormat::Jsonl => {
            let message = format!("{} is no table: records are read from CSV, TSV and Parquet", path.display());
            Err(UsageError(message).into())
        }
        _ => Ok(layout(format, table, &[])?),
    })
}

/// Returns the values of a row, and what is wrong with it.
fn values(row: &truename_read::Record, columns: usize, encoding: Encoding) -> (Vec<String>, Vec<Fault>) {
    let mut faults = Vec::new();
    let values: Option<Vec<String>> = row.cells().map(|cell| encoding.decode(cell)).collect();
    let values = values.unwrap_or_else(|| {
        faults.push(Fault::answered("a cell that is not in the expected encoding; read with U+FFFD".into()));
        let lossy = |cell| encoding.decode(cell).unwrap_or_else(|| String::from_utf8_lossy(cell).into_owned());
        row.cells().map(lossy).collect()
    });
    faults.extend(row.quote_fault().map(|fault| Fault::answered(fault.into())));
    faults.extend(
        match values.len() {
            width if width < columns => Some(format!("row has {width} of {columns} cells; filled up")),
            width if width > columns => {
                Some(format!("row has {width} cells, the header has {columns}; the rest gets columns of its own"))
            }
            _ => None,
        }
        .map(Fault::answered),
    );
    (values, faults)
}
