//! Records that stand for the same thing.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use truename::Encoder;
use truename_eval::{FittedPairModel, PairModelSource};
use truename_records::{Blocking, ColumnChoice, ComparedTables, RecordTable, RecordTables, Resolver};

use crate::call::Call;
use crate::options::{keywords, probability};

/// Names of columns, or one name.
#[derive(Clone, FromPyObject)]
pub enum Names {
    /// One name.
    One(String),
    /// Several names.
    Several(Vec<String>),
}

impl Names {
    fn all(self) -> Vec<String> {
        match self {
            Self::One(name) => vec![name],
            Self::Several(names) => names,
        }
    }
}

keywords! {
    /// Options of a comparison of records.
    RecordKeywords {
        column: Names = Names::Several(Vec::new()),
        id_column: Option<String> = None,
        compare: Names = Names::Several(Vec::new()),
        model: Option<PathBuf> = None,
        labels: Option<PathBuf> = None,
        threshold: f64 = 0.5,
        neighbours: usize = Blocking::default().neighbours,
        encoder: Option<PathBuf> = None,
        one_to_one: bool = false,
    }
}

/// Columns of a table, and its rows.
type Table = (Vec<String>, Vec<Vec<String>>);

/// Clusters and the probabilities of the likeliest matches of the rows of each table, then matching pairs of rows.
type Matches = (Vec<(Vec<u32>, Vec<Option<f64>>)>, Vec<(u32, u32, f64)>);

/// Finds the rows of a table, or of two, that stand for the same thing.
#[pyfunction]
#[pyo3(name = "_dedupe", signature = (left, right, **options))]
pub fn dedupe(
    py: Python<'_>,
    left: Table,
    right: Option<Table>,
    options: Option<Bound<'_, PyDict>>,
) -> PyResult<Matches> {
    let options = RecordKeywords::read(if right.is_some() { "match_tables" } else { "dedupe" }, options.as_ref())?;
    probability("threshold", options.threshold)?;
    let call = Call::default();
    let progress = Arc::clone(&call.progress);
    let (matches, gain) = call.run(py, move || {
        let choice = ColumnChoice {
            columns: options.column.all(),
            id_column: options.id_column,
            compare: options.compare.all(),
        };
        let source = PairModelSource::open(options.model.as_deref(), options.labels.as_deref())?;
        let encoder = options.encoder.as_deref().map(Encoder::open).transpose()?;
        let table = |name, (columns, rows): Table| RecordTable::new(name, columns, rows);
        let right = right.map(|right| table("the right table", right));
        let input = RecordTables::new(table("the table", left), right, &choice)?;
        let tables = input.tables();
        let (neighbours, encoder) = (options.neighbours, encoder.as_ref());
        let candidates = Blocking { neighbours, encoder, progress: Arc::clone(&progress) }.pairs(tables)?.pairs;
        let (threshold, one_to_one) = (options.threshold, options.one_to_one);
        let compared = ComparedTables { tables: &input, pairs: &candidates };
        let FittedPairModel { model, gain } = source.fit(Some(compared), threshold)?;
        let scorer = model.scorer(tables);
        let found = Resolver { scorer: &*scorer, threshold, one_to_one, progress }.resolve(tables, &candidates)?;
        let clusters = |table: usize, row: u32| match table {
            0 => found.clusters.of_left(row),
            _ => found.clusters.of_right(row),
        };
        let best = found
            .best(tables)
            .into_iter()
            .enumerate()
            .map(|(table, best)| ((0..best.len() as u32).map(|row| clusters(table, row)).collect(), best));
        let within = found.all_pairs().into_iter().filter(|scored| found.clusters.has(scored.pair));
        let within = within.map(|scored| (scored.pair.left, scored.pair.right, scored.probability));
        Ok(((best.collect(), within.collect()), gain))
    })?;
    if let Some(gain) = gain {
        let level = if gain.kept { "info" } else { "warning" };
        let logger = py.import("logging")?.call_method1("getLogger", ("truename",))?;
        logger.call_method1(level, ("%s", gain.to_string()))?;
    }
    Ok(matches)
}
