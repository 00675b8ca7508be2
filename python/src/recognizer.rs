//! Recognizers of mentions.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use truename::{EntityType, Error, LinkedDocument, LinkedMention, OffsetUnit, Offsets, SpanOptions, TrainedRecognizer};

use crate::call::Call;
use crate::document::Document;
use crate::encoder::in_precision;
use crate::knowledge_base::absolute;
use crate::process::locked;

/// Number of texts read between two looks for Ctrl-C.
const PIECE: usize = 32;

/// Finds mentions of types that are described in words.
///
/// It can be pickled, by its folder.
#[pyclass(frozen, module = "truename")]
pub struct Recognizer {
    models: Arc<Models>,
    folder: PathBuf,
}

/// A recognizer, and that of the labels asked for last.
struct Models {
    recognizer: TrainedRecognizer,
    labelled: Mutex<Option<(Vec<EntityType>, TrainedRecognizer)>>,
}

/// Labels asked for: names of types, or names with descriptions.
#[derive(FromPyObject)]
enum Labels {
    Described(BTreeMap<String, String>),
    Names(Vec<String>),
}

impl Models {
    /// Returns the types of labels: those that the model knows by name, whatever the case, with their descriptions; others are described by
    /// their names.
    fn types(&self, labels: Labels) -> Vec<EntityType> {
        match labels {
            Labels::Described(types) => types.into_iter().map(|(name, text)| EntityType::new(name, text)).collect(),
            Labels::Names(names) => {
                let known = self.recognizer.types();
                let of = |name: String| {
                    let same = known.iter().find(|known| known.name.to_lowercase() == name.to_lowercase());
                    let descriptions = same.map_or_else(|| vec![name.clone()], |same| same.descriptions.clone());
                    EntityType { name, descriptions }
                };
                names.into_iter().map(of).collect()
            }
        }
    }

    /// Returns the recognizer of types; `None` for those of the model.
    fn of(&self, types: Option<Vec<EntityType>>) -> Result<TrainedRecognizer, Error> {
        let Some(types) = types.filter(|types| *types != self.recognizer.types()) else {
            return Ok(self.recognizer.clone());
        };
        if let Some((_, labelled)) = locked(&self.labelled).as_ref().filter(|(known, _)| *known == types) {
            return Ok(labelled.clone());
        }
        let labelled = self.recognizer.clone().with_types(types.clone())?;
        *locked(&self.labelled) = Some((types, labelled.clone()));
        Ok(labelled)
    }
}

impl Recognizer {
    fn find(
        &self,
        py: Python<'_>,
        texts: Vec<String>,
        types: Option<Vec<EntityType>>,
        options: SpanOptions,
    ) -> PyResult<Vec<LinkedDocument>> {
        let (call, models) = (Call::default(), Arc::clone(&self.models));
        let progress = Arc::clone(&call.progress);
        call.run(py, move || {
            let recognizer = models.of(types)?.with_options(options)?;
            let mut found = Vec::with_capacity(texts.len());
            for piece in texts.chunks(PIECE) {
                progress.check()?;
                let documents = piece.iter().map(|text| truename::Document::new("", text)).collect();
                found.extend(truename::recognize_all(&recognizer, documents, true)?);
            }
            Ok(found)
        })
    }
}

/// Returns the score of a mention from 0 to 1: its probability, or the logistic function of its margin, which is 0.5 at the threshold of
/// the model.
fn score(mention: &LinkedMention) -> f64 {
    let score = mention.score.unwrap_or(1.0);
    mention.threshold.map_or(score, |threshold| 1.0 / (1.0 + (threshold - score).exp()))
}

#[pymethods]
impl Recognizer {
    /// Opens the recognizer in a folder that `train` made, or "bundled" for the one for biomedical texts that is part of the package, "general" for that of general English.
    ///
    /// `precision`: "int8" for a copy with weights in 8 bits, which is made in the cache on first use; by default that of the folder.
    #[staticmethod]
    #[pyo3(signature = (path, *, precision=None))]
    fn open(py: Python<'_>, path: PathBuf, precision: Option<String>) -> PyResult<Self> {
        let from = if TrainedRecognizer::is_named(&path) { path } else { absolute(path)? };
        let recognizer = Call::default().run(py, move || {
            let recognizer = TrainedRecognizer::named(&from)?;
            match precision {
                None => Ok(recognizer),
                precision => TrainedRecognizer::open(&in_precision(recognizer.folder(), precision.as_deref())?),
            }
        })?;
        let folder = recognizer.folder().to_owned();
        Ok(Self { models: Arc::new(Models { recognizer, labelled: Mutex::default() }), folder })
    }

    /// Types that the model looks for, with their descriptions.
    #[getter(types)]
    fn known_types(&self) -> BTreeMap<String, Vec<String>> {
        self.models.recognizer.types().into_iter().map(|known| (known.name, known.descriptions)).collect()
    }

    /// Folder of the recognizer.
    #[getter]
    fn path(&self) -> &PathBuf {
        &self.folder
    }

    /// Hash of its weights, tokenizer and configuration in hexadecimal digits.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        let models = Arc::clone(&self.models);
        Call::default().run(py, move || Ok(models.recognizer.hash()))
    }

    /// Finds the mentions of a text, without linking them.
    #[pyo3(signature = (text, *, nested=false))]
    fn recognize(&self, py: Python<'_>, text: String, nested: bool) -> PyResult<Document> {
        let options = SpanOptions { is_flat: nested.then_some(false), ..SpanOptions::default() };
        Ok(self.find(py, vec![text], None, options)?.remove(0).into())
    }

    /// Finds the mentions of labels in a text, as GLiNER's method of this name does: dicts with `start`, `end`, `text`, `label` and `score`.
    ///
    /// `labels`: names of types, or a dict of names with descriptions. A score is from 0 to 1; at 0.5 the model takes a span for a mention.
    /// `flat_ner`: False keeps mentions within mentions.
    #[pyo3(signature = (text, labels=None, *, threshold=0.5, flat_ner=true))]
    fn predict_entities<'py>(
        &self,
        py: Python<'py>,
        text: String,
        labels: Option<Labels>,
        threshold: f64,
        flat_ner: bool,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let all = self.batch_predict_entities(py, vec![text], labels, threshold, flat_ner)?;
        Ok(all.into_iter().flatten().collect())
    }

    /// Finds the mentions of labels in texts, as `predict_entities` does; a list for each text.
    #[pyo3(signature = (texts, labels=None, *, threshold=0.5, flat_ner=true))]
    fn batch_predict_entities<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<String>,
        labels: Option<Labels>,
        threshold: f64,
        flat_ner: bool,
    ) -> PyResult<Vec<Vec<Bound<'py, PyDict>>>> {
        if !(threshold > 0.0 && threshold < 1.0) {
            let message = format!("threshold is {threshold}; it is a number between 0 and 1");
            return Err(PyValueError::new_err(message));
        }
        let types = labels.map(|labels| self.models.types(labels));
        let min_margin = (threshold / (1.0 - threshold)).ln() as f32;
        let options = SpanOptions { is_flat: Some(flat_ner), min_margin, ..SpanOptions::default() };
        let found = self.find(py, texts, types, options)?;
        found.iter().map(|document| entities(py, document, threshold)).collect()
    }

    fn __fspath__(&self) -> String {
        self.folder.to_string_lossy().into_owned()
    }

    fn __repr__(&self) -> String {
        format!("Recognizer.open({:?})", self.folder.display().to_string())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        Ok((py.get_type::<Self>().getattr("open")?, (self.folder.clone(),)))
    }
}

/// Returns the mentions of a document with at least a score as dicts.
fn entities<'py>(py: Python<'py>, document: &LinkedDocument, least: f64) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let text = &document.document.text;
    let offsets = Offsets::new(text, OffsetUnit::Chars);
    let mut entities = Vec::new();
    for mention in document.mentions.iter().filter(|mention| score(mention) >= least) {
        let entity = PyDict::new(py);
        entity.set_item("start", offsets.of_byte(mention.span.start))?;
        entity.set_item("end", offsets.of_byte(mention.span.end))?;
        entity.set_item("text", mention.span.of(text))?;
        entity.set_item("label", mention.types.first())?;
        entity.set_item("score", score(mention))?;
        entities.push(entity);
    }
    Ok(entities)
}
