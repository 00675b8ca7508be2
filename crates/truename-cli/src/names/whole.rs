//! A table that is held whole in memory.

use std::collections::HashSet;
use std::path::Path;

use truename::Problem;
use truename_read::Table;

use super::column::folded;
use super::input::{Input, InputOptions, by_extension, table_options};
use super::parquet;
use crate::arguments::{InputFormat, TableArguments};
use crate::exit_code::UsageError;
use crate::interrupt;

/// Options of [`WholeTable::read`].
pub struct WholeTableOptions<'a> {
    pub format: Option<InputFormat>,
    pub table: TableArguments,
    pub input: InputOptions<'a>,
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
    pub fn read(path: &Path, options: &WholeTableOptions<'_>) -> anyhow::Result<Self> {
        let input = Input::open(path, options.input)?;
        let is_parquet = input.source.is_parquet() && input.source.is_file();
        let format = options.format.or_else(|| by_extension(path));
        let format = format.unwrap_or(if is_parquet { InputFormat::Parquet } else { InputFormat::Csv });
        match (format, options.table.delimiter) {
            (InputFormat::Parquet, Some(_)) => Err(UsageError("Parquet has no delimiter".into()).into()),
            (InputFormat::Parquet, None) => {
                let (columns, rows) = parquet::read_whole(path)?;
                Ok(Self { columns, rows, problems: Vec::new() })
            }
            (InputFormat::Csv | InputFormat::Tsv, _) => Self::of_text(input, format, path, options),
            (InputFormat::Text | InputFormat::Jsonl, _) => {
                let message = format!("{} is no table: records are read from CSV, TSV and Parquet", path.display());
                Err(UsageError(message).into())
            }
        }
    }

    fn of_text(
        input: Input,
        format: InputFormat,
        path: &Path,
        options: &WholeTableOptions<'_>,
    ) -> anyhow::Result<Self> {
        input.source.check_table()?;
        let bar = input.bar.clone();
        let mut text = Table::open(input.source, &table_options(&options.table, format, &[]))?;
        let mut table = Self { columns: text.columns.clone(), rows: Vec::new(), problems: Vec::new() };
        let (mut widest, columns) = (table.columns.len(), table.columns.len());
        while let Some(record) = text.read_filled()? {
            interrupt::check()?;
            let mut problem = |message: String| table.problems.push(Problem::new(path, record.line, message));
            let mut is_decoded = true;
            let decoded = |cell| {
                text.encoding().decode(cell).unwrap_or_else(|| {
                    is_decoded = false;
                    String::from_utf8_lossy(cell).into_owned()
                })
            };
            let row: Vec<String> = record.cells().map(decoded).collect();
            if !is_decoded {
                problem("a cell that is not in the expected encoding; read with U+FFFD".into());
            }
            if record.has_open_quote {
                problem("a quote that is never closed, so taken for a character".into());
            }
            let width = row.len();
            if width < columns {
                problem(format!("row has {width} of {columns} cells; filled up"));
            } else if width > columns {
                problem(format!("row has {width} cells, the header has {columns}; the rest gets columns of its own"));
            }
            widest = widest.max(width);
            table.rows.push(row);
        }
        bar.finish_and_clear();
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
