//! Clusters and pairs as tables, or as a page.

use std::path::Path;

use truename_read::Dialect;
use truename_records::{ClusterIds, ColumnLayout, MergeRule, MergeRules, Resolution, ScoredPair};

use super::input::Input;
use super::page;
use crate::arguments::{Dedupe, InputFormat, RecordFormat};
use crate::exit_code::UsageError;
use crate::names::added::free_names;
use crate::names::column::column;
use crate::names::input::by_extension;
use crate::output::Output;

/// The answers of a run.
pub struct Answers<'a> {
    pub input: &'a Input,
    pub resolution: &'a Resolution,
    /// Ids of the clusters.
    pub ids: &'a ClusterIds,
}

impl Answers<'_> {
    /// Returns the number of the cluster of a row.
    fn cluster(&self, side: usize, row: u32) -> u32 {
        let clusters = &self.resolution.clusters;
        if side == 0 { clusters.of_left(row) } else { clusters.of_right(row) }
    }
}

/// Writes the answers in the format asked for.
pub fn write(arguments: &Dedupe, answers: &Answers<'_>) -> anyhow::Result<()> {
    match arguments.format {
        RecordFormat::Html => page::write(arguments, answers.input, answers.resolution),
        RecordFormat::Pairs => write_pairs(arguments, answers),
        RecordFormat::Table => write_rows(arguments, answers),
        RecordFormat::Merged => write_merged(arguments, answers),
    }
}

/// Refuses outputs that cannot be written, before any work is done.
pub fn check(arguments: &Dedupe) -> Result<(), UsageError> {
    if !arguments.merge.is_empty() && arguments.format != RecordFormat::Merged {
        return Err(UsageError("--merge is for --format merged".into()));
    }
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

fn write_pairs(arguments: &Dedupe, answers: &Answers<'_>) -> anyhow::Result<()> {
    let Answers { input, resolution, ids } = answers;
    let mut rows = Rows::open(arguments)?;
    rows.put(["left", "right", "probability", "cluster"])?;
    for ScoredPair { pair, probability } in resolution.all_pairs() {
        let cluster = resolution.clusters.has(pair).then(|| ids.id(answers.cluster(0, pair.left)));
        if cluster.is_some() || arguments.all_pairs {
            let (left, right) = (input.tables.left.row_name(pair.left), input.tables.right().row_name(pair.right));
            rows.put([&*left, &*right, &shown(probability), &cluster.unwrap_or_default()])?;
        }
    }
    rows.out.finish()
}

/// Writes the rows of the tables with their clusters; those of two tables under the union of their columns.
fn write_rows(arguments: &Dedupe, answers: &Answers<'_>) -> anyhow::Result<()> {
    let Answers { input, resolution, ids } = answers;
    let best = resolution.best(input.tables.tables());
    let layout = ColumnLayout::of(input.tables.each());
    let is_one = input.tables.right.is_none() && input.tables.left.sources().is_none();
    let added: &[&str] = if is_one { &["cluster", "probability"] } else { &["table", "cluster", "probability"] };
    let added = free_names(&layout.columns, added);
    let mut rows = Rows::open(arguments)?;
    rows.put(layout.columns.iter().chain(&added).map(String::as_str))?;
    for (side, table) in input.tables.each().enumerate() {
        for row in 0..table.rows() as u32 {
            let cluster = ids.id(answers.cluster(side, row));
            let best = best[side][row as usize].map(shown).unwrap_or_default();
            // Probabilities have one digit before the point: the greater one is the later text.
            let best = input.probabilities.get(row as usize).map_or(&best, |before| before.max(&best));
            let name = table.part(row).unwrap_or(["left", "right"][side]);
            let cells = layout.row(side, table.row(row as usize)).into_iter().chain((!is_one).then_some(name));
            rows.put(cells.chain([&*cluster, best]))?;
        }
    }
    rows.out.finish()
}

/// Writes one row a cluster, in the order of their first rows.
fn write_merged(arguments: &Dedupe, answers: &Answers<'_>) -> anyhow::Result<()> {
    let layout = ColumnLayout::of(answers.input.tables.each());
    let columns = &layout.columns;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut clusters: Vec<Vec<usize>> = vec![Vec::new(); answers.resolution.clusters.count()];
    for (side, table) in answers.input.tables.each().enumerate() {
        for row in 0..table.rows() as u32 {
            clusters[answers.cluster(side, row) as usize].push(rows.len());
            rows.push(layout.row(side, table.row(row as usize)).into_iter().map(str::to_owned).collect());
        }
    }
    let mut rules = MergeRules::new(columns);
    if let Some(id) = &arguments.id_column {
        rules = rules.with(column(columns, id, "id_column")?, MergeRule::First);
    }
    let rules = rules.and(columns, &arguments.merge)?;
    rules.check(columns, &rows)?;
    let added = free_names(columns, &["cluster", "count"]);
    let mut out = Rows::open(arguments)?;
    out.put(columns.iter().chain(&added).map(String::as_str))?;
    for (cluster, members) in (0..).zip(&clusters) {
        let of: Vec<&[String]> = members.iter().map(|row| rows[*row].as_slice()).collect();
        let chosen = rules.choose(&of);
        let values = chosen.iter().enumerate().map(|(at, row)| row.map_or("", |row| of[row][at].as_str()));
        out.put(values.chain([&*answers.ids.id(cluster), &members.len().to_string()]))?;
    }
    out.out.finish()
}

fn shown(probability: f64) -> String {
    format!("{probability:.4}")
}
