//! A table that is held whole in memory.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Context;
use truename::Problem;

use super::column::folded;
use super::dialect::delimiter;
use super::encoding::Codec;
use super::parquet;
use super::record::{Cells, Dialect, Records};
use super::source::{Source, by_extension};
use crate::arguments::{Delimiter, InputFormat};
use crate::exit_code::UsageError;
use crate::interrupt;

/// Options of [`WholeTable::read`].
pub struct TableOptions<'a> {
    pub format: Option<InputFormat>,
    pub delimiter: Option<Delimiter>,
    pub encoding: Option<&'a str>,
    pub max_line_bytes: u64,
    pub quiet: bool,
}

/// The columns and rows of a table, every row with one value a column.
#[derive(Debug)]
pub struct WholeTable {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Malformed rows, each of which is kept.
    pub problems: Vec<Problem>,
}

impl WholeTable {
    /// Reads CSV, TSV or Parquet. A row with fewer cells than the header is filled up; the cells behind the last column get
    /// columns `extra_1` and so on.
    ///
    /// # Errors
    /// If the file cannot be read or is no table.
    pub fn read(path: &Path, options: &TableOptions<'_>) -> anyhow::Result<Self> {
        let source = Source::open(path, options.quiet)?;
        let format = options.format.or_else(|| by_extension(path));
        let format = format.unwrap_or(if source.is_parquet() { InputFormat::Parquet } else { InputFormat::Csv });
        match (format, options.delimiter) {
            (InputFormat::Parquet, Some(_)) => Err(UsageError("Parquet has no delimiter".into()).into()),
            (InputFormat::Parquet, None) => {
                let (columns, rows) = parquet::read_whole(path)?;
                Ok(Self { columns, rows, problems: Vec::new() })
            }
            (InputFormat::Csv | InputFormat::Tsv, _) => Self::of_text(source, format, path, options),
            (InputFormat::Text | InputFormat::Jsonl, _) => {
                let message = format!("{} is no table: records are read from CSV, TSV and Parquet", path.display());
                Err(UsageError(message).into())
            }
        }
    }

    fn of_text(source: Source, format: InputFormat, path: &Path, options: &TableOptions<'_>) -> anyhow::Result<Self> {
        let failed = || format!("cannot read {}", path.display());
        let codec = Codec::of(options.encoding, &source.beginning)?;
        source.check_text(path, codec)?;
        let dialect = match (format, options.delimiter) {
            (InputFormat::Tsv, None | Some(Delimiter(b'\t'))) => Dialect::TSV,
            (_, Some(Delimiter(said))) => Dialect::quoted(said),
            _ => Dialect::quoted(delimiter(&codec.preview(&source.beginning), source.is_whole, None)),
        };
        let bar = source.bar.clone();
        let longest = usize::try_from(options.max_line_bytes).unwrap_or(usize::MAX);
        let mut records = Records::new(source.into_text(codec).with_context(failed)?, Some(dialect), longest);
        let mut cells = Cells::new(dialect);
        let mut table = Self { columns: Vec::new(), rows: Vec::new(), problems: Vec::new() };
        let mut widest = 0;
        while let Some(record) = records.next().with_context(failed)? {
            interrupt::check()?;
            if record.content.is_empty() {
                continue;
            }
            let mut is_decoded = true;
            let decoded = |cell| {
                codec.decode(cell).unwrap_or_else(|| {
                    is_decoded = false;
                    String::from_utf8_lossy(cell).into_owned()
                })
            };
            let row: Vec<String> = cells.of(&record.content).into_iter().map(decoded).collect();
            if !is_decoded {
                let message = "a cell that is not in the expected encoding; read with U+FFFD";
                table.problems.push(Problem::new(path, record.line, message));
            }
            if table.columns.is_empty() {
                table.columns = row;
                continue;
            }
            let (width, columns) = (row.len(), table.columns.len());
            if width < columns {
                let message = format!("row has {width} of {columns} cells; filled up");
                table.problems.push(Problem::new(path, record.line, message));
            } else if width > columns {
                let message =
                    format!("row has {width} cells, the header has {columns}; the rest gets columns of its own");
                table.problems.push(Problem::new(path, record.line, message));
            }
            widest = widest.max(width);
            table.rows.push(row);
        }
        bar.finish_and_clear();
        anyhow::ensure!(!table.columns.is_empty(), "{} is empty: no header", path.display());
        table.widen(widest);
        Ok(table)
    }

    /// Gives all rows the width of the widest.
    fn widen(&mut self, widest: usize) {
        let taken: HashSet<String> = self.columns.iter().map(|column| folded(column)).collect();
        let free = (1..).map(|number| format!("extra_{number}")).filter(|name| !taken.contains(name));
        self.columns.extend(free.take(widest.saturating_sub(self.columns.len())));
        self.rows.iter_mut().for_each(|row| row.resize(self.columns.len(), String::new()));
    }
}
