//! Simpler words for the rare words of texts.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truename::{OffsetUnit, Offsets};
use truename_substitutes::{SimplifiedWord, SimplifyOptions, SubstituteSources, replaced};

use crate::call::Call;
use crate::json;
use crate::knowledge_base::{KnowledgeBase, absolute, adapter_choice};
use crate::options::probability;

/// Words simplified between two looks for Ctrl-C.
const PIECE: usize = 64;

/// Finds simpler words for the rare words of a text, as `truename simplify` does. It needs a masked-language model, synonyms or a knowledge base.
///
/// `model`: folder of a masked-language model, which proposes words and ranks by fit. `synonyms`: WordNet's data files or their folder,
/// clusters as those of PPDB, or tables of synonyms. `kb`: a knowledge base whose names are synonyms. `frequencies`: word lists, or texts
/// whose words are counted. `encoder`: folder of an encoder, which ranks by similarity. `adapters`: names of the adapters of both folders,
/// with commas between them. `candidates`: number of words that the model proposes. `top`: number of substitutes returned. `window`: words on
/// each side whose cross-entropy is compared, which is slow. `mask_original`: share of the tokens beside the word that are masked in the
/// sentence before the masked one. `masked_alone`: without that sentence. `rare`: occurrences in a million words below which a word is
/// simplified if none is named.
#[pyclass(frozen, module = "truename")]
pub struct Simplifier(Arc<truename_substitutes::Simplifier>);

/// A path, or several.
#[derive(FromPyObject)]
enum Paths {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl Paths {
    fn absolute(self) -> PyResult<Vec<PathBuf>> {
        let paths = match self {
            Self::One(path) => vec![path],
            Self::Several(paths) => paths,
        };
        paths.into_iter().map(absolute).collect()
    }
}

impl Simplifier {
    /// Returns the simplifier, shared by handles.
    pub fn shared(&self) -> Arc<truename_substitutes::Simplifier> {
        Arc::clone(&self.0)
    }

    /// Simplifies words of a text, its rare words where none is named.
    fn words(
        &self,
        py: Python<'_>,
        text: String,
        words: Option<Vec<String>>,
    ) -> PyResult<(String, Vec<SimplifiedWord>)> {
        let (call, simplifier, words) = (Call::default(), self.shared(), words.unwrap_or_default());
        if words.is_empty() && simplifier.frequencies.is_none() {
            return Err(PyValueError::new_err(
                "name the words, or give the simplifier frequencies, by which rare words are known",
            ));
        }
        let progress = Arc::clone(&call.progress);
        call.run(py, move || {
            let mut found = Vec::new();
            for places in simplifier.places(&text, &words).chunks(PIECE) {
                progress.check()?;
                found.extend(simplifier.simplify(&text, places)?);
            }
            Ok((text, found))
        })
    }
}

#[pymethods]
impl Simplifier {
    #[new]
    #[pyo3(signature = (
        *, model=None, synonyms=None, kb=None, frequencies=None, encoder=None, adapters=None, candidates=10, top=10, window=0,
        mask_original=0.0, masked_alone=false, rare=10.0
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are the arguments of a function of Python")]
    fn new(
        py: Python<'_>,
        model: Option<PathBuf>,
        synonyms: Option<Paths>,
        kb: Option<PyRef<'_, KnowledgeBase>>,
        frequencies: Option<Paths>,
        encoder: Option<PathBuf>,
        adapters: Option<String>,
        candidates: usize,
        top: usize,
        window: usize,
        mask_original: f64,
        masked_alone: bool,
        rare: f64,
    ) -> PyResult<Self> {
        probability("mask_original", mask_original)?;
        if masked_alone && mask_original > 0.0 {
            return Err(PyValueError::new_err("mask_original masks the sentence that masked_alone leaves out"));
        }
        let sources = SubstituteSources {
            model: model.map(absolute).transpose()?,
            synonyms: synonyms.map_or(Ok(Vec::new()), Paths::absolute)?,
            frequencies: frequencies.map_or(Ok(Vec::new()), Paths::absolute)?,
            encoder: encoder.map(absolute).transpose()?,
            adapters: adapter_choice(adapters.as_deref())?,
        };
        let original_masked = (!masked_alone).then_some(mask_original);
        let options = SimplifyOptions { candidates, top, original_masked, window, rare };
        let kb = kb.map(|kb| Arc::clone(&kb.0));
        let simplifier = Call::default().run(py, move || {
            sources.open(options, |synonyms| match kb {
                Some(kb) => kb.get()?.for_each_concept(|concept| {
                    synonyms.add_words(concept.names());
                    Ok(())
                }),
                None => Ok(()),
            })
        })?;
        Ok(Self(Arc::new(simplifier)))
    }

    /// Finds the substitutes of words of a text, of its rare words where none is named: a dict for each place of a word with `word`, `start`,
    /// `end`, `replacement` and `substitutes`, best first. `replacement` is None where the word is kept.
    #[pyo3(signature = (text, words=None))]
    fn simplify<'py>(&self, py: Python<'py>, text: String, words: Option<Vec<String>>) -> PyResult<Bound<'py, PyAny>> {
        let (text, found) = self.words(py, text, words)?;
        let offsets = Offsets::new(&text, OffsetUnit::Chars);
        json::object(py, &found.iter().map(|word| word.to_json("", &offsets)).collect::<Vec<_>>())
    }

    /// Returns a text with the replacements of words in their places, of its rare words where none is named.
    #[pyo3(signature = (text, words=None))]
    fn replace(&self, py: Python<'_>, text: String, words: Option<Vec<String>>) -> PyResult<String> {
        let (text, found) = self.words(py, text, words)?;
        Ok(replaced(&text, &found))
    }
}
