//! Evaluations, with the reports of `truename evaluate`.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use serde::Serialize;
use truename::{RecognizerOptions, assertion_rules};
use truename_align::{FileMapping, read_candidates, read_mappings};
use truename_clusters::{NameClusters, Threshold};
use truename_corpus::{ReadOptions, read_all};
use truename_error::Error;
use truename_eval::clusters::{ClusterReport, Clusters};
use truename_eval::linked::LinkEvaluation;
use truename_eval::mentions::{FoundDocuments, JudgedDocument, JudgedMargins, MentionReport, TrainingTexts};
use truename_eval::pairs::read_pairs;
use truename_eval::substitutes::{JudgedWord, SubstituteScores, read_gold};
use truename_eval::{
    AssertionScores, ClassReport, ComparedPairs, LinkedGold, MappingReport, MappingScoring, PairModelSource,
    PairReport, TextLayout, pair_tables, read_assertions, read_texts,
};
use truename_infer::Classifier;
use truename_read::SourceOptions;

use crate::calibration::Gold;
use crate::call::Call;
use crate::clusters::options;
use crate::encoder::Encoder;
use crate::json;
use crate::knowledge_base::KnowledgeBase;
use crate::linker::Linker;
use crate::mappings::Mappings;
use crate::options::probability;
use crate::simplifier::Simplifier;

/// Runs an evaluation and returns its report.
fn report<'py, R: Serialize + Send + 'static>(
    py: Python<'py>,
    call: Call,
    evaluate: impl FnOnce(&truename::Progress) -> Result<R, Error> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    let progress = Arc::clone(&call.progress);
    json::object(py, &call.run(py, move || evaluate(&progress))?)
}

/// Scores the answers of a linker to names.
#[pyfunction(name = "_evaluate_names")]
pub fn names<'py>(
    py: Python<'py>,
    linker: PyRef<'_, Linker>,
    gold: Gold,
    errors: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let shared = linker.shared();
    report(py, shared.call(), move |progress| {
        let linker = shared.get(Some(LinkedGold::DEPTH), None)?;
        let linked = LinkedGold::new(&linker, gold.read()?, progress)?;
        linked.report(linker.knowledge_base(), linker.options().nil_share, errors)
    })
}

/// Scores the mentions and ids that a linker finds in corpora.
#[pyfunction(name = "_evaluate_link")]
pub fn link<'py>(
    py: Python<'py>,
    linker: PyRef<'_, Linker>,
    gold: Vec<PathBuf>,
    gold_types: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let shared = linker.shared();
    report(py, shared.call(), move |progress| {
        let mut evaluation = LinkEvaluation::new(&*shared.get(None, None)?, gold_types)?;
        for path in gold {
            evaluation.add(read_all(&path, &ReadOptions::default())?, progress)?;
        }
        evaluation.scores()
    })
}

/// Scores the mentions of recognizers in corpora, or those of the corpora `found`.
#[pyfunction(name = "_evaluate_mentions")]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of a function of Python")]
pub fn mentions<'py>(
    py: Python<'py>,
    kb: PyRef<'_, KnowledgeBase>,
    gold: Vec<PathBuf>,
    recognizer: Vec<PathBuf>,
    found: Vec<PathBuf>,
    train: Vec<PathBuf>,
    gold_types: Vec<String>,
    nested: bool,
    abbreviations: bool,
    errors: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let kb = Arc::clone(&kb.0);
    report(py, Call::default(), move |progress| {
        let reading = ReadOptions::default();
        let mut training = TrainingTexts::default();
        for path in &train {
            read_all(path, &reading)?.iter().for_each(|document| training.add(document));
        }
        let mut other = FoundDocuments::default();
        for path in &found {
            read_all(path, &reading)?.into_iter().for_each(|document| other.add(document));
        }
        let min_margin = MentionReport::MIN_MARGIN;
        let nested = nested.then_some(true);
        let options = RecognizerOptions { nested, typed: true, min_margin, ..RecognizerOptions::default() };
        let recognizer = match found.is_empty() {
            true => Some(options.open(&recognizer, || Ok((*kb.get()?).clone()))?),
            false => None,
        };
        let mut judged = Vec::new();
        for path in &gold {
            progress.check()?;
            let documents = read_all(path, &reading)?;
            judged.extend(match &recognizer {
                Some(recognizer) => JudgedDocument::recognized(recognizer, documents, abbreviations)?,
                None => other.judge(documents)?,
            });
        }
        MentionReport::of(judged, &gold_types, (!train.is_empty()).then_some(&training), errors)
    })
}

/// Fits the probabilities of the mentions of a recognizer to annotated documents, over a knowledge base, and keeps them in its folder; returns
/// the number of mentions. As `truename model calibrate`.
#[pyfunction]
pub fn calibrate_recognizer(
    py: Python<'_>,
    model: PathBuf,
    gold: Vec<PathBuf>,
    kb: PyRef<'_, KnowledgeBase>,
) -> PyResult<usize> {
    let kb = Arc::clone(&kb.0);
    Call::default().run(py, move || {
        let options = RecognizerOptions { names: true, ..RecognizerOptions::default() };
        let recognizer = options.open(std::slice::from_ref(&model), || Ok((*kb.get()?).clone()))?;
        let mut margins = JudgedMargins::default();
        for path in &gold {
            margins.add_recognized(&recognizer, read_all(path, &ReadOptions::default())?)?;
        }
        margins.calibrate(&model)?;
        Ok(margins.annotated().len())
    })
}

/// Scores clusters of the names of gold, or those of the file `found`.
#[pyfunction(name = "_evaluate_clusters")]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of a function of Python")]
pub fn clusters<'py>(
    py: Python<'py>,
    gold: PathBuf,
    found: Option<PathBuf>,
    encoder: Option<PyRef<'_, Encoder>>,
    threshold: Option<f32>,
    linkage: &str,
    words: Option<f32>,
    labelled: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let (options, encoder) = (options(linkage, words)?, encoder.map(|encoder| encoder.shared()));
    report(py, Call::default(), move |progress| {
        let gold = Clusters::read(&gold)?;
        if let Some(found) = found {
            return ClusterReport::of_file(&gold, &found);
        }
        let labelled = labelled.as_deref().map(Clusters::read).transpose()?;
        let threshold = match (threshold, &labelled) {
            (Some(threshold), _) => Threshold::Given(threshold),
            (None, Some(labelled)) => labelled.best_threshold(),
            (None, None) => Threshold::Silhouette,
        };
        let clustered = NameClusters::new(gold.names(), encoder.as_deref(), &options, &threshold, progress)?;
        Ok(ClusterReport::of(&gold, &clustered.labels, clustered.threshold))
    })
}

/// Scores decisions about labelled pairs of records.
#[pyfunction(name = "_evaluate_pairs")]
pub fn pairs<'py>(
    py: Python<'py>,
    gold: PathBuf,
    model: Option<PathBuf>,
    labels: Option<PathBuf>,
    scorer: Option<String>,
    threshold: f64,
    errors: usize,
) -> PyResult<Bound<'py, PyAny>> {
    probability("threshold", threshold)?;
    report(py, Call::default(), move |progress| {
        let scorer = scorer.as_deref().map(str::parse).transpose()?;
        let source = PairModelSource::open(model.as_deref(), labels.as_deref(), scorer)?;
        let gold = read_pairs(&gold)?;
        let model = source.fit(ComparedPairs::Texts(&pair_tables(&gold)), threshold)?.model;
        PairReport::of(&model, &gold, threshold, errors, progress)
    })
}

/// Scores the substitutes of words in sentences.
#[pyfunction(name = "_evaluate_substitutes")]
pub fn substitutes<'py>(
    py: Python<'py>,
    gold: PathBuf,
    simplifier: PyRef<'_, Simplifier>,
    encoding: Option<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let simplifier = simplifier.shared();
    report(py, Call::default(), move |progress| {
        let gold = read_gold(&gold, &SourceOptions { encoding, ..SourceOptions::default() })?;
        Ok(SubstituteScores::of(&JudgedWord::simplified(&simplifier, &gold, progress)?))
    })
}

/// Scores a classifier, or a regression, on texts with labels.
#[pyfunction(name = "_evaluate_classes")]
pub fn classes<'py>(
    py: Python<'py>,
    gold: PathBuf,
    model: PathBuf,
    first: Option<String>,
    second: Option<String>,
    label: Option<String>,
    positive: Option<String>,
) -> PyResult<Bound<'py, PyAny>> {
    report(py, Call::default(), move |progress| {
        let classifier = Classifier::open(&model)?;
        let layout = TextLayout::of_model(classifier.config(), first, second, label);
        ClassReport::of(&classifier, &read_texts(&gold, &layout)?, positive.as_deref(), progress)
    })
}

/// Scores what triggers say of mentions.
#[pyfunction(name = "_evaluate_assertions")]
pub fn assertions(py: Python<'_>, gold: PathBuf, assertions: Option<PathBuf>) -> PyResult<Bound<'_, PyAny>> {
    report(py, Call::default(), move |_| {
        let rules = assertion_rules(assertions.as_deref())?;
        Ok(AssertionScores::of(&rules.unwrap_or_default(), &read_assertions(&gold)?))
    })
}

/// Mappings to score: those of `align`, or of a file.
#[derive(FromPyObject)]
pub enum FoundMappings<'py> {
    Mappings(PyRef<'py, Mappings>),
    Path(PathBuf),
}

/// Scores mappings between two vocabularies.
#[pyfunction(name = "_evaluate_mappings")]
pub fn mappings<'py>(
    py: Python<'py>,
    gold: Vec<PathBuf>,
    found: FoundMappings<'_>,
    threshold: f64,
    partial: bool,
    candidates: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    probability("threshold", threshold)?;
    let (known, path) = match found {
        FoundMappings::Mappings(mappings) => (mappings.set.to_file_mappings(), None),
        FoundMappings::Path(path) => (Vec::new(), Some(path)),
    };
    report(py, Call::default(), move |_| {
        let read = |path: &PathBuf| -> Result<Vec<FileMapping>, Error> { read_mappings(path) };
        let gold = gold.iter().map(read).collect::<Result<Vec<_>, _>>()?.concat();
        let found = path.as_ref().map_or(Ok(known), read)?;
        let lists = candidates.as_deref().map(read_candidates).transpose()?.unwrap_or_default();
        let scoring = MappingScoring { threshold, gold_is_partial: partial };
        Ok(MappingReport::of(&found, &gold, &lists, scoring))
    })
}
