//! The tables to compare, as records.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use truename_read::Encoding;
use truename_records::{BlockRule, Cells, ClusteredTable, ColumnChoice, RecordTable, RecordTables, StandingClusters};

use crate::arguments::{Dedupe, InputFormat};
use crate::exit_code::UsageError;
use crate::names::cells::without_nul;
use crate::names::column::extra_columns;
use crate::names::input::{InputOptions, layout, told};
use crate::problems::{Fault, MalformedRows};
use crate::{bars, interrupt, names};

/// One table or two.
pub struct Input {
    pub tables: RecordTables,
    /// The clusters of the first rows, where the table of an earlier run is given.
    pub standing: Option<StandingClusters>,
    /// Probability of the likeliest match of each of these rows by the earlier run.
    pub probabilities: Vec<String>,
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
        let (mut left, mut right) = (table(&arguments.file)?, arguments.right.as_ref().map(&mut table).transpose()?);
        if !arguments.further.is_empty() {
            let further: Vec<RecordTable> = arguments.further.iter().map(&mut table).collect::<Result<_, _>>()?;
            let mut tables: Vec<RecordTable> = std::iter::once(left).chain(right.take()).chain(further).collect();
            let names: Vec<String> = tables.iter().map(|table| short_name(&table.name)).collect();
            if names.iter().collect::<HashSet<_>>().len() == names.len() {
                tables.iter_mut().zip(names).for_each(|(table, name)| table.name = name);
            }
            left = RecordTable::linked(&tables);
        }
        let (mut standing, mut probabilities) = (None, Vec::new());
        if let Some(path) = &arguments.against {
            let both = ClusteredTable::new(table(path)?, &arguments.cluster_column)?.with(left);
            (left, standing, probabilities) = (both.table, Some(both.clusters), both.probabilities);
        }
        let choice = ColumnChoice {
            columns: arguments.columns.clone(),
            id_column: arguments.id_column.clone(),
            compare: arguments.compare.clone(),
            types: arguments.types.clone(),
        };
        Ok(Self { tables: RecordTables::new(left, right, &choice)?, standing, probabilities, malformed })
    }
}

/// Reads the rules of blocking.
pub fn block_rules(texts: &[String]) -> Result<Vec<BlockRule>, UsageError> {
    let rule = |text: &String| {
        text.parse().map_err(|error: truename::Error| {
            let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
            UsageError(format!("--block: {error}{hint}"))
        })
    };
    texts.iter().map(rule).collect()
}

/// Returns the name of a file without folders and extensions.
pub fn short_name(path: &str) -> String {
    let file = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
    file.split('.').find(|part| !part.is_empty()).unwrap_or(path).to_owned()
}

/// Reads CSV, TSV or Parquet: a file, or those of a folder or a pattern. A row with fewer cells than the header is filled up;
/// the cells behind the last column get columns `extra_1` and so on.
fn read(path: &Path, arguments: &Dedupe, quiet: bool) -> anyhow::Result<(RecordTable, MalformedRows)> {
    let mut input = open(path, arguments, quiet)?;
    if let Some(table) = input.rows.table().filter(|table| table.columns.len() == 1 && arguments.columns.is_empty()) {
        // A title is no column.
        table.named_column(None, "column")?;
    }
    if !quiet {
        input.header_note(&[]).iter().for_each(|note| crate::say!("{note}"));
    }
    let mut columns = input.rows.table().map(|table| table.columns.clone()).unwrap_or_default();
    let (mut cells, mut malformed) = (Cells::default(), MalformedRows::new(arguments.strict));
    while let Some(record) = input.rows.read()? {
        interrupt::check()?;
        if !record.content().is_empty() {
            let (row, faults) = values(&record, columns.len(), input.rows.encoding());
            faults.into_iter().try_for_each(|fault| malformed.add(input.rows.path(), record.line, fault))?;
            cells.push(row);
        }
    }
    input.bar.finish_and_clear();
    columns.extend(extra_columns(&columns, cells.width()));
    Ok((RecordTable::of_cells(path.display().to_string(), columns, cells), malformed))
}

fn open<'a>(path: &Path, arguments: &'a Dedupe, quiet: bool) -> anyhow::Result<names::input::Input<'a>> {
    let Dedupe { encoding, max_line_bytes, input_format, table, out, .. } = arguments;
    let quiet = quiet || bars::is_in_the_way(out.as_ref());
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
    let values: Vec<String> = values.into_iter().map(without_nul).collect();
    faults.extend(row.fault().map(|fault| Fault::answered(fault.into())));
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
