//! Records that stand for the same thing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyStopIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use truename::{Encoder, Error, Progress};
use truename_eval::{ComparedPairs, FittedPairModel, PairLabelling, PairModelSource, Question};
use truename_records::{
    Blocking, ClusteredTable, ColumnChoice, ComparedTables, LabelGain, MergeRules, RecordPair, RecordTable,
    RecordTables, Resolver, SuitedBlocking,
};

use crate::call::Call;
use crate::error::raised;
use crate::json;
use crate::options::{keywords, probability};
use crate::process::locked;
use crate::watch::Look;

/// Names of columns, or one name.
#[derive(Clone, FromPyObject)]
pub enum Names {
    /// One name.
    One(String),
    /// Several names.
    Several(Vec<String>),
}

impl Names {
    pub fn all(self) -> Vec<String> {
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
        types: BTreeMap<String, String> = BTreeMap::new(),
        scorer: Option<String> = None,
        model: Option<PathBuf> = None,
        save_model: Option<PathBuf> = None,
        labels: Option<PathBuf> = None,
        threshold: f64 = 0.5,
        neighbours: Option<usize> = None,
        block: Names = Names::Several(Vec::new()),
        encoder: Option<PathBuf> = None,
        one_to_one: bool = false,
    }
}

impl RecordKeywords {
    /// Returns the columns that are compared.
    pub fn choice(&self) -> Result<ColumnChoice, Error> {
        let types = self.types.iter().map(|(column, kind)| Ok((column.clone(), kind.parse()?)));
        Ok(ColumnChoice {
            columns: self.column.clone().all(),
            id_column: self.id_column.clone(),
            compare: self.compare.clone().all(),
            types: types.collect::<Result<_, Error>>()?,
        })
    }
}

/// Columns of a table, and its rows.
pub type Table = (Vec<String>, Vec<Vec<String>>);

/// Clusters and the probabilities of the likeliest matches of the rows of each table, then matching pairs of rows.
type Matches = (Vec<(Vec<u32>, Vec<Option<f64>>)>, Vec<(u32, u32, f64)>);

/// Tables, and the pairs of their rows that are compared.
struct Candidates {
    input: RecordTables,
    pairs: Vec<RecordPair>,
    source: PairModelSource,
}

impl Candidates {
    /// Compares the rows of one table from `first_new` on with all, or those of two.
    fn new(
        left: RecordTable,
        right: Option<RecordTable>,
        first_new: usize,
        options: &RecordKeywords,
        progress: &Arc<Progress>,
    ) -> Result<Self, Error> {
        let choice = options.choice()?;
        let scorer = options.scorer.as_deref().map(str::parse).transpose()?;
        let source = PairModelSource::open(options.model.as_deref(), options.labels.as_deref(), scorer)?;
        let encoder = options.encoder.as_deref().map(Encoder::open).transpose()?;
        let input = RecordTables::new(left, right, &choice)?;
        let rules = options.block.clone().all().iter().map(|rule| rule.parse()).collect::<Result<Vec<_>, _>>()?;
        let SuitedBlocking { neighbours, rules } =
            SuitedBlocking::new(&input, options.neighbours, rules, encoder.is_some());
        let encoder = encoder.as_ref();
        let sources = input.left.sources();
        let blocking =
            Blocking { neighbours, encoder, rules: &rules, first_new, sources, progress: Arc::clone(progress) };
        let pairs = blocking.pairs(input.tables())?.pairs;
        Ok(Self { input, pairs, source })
    }
}

/// Tables, the pairs of their rows that are compared, and the model of pairs.
struct Comparison {
    input: RecordTables,
    candidates: Vec<RecordPair>,
    fitted: FittedPairModel,
}

impl Comparison {
    /// Fits the model of pairs.
    fn of(candidates: Candidates, options: &RecordKeywords) -> Result<Self, Error> {
        let Candidates { input, pairs, source } = candidates;
        let compared = ComparedPairs::Tables(ComparedTables { tables: &input, pairs: &pairs });
        let fitted = source.fit(compared, options.threshold)?;
        if let Some(path) = &options.save_model {
            let json = fitted.model.fellegi_sunter()?.to_json();
            std::fs::write(path, json).map_err(|error| Error::io("write", path, error))?;
        }
        Ok(Self { input, candidates: pairs, fitted })
    }
}

/// Returns a table as records are compared by.
pub fn record_table(name: &str, (columns, rows): Table) -> RecordTable {
    RecordTable::new(name, columns, rows)
}

/// Returns one table or two.
fn record_tables(left: Table, right: Option<Table>) -> (RecordTable, Option<RecordTable>) {
    (record_table("the table", left), right.map(|right| record_table("the right table", right)))
}

/// Tells the log whether labels were better than none.
fn log_gain(py: Python<'_>, gain: Option<LabelGain>) -> PyResult<()> {
    let Some(gain) = gain else { return Ok(()) };
    let level = if gain.kept { "info" } else { "warning" };
    let logger = py.import("logging")?.call_method1("getLogger", ("truename",))?;
    logger.call_method1(level, ("%s", gain.to_string()))?;
    Ok(())
}

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
        let (left, right) = record_tables(left, right);
        let Comparison { input, candidates, fitted } =
            Comparison::of(Candidates::new(left, right, 0, &options, &progress)?, &options)?;
        let tables = input.tables();
        let FittedPairModel { model, gain } = fitted;
        let scorer = model.scorer(tables)?;
        let (threshold, one_to_one) = (options.threshold, options.one_to_one);
        let resolver = Resolver { threshold, one_to_one, progress, ..Resolver::new(&*scorer) };
        let found = resolver.resolve(tables, &candidates)?;
        let clusters = |table: usize, row: u32| match table {
            0 => found.clusters.of_left(row),
            _ => found.clusters.of_right(row),
        };
        let best = found
            .best(tables)
            .into_iter()
            .enumerate()
            .map(|(table, best)| ((0..best.len() as u32).map(|row| clusters(table, row)).collect(), best));
        let within = found.all_pairs().filter(|scored| found.clusters.has(scored.pair));
        let within = within.map(|scored| (scored.pair.left, scored.pair.right, scored.probability));
        Ok(((best.collect(), within.collect()), gain))
    })?;
    log_gain(py, gain)?;
    Ok(matches)
}

/// Asks a function of Python for pairs of rows, and hands its answers to the thread that waits for them.
struct Asker {
    ask: Py<PyAny>,
    questions: Mutex<Receiver<Question>>,
    answers: Sender<Answer>,
}

/// An answer to a question.
enum Answer {
    /// True if both rows stand for the same thing.
    Is(bool),
    Unsure,
    Stop,
}

impl Look for Asker {
    fn look(&mut self, py: Python<'_>, _: &Progress, _: bool) -> PyResult<()> {
        while let Ok(Question { pair, probability, .. }) = locked(&self.questions).try_recv() {
            let answered = self.ask.call1(py, (pair.left, pair.right, probability));
            let (answer, outcome) = match answered.and_then(|answer| answer.extract::<Option<bool>>(py)) {
                Ok(Some(is_same)) => (Answer::Is(is_same), Ok(())),
                Ok(None) => (Answer::Unsure, Ok(())),
                Err(error) if error.is_instance_of::<PyStopIteration>(py) => (Answer::Stop, Ok(())),
                Err(error) => (Answer::Stop, Err(error)),
            };
            // Nobody waits where the work has failed.
            let _ = self.answers.send(answer);
            outcome?;
        }
        Ok(())
    }
}

/// Asks for pairs of rows, doubtful ones first, and keeps the answers in a file. Returns the numbers of labels and of those of the same thing.
#[pyfunction]
#[pyo3(name = "_label_pairs", signature = (left, right, file, ask, **options))]
pub fn label_pairs(
    py: Python<'_>,
    left: Table,
    right: Option<Table>,
    file: PathBuf,
    ask: Py<PyAny>,
    options: Option<Bound<'_, PyDict>>,
) -> PyResult<(usize, usize)> {
    let mut options = RecordKeywords::read("label_pairs", options.as_ref())?;
    probability("threshold", options.threshold)?;
    if options.labels.is_some() {
        return Err(PyValueError::new_err("label_pairs reads the labels of its file alone; leave out labels"));
    }
    options.labels = file.exists().then(|| file.clone());
    let ((asked, questions), (answers, answered)) = (channel(), channel());
    let watch = Box::new(Asker { ask, questions: Mutex::new(questions), answers });
    let call = Call { watch, ..Call::default() };
    let progress = Arc::clone(&call.progress);
    call.run(py, move || {
        let (left, right) = record_tables(left, right);
        let Candidates { input, pairs, source } = Candidates::new(left, right, 0, &options, &progress)?;
        let compared = ComparedTables { tables: &input, pairs: &pairs };
        let mut labelling = PairLabelling::new(source, compared, options.threshold)?;
        while let Some(question) = labelling.questions(compared, 1)?.first().copied() {
            progress.check()?;
            // Without somebody who asks, nobody answers.
            let _ = asked.send(question);
            let is_same = match answered.recv() {
                Ok(Answer::Is(is_same)) => Some(is_same),
                Ok(Answer::Unsure) => None,
                Ok(Answer::Stop) | Err(_) => break,
            };
            labelling.answer(&input, question, is_same);
            let written = truename_files::write(&file, labelling.to_csv());
            written.map_err(|error| Error::io("write", &file, error))?;
        }
        Ok(labelling.counts())
    })
}

/// Finds the rows of several tables that stand for the same thing; each table's rows are compared with those of the others.
#[pyfunction]
#[pyo3(name = "_dedupe_linked", signature = (tables, **options))]
pub fn dedupe_linked(
    py: Python<'_>,
    tables: Vec<Table>,
    options: Option<Bound<'_, PyDict>>,
) -> PyResult<Vec<(u32, Option<f64>)>> {
    let options = RecordKeywords::read("link_tables", options.as_ref())?;
    probability("threshold", options.threshold)?;
    let call = Call::default();
    let progress = Arc::clone(&call.progress);
    let (rows, gain) = call.run(py, move || {
        let named = |(number, table): (usize, Table)| record_table(&number.to_string(), table);
        let tables: Vec<RecordTable> = tables.into_iter().enumerate().map(named).collect();
        let linked = RecordTable::linked(&tables);
        let Comparison { input, candidates, fitted } =
            Comparison::of(Candidates::new(linked, None, 0, &options, &progress)?, &options)?;
        let tables = input.tables();
        let scorer = fitted.model.scorer(tables)?;
        let (threshold, one_to_one, sources) = (options.threshold, options.one_to_one, input.left.sources());
        let resolver = Resolver { threshold, one_to_one, sources, progress, ..Resolver::new(&*scorer) };
        let found = resolver.resolve(tables, &candidates)?;
        let best = found.best(tables).remove(0);
        Ok(((0..).zip(best).map(|(row, best)| (found.clusters.of_left(row), best)).collect(), fitted.gain))
    })?;
    log_gain(py, gain)?;
    Ok(rows)
}

/// Clusters of new rows and the probabilities of their likeliest matches, and clusters that stood and are a part of others now.
type Extended = (Vec<String>, Vec<Option<f64>>, Vec<(String, String)>);

/// Finds the clusters of the rows of a table among those that a clustered table has.
#[pyfunction]
#[pyo3(name = "_dedupe_against", signature = (new, done, cluster, **options))]
pub fn dedupe_against(
    py: Python<'_>,
    new: Table,
    done: Table,
    cluster: String,
    options: Option<Bound<'_, PyDict>>,
) -> PyResult<Extended> {
    let options = RecordKeywords::read("dedupe_against", options.as_ref())?;
    probability("threshold", options.threshold)?;
    let call = Call::default();
    let progress = Arc::clone(&call.progress);
    let (extended, gain) = call.run(py, move || {
        let done = ClusteredTable::new(record_table("the table that is done", done), &cluster)?;
        let ClusteredTable { table, clusters: standing, .. } = done.with(record_table("the table", new));
        let first_new = standing.rows();
        let Comparison { input, candidates, fitted } =
            Comparison::of(Candidates::new(table, None, first_new, &options, &progress)?, &options)?;
        let tables = input.tables();
        let scorer = fitted.model.scorer(tables)?;
        let threshold = options.threshold;
        let resolver = Resolver { threshold, standing: Some(&standing), progress, ..Resolver::new(&*scorer) };
        let found = resolver.resolve(tables, &candidates)?;
        let ids = standing.ids(&found.clusters);
        let rows = first_new as u32..tables.left().len() as u32;
        let of = rows.map(|row| ids.id(found.clusters.of_left(row)).into_owned()).collect();
        let best = found.best(tables).remove(0).split_off(first_new);
        Ok(((of, best, ids.joined), fitted.gain))
    })?;
    log_gain(py, gain)?;
    Ok(extended)
}

/// Returns the weight of each column in the probability of a pair of rows.
#[pyfunction]
#[pyo3(name = "_explain_match", signature = (left, right, rows, **options))]
pub fn explain_match<'py>(
    py: Python<'py>,
    left: Table,
    right: Option<Table>,
    rows: (u32, u32),
    options: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = RecordKeywords::read("explain_match", options.as_ref())?;
    let counts = (left.1.len(), right.as_ref().unwrap_or(&left).1.len());
    if rows.0 as usize >= counts.0 || rows.1 as usize >= counts.1 || right.is_none() && rows.0 == rows.1 {
        let message =
            format!("rows {} and {} are no pair of tables of {} and {} rows", rows.0, rows.1, counts.0, counts.1);
        return Err(PyValueError::new_err(message));
    }
    let call = Call::default();
    let progress = Arc::clone(&call.progress);
    let explanation = call.run(py, move || {
        let (left, right) = record_tables(left, right);
        let compared = Comparison::of(Candidates::new(left, right, 0, &options, &progress)?, &options)?;
        let tables = compared.input.tables();
        let scorer = compared.fitted.model.fellegi_sunter()?.scorer(tables)?;
        Ok(tables.pair(rows.0, rows.1).map(|pair| scorer.explain(pair)))
    })?;
    json::object(py, &explanation)
}

/// Returns for each cluster, by number, and each column the row whose value its rule takes.
#[pyfunction]
#[pyo3(name = "_merge_rows")]
pub fn merge_rows(table: Table, clusters: Vec<Vec<usize>>, rules: Vec<String>) -> PyResult<Vec<Vec<Option<usize>>>> {
    let (columns, rows) = table;
    let rules = MergeRules::new(&columns).and(&columns, &rules).map_err(raised)?;
    rules.check(&columns, &rows).map_err(raised)?;
    let merge = |members: &Vec<usize>| {
        let of: Vec<&[String]> = members.iter().map(|row| rows[*row].as_slice()).collect();
        rules.choose(&of).into_iter().map(|row| row.map(|row| members[row])).collect()
    };
    Ok(clusters.iter().map(merge).collect())
}
