//! Records of the parts of a table, as clusters of machines compare them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatch;
use truename_error::{Error, ErrorKind, HintPart, hint};
use truename_eval::{ComparedPairs, PairModelSource};
use truename_records::{
    BlockRule, Blocking, Cells, ColumnChoice, ColumnTypes, ComparedTables, FellegiSunterModel, PairScorer, Record,
    RecordPair, RecordTable, RecordTables, Resolver, Tables, UnsupervisedScorer, ValueFrequencies, ValueText,
    found_rules,
};

use crate::call::Call;
use crate::error::raised;
use crate::options::probability;
use crate::records::{RecordKeywords, Table, record_table};

/// Names of the columns that are compared, the model as JSON, and the rules of blocking.
type SampleFit = (Vec<String>, String, Vec<String>);

/// Cluster of each record by its first one and the probability of its likeliest match, then for each record that is repeated whether further
/// ones are in its cluster, and the probability of the first two.
type Resolved = (Vec<u32>, Vec<Option<f64>>, Vec<bool>, Vec<Option<f64>>);

/// Fits a model to a sample of a table that has a share of its rows, and finds rules of blocking, unless they are given.
#[pyfunction]
#[pyo3(name = "_fit_sample", signature = (table, share, **options))]
pub fn fit_sample(py: Python<'_>, table: Table, share: f64, options: Option<Bound<'_, PyDict>>) -> PyResult<SampleFit> {
    let options = RecordKeywords::read("dedupe", options.as_ref())?;
    probability("threshold", options.threshold)?;
    let call = Call::default();
    let progress = Arc::clone(&call.progress);
    call.run(py, move || {
        let choice = options.choice()?;
        let fitted = options.model.is_none();
        let source = PairModelSource::open(options.model.as_deref(), None, Some(UnsupervisedScorer::FellegiSunter))?;
        let input = RecordTables::new(record_table("the frame", table), None, &choice)?;
        let tables = input.tables();
        let mut rules = options.block.all().iter().map(|rule| rule.parse()).collect::<Result<Vec<BlockRule>, _>>()?;
        if rules.is_empty() {
            rules = found_rules(tables, &ColumnTypes::of(tables).with(&input.types), share);
        }
        if rules.is_empty() {
            return Err(Error::new(ErrorKind::Choice, "no rule of blocking is found in the columns")
                .with_hint(hint![HintPart::setting("block").value("postcode + soundex(last)")]));
        }
        let blocking = Blocking { neighbours: 0, rules: &rules, progress, ..Blocking::default() };
        // A model that is given is checked against the columns alone.
        let looked_at = if fitted { tables } else { Tables::One(tables.left().get(..1).unwrap_or_default()) };
        let pairs = blocking.pairs(looked_at)?.pairs;
        let compared = ComparedPairs::Tables(ComparedTables { tables: &input, pairs: &pairs });
        let model = source.fit(compared, options.threshold)?.model.fellegi_sunter()?.clone();
        let model = if fitted { model.of_sample(share) } else { model };
        if !fitted {
            model.scorer(looked_at)?;
        }
        let columns = tables.left().first().map_or_else(Vec::new, |record| record.columns().to_vec());
        Ok((columns, model.to_json(), rules.iter().map(ToString::to_string).collect()))
    })
}

/// A Fellegi–Sunter model that compares the records of parts of a table.
#[pyclass(frozen, module = "truename._truename", name = "_RecordParts")]
pub struct RecordParts {
    columns: Vec<String>,
    model: FellegiSunterModel,
    rules: Vec<BlockRule>,
    /// None while they are counted.
    frequencies: Option<ValueFrequencies>,
}

impl RecordParts {
    /// Runs work on one thread: a cluster has a task a core.
    fn run<T: Send + 'static>(
        this: &Bound<'_, Self>,
        batches: Vec<PyRecordBatch>,
        work: impl FnOnce(&Self, Vec<RecordTables>) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let parts = this.clone().unbind();
        let batches: Vec<RecordBatch> = batches.into_iter().map(PyRecordBatch::into_inner).collect();
        Call::on(1).run(this.py(), move || {
            let parts = parts.get();
            let tables = batches.iter().map(|batch| parts.tables(batch)).collect::<Result<_, _>>()?;
            work(parts, tables)
        })
    }

    /// Returns the records of a batch, whose columns are those that are compared, in their order.
    fn tables(&self, batch: &RecordBatch) -> Result<RecordTables, Error> {
        let text = |column: &ArrayRef| cast(column, &DataType::LargeUtf8).map_err(Error::other);
        let columns = batch.columns().iter().map(text).collect::<Result<Vec<_>, _>>()?;
        let columns: Vec<_> = columns.iter().map(|column| column.as_string::<i64>()).collect();
        let cell =
            |row: usize| columns.iter().map(move |column| if column.is_null(row) { "" } else { column.value(row) });
        let cells: Cells = (0..batch.num_rows()).map(cell).collect();
        let table = RecordTable::of_cells("the frame", self.columns.clone(), cells);
        RecordTables::new(table, None, &ColumnChoice { columns: self.columns.clone(), ..ColumnChoice::default() })
    }

    fn frequencies(&self) -> Result<&ValueFrequencies, Error> {
        self.frequencies.as_ref().ok_or_else(|| Error::new(ErrorKind::Choice, "the values are not counted yet"))
    }
}

fn records(tables: &RecordTables) -> &[Record] {
    tables.tables().left()
}

#[pymethods]
impl RecordParts {
    #[new]
    #[pyo3(signature = (columns, model, rules, frequencies = None))]
    fn new(columns: Vec<String>, model: &str, rules: Vec<String>, frequencies: Option<&[u8]>) -> PyResult<Self> {
        let model = FellegiSunterModel::from_json(model, "the model").map_err(raised)?;
        let rules = rules.iter().map(|rule| rule.parse()).collect::<Result<_, Error>>().map_err(raised)?;
        let frequencies = frequencies.map(ValueFrequencies::from_bytes).transpose().map_err(raised)?;
        Ok(Self { columns, model, rules, frequencies })
    }

    /// Returns the number of each rule that has a key of a record, the row of the record, and the key.
    fn keys(this: &Bound<'_, Self>, batch: PyRecordBatch) -> PyResult<(Vec<u32>, Vec<u32>, Vec<String>)> {
        Self::run(this, vec![batch], |parts, tables| {
            let (mut rules, mut rows, mut keys) = (Vec::new(), Vec::new(), Vec::new());
            for (row, record) in (0..).zip(records(&tables[0])) {
                for (number, rule) in (0..).zip(&parts.rules) {
                    if let Some(key) = rule.key(record) {
                        rules.push(number);
                        rows.push(row);
                        keys.push(key);
                    }
                }
            }
            Ok((rules, rows, keys))
        })
    }

    /// Returns the distinct texts of records: columns, texts and numbers of records.
    fn value_texts(this: &Bound<'_, Self>, batch: PyRecordBatch) -> PyResult<(Vec<u32>, Vec<String>, Vec<u64>)> {
        Self::run(this, vec![batch], |parts, tables| {
            let (mut columns, mut texts, mut counts) = (Vec::new(), Vec::new(), Vec::new());
            for ValueText { column, text, records } in parts.model.value_texts(records(&tables[0])) {
                columns.push(column);
                texts.push(text);
                counts.push(records);
            }
            Ok((columns, texts, counts))
        })
    }

    /// Returns the terms of texts, by column and number of records, and their counts.
    fn value_terms(
        this: &Bound<'_, Self>,
        columns: Vec<u32>,
        texts: Vec<String>,
        counts: Vec<u64>,
    ) -> PyResult<(Vec<i64>, Vec<i64>)> {
        Self::run(this, Vec::new(), move |parts, _| {
            let last = columns.iter().max().copied().unwrap_or_default();
            let of = |column: u32| {
                let rows = (0..texts.len()).filter(|row| columns[*row] == column);
                let texts: Vec<(&str, u64)> = rows.map(|row| (texts[row].as_str(), counts[row])).collect();
                parts.model.value_terms(column, &texts)
            };
            Ok((0..=last).flat_map(of).map(|(term, count)| (term.cast_signed(), count.cast_signed())).unzip())
        })
    }

    /// Returns the probabilities that the records of two batches of equal length match.
    fn score(this: &Bound<'_, Self>, left: PyRecordBatch, right: PyRecordBatch) -> PyResult<Vec<f64>> {
        Self::run(this, vec![left, right], |parts, tables| {
            let tables = Tables::Two(records(&tables[0]), records(&tables[1]));
            let pairs: Vec<RecordPair> =
                (0..tables.left().len() as u32).map(|row| RecordPair { left: row, right: row }).collect();
            parts.model.scorer_of_part(tables, parts.frequencies()?)?.score(&pairs)
        })
    }

    /// Clusters distinct records by pairs of them, which each have two records of one part. `repeated`: rows of those that stand several times.
    fn resolve(
        this: &Bound<'_, Self>,
        batch: PyRecordBatch,
        repeated: Vec<u32>,
        pairs: Vec<(u32, u32)>,
        threshold: f64,
    ) -> PyResult<Resolved> {
        Self::run(this, vec![batch], move |parts, tables| {
            let firsts = records(&tables[0]);
            let rows: Vec<Record> =
                firsts.iter().cloned().chain(repeated.iter().map(|row| firsts[*row as usize].clone())).collect();
            let tables = Tables::One(&rows);
            let scorer = parts.model.scorer_of_part(tables, parts.frequencies()?)?;
            let pairs: Vec<RecordPair> =
                pairs.into_iter().filter_map(|(left, right)| tables.pair(left, right)).collect();
            let found = Resolver { threshold, ..Resolver::new(&scorer) }.resolve(tables, &pairs)?;
            let mut first_of = vec![None; found.clusters.count()];
            let cluster = |row| {
                let cluster = found.clusters.of_left(row);
                *first_of[cluster as usize].get_or_insert(row)
            };
            let clusters: Vec<u32> = (0..rows.len() as u32).map(cluster).collect();
            let mut best = found.best(tables).remove(0);
            let further = best.split_off(firsts.len());
            let is_shared = |(at, row): (usize, &u32)| clusters[firsts.len() + at] == clusters[*row as usize];
            let shared = repeated.iter().enumerate().map(is_shared).collect();
            Ok((clusters[..firsts.len()].to_vec(), best, shared, further))
        })
    }

    /// Returns true for each term whose count is to be kept.
    #[staticmethod]
    fn tells(terms: Vec<i64>, counts: Vec<i64>) -> Vec<bool> {
        let of = terms.into_iter().zip(counts);
        of.map(|(term, count)| ValueFrequencies::tells(term.cast_unsigned(), count.cast_unsigned())).collect()
    }

    /// Returns the bytes of the frequencies of a table of so many distinct records.
    #[staticmethod]
    fn frequencies_of(records: u64, terms: Vec<i64>, counts: Vec<i64>) -> Vec<u8> {
        let of = terms.into_iter().zip(counts);
        let of = of.map(|(term, count)| (term.cast_unsigned(), count.cast_unsigned()));
        ValueFrequencies::new(records, of).to_bytes()
    }

    /// Most distinct records with one key of a rule that are compared with each other.
    #[classattr]
    const MOST_WITH_KEY: usize = Blocking::MOST_WITH_KEY;
}
