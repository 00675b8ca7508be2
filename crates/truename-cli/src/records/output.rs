//! Clusters and pairs as tables, or as a page.

use std::collections::HashMap;
use std::path::Path;

use truename_read::{Dialect, folded};
use truename_records::{RecordTable, RecordTables, Resolution, ScoredPair};

use super::input::Input;
use super::page;
use crate::arguments::{Dedupe, InputFormat, RecordFormat};
use crate::exit_code::UsageError;
use crate::names::added::free_names;
use crate::names::input::by_extension;
use crate::output::Output;

/// Writes the answers in the format asked for.
pub fn write(arguments: &Dedupe, input: &Input, resolution: &Resolution) -> anyhow::Result<()> {
    match arguments.format {
        RecordFormat::Html => page::write(arguments, input, resolution),
        RecordFormat::Pairs => write_pairs(arguments, input, resolution),
        RecordFormat::Table => write_rows(arguments, input, resolution),
    }
}

/// Refuses outputs that cannot be written, before any work is done.
pub fn check(arguments: &Dedupe) -> Result<(), UsageError> {
    let format = arguments.out.as_deref().and_then(by_extension);
    match (arguments.format, format) {
        (RecordFormat::Html, _) | (_, None | Some(InputFormat::Csv | InputFormat::Tsv)) => Ok(()),
        (_, Some(_)) => Err(UsageError("the answers are written as CSV or TSV; call the output .csv or .tsv".into())),
    }
}

fn dialect(out: Option<&Path>) -> Dialect {
    match out.and_then(by_extension) {
        Some(InputFormat::Tsv) => Dialect::TSV,
        _ => Dialect::of(b','),
    }
}

struct Rows {
    out: Output,
    dialect: Dialect,
    /// True if formulas are written as text.
    is_safe: bool,
}

impl Rows {
    fn open(arguments: &Dedupe) -> anyhow::Result<Self> {
        let out = arguments.out.as_deref();
        Ok(Self { out: Output::open(out)?, dialect: dialect(out), is_safe: arguments.csv_safe })
    }

    fn put<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) -> anyhow::Result<()> {
        self.out.put((self.dialect.row(cells, self.is_safe) + "\n").as_bytes())
    }
}

fn write_pairs(arguments: &Dedupe, input: &Input, resolution: &Resolution) -> anyhow::Result<()> {
    let mut rows = Rows::open(arguments)?;
    rows.put(["left", "right", "probability", "cluster"])?;
    for ScoredPair { pair, probability } in resolution.all_pairs() {
        let cluster = resolution.clusters.has(pair).then(|| number(resolution.clusters.of_left(pair.left)));
        if cluster.is_some() || arguments.all_pairs {
            let (left, right) = (input.tables.left.row_name(pair.left), input.tables.right().row_name(pair.right));
            rows.put([&left, &right, &shown(probability), cluster.as_deref().unwrap_or_default()])?;
        }
    }
    rows.out.finish()
}

/// Writes the rows of the tables with their clusters; those of two tables under the union of their columns.
fn write_rows(arguments: &Dedupe, input: &Input, resolution: &Resolution) -> anyhow::Result<()> {
    let best = resolution.best(input.tables.tables());
    let Layout { columns, places } = Layout::of(&input.tables);
    let is_one = input.tables.right.is_none();
    let added: &[&str] = if is_one { &["cluster", "probability"] } else { &["table", "cluster", "probability"] };
    let added = free_names(&columns, added);
    let mut rows = Rows::open(arguments)?;
    rows.put(columns.iter().copied().chain(added.iter().map(String::as_str)))?;
    for (side, table) in input.tables.each().enumerate() {
        let name = if side == 0 { "left" } else { "right" };
        for (row, own) in (0..).zip(&table.rows) {
            let mut cells = vec![""; columns.len()];
            own.iter().zip(&places[side]).for_each(|(value, place)| cells[*place] = value);
            let clusters = &resolution.clusters;
            let cluster = number(if side == 0 { clusters.of_left(row) } else { clusters.of_right(row) });
            let best = best[side][row as usize].map(shown).unwrap_or_default();
            rows.put(cells.into_iter().chain((!is_one).then_some(name)).chain([cluster.as_str(), &best]))?;
        }
    }
    rows.out.finish()
}

/// Columns of the answers, and the place of each table's columns among them.
struct Layout<'a> {
    columns: Vec<&'a str>,
    places: Vec<Vec<usize>>,
}

impl<'a> Layout<'a> {
    /// Lays the columns of two tables that have one name over each other; the second of one name in a table stays apart.
    fn of(tables: &'a RecordTables) -> Self {
        let mut columns: Vec<&str> = Vec::new();
        let mut known: HashMap<(String, usize), usize> = HashMap::new();
        let places = |table: &'a RecordTable| {
            let mut seen: HashMap<String, usize> = HashMap::new();
            let place = |column: &'a String| {
                let count = seen.entry(folded(column)).or_default();
                *count += 1;
                *known.entry((folded(column), *count)).or_insert_with(|| {
                    columns.push(column);
                    columns.len() - 1
                })
            };
            table.columns.iter().map(place).collect()
        };
        let places = tables.each().map(places).collect();
        Self { columns, places }
    }
}

/// Numbers clusters from 1.
fn number(cluster: u32) -> String {
    (u64::from(cluster) + 1).to_string()
}

fn shown(probability: f64) -> String {
    format!("{probability:.4}")
}
