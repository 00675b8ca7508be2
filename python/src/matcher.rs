//! Matchers of names.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::Call;
use crate::column::Column;
use crate::knowledge_base::{Kb, KnowledgeBase};
use crate::link::Link;
use crate::linker::{LinkKeywords, SharedLinker};
use crate::matches::Matches;
use crate::options::unknown;
use crate::pickle::{Pickled, WithOptions, pickled};

/// Number of names matched between two looks for Ctrl-C.
const PIECE: usize = 1024;
/// Options of a matcher: those of a linker that have to do with names.
const NAMES: [&str; 9] =
    ["types", "without_aliases", "top", "explain", "min_probability", "nil_share", "placeholders", "vote", "threads"];

/// Matches names to the concepts of a knowledge base.
///
/// It can be pickled, by its knowledge base and its options, and used in a child of a fork.
#[pyclass(frozen, module = "truename")]
pub struct Matcher {
    shared: Arc<SharedLinker>,
    options: Option<Py<PyDict>>,
}

impl Matcher {
    pub fn new(py: Python<'_>, kb: &Arc<Kb>, options: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        for key in options.iter().flat_map(|options| options.keys()) {
            let key: String = key.extract()?;
            if !NAMES.contains(&key.as_str()) {
                return Err(unknown("matcher", &key, &NAMES));
            }
        }
        let keywords = LinkKeywords::read("matcher", options.as_ref())?;
        Ok(Self { shared: SharedLinker::new(py, kb, keywords)?, options: options.map(Bound::unbind) })
    }
}

#[pymethods]
impl Matcher {
    /// The knowledge base.
    #[getter]
    fn kb(&self) -> KnowledgeBase {
        KnowledgeBase(Arc::clone(self.shared.kb()))
    }

    /// 16 hexadecimal digits of what answers depend on beside the options: the version of Truename, the knowledge base, and the encoder
    /// opened with it.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        self.shared.fingerprint(py)
    }

    /// Matches one name.
    #[pyo3(signature = (name, *, top=None, explain=None))]
    fn one(&self, py: Python<'_>, name: String, top: Option<usize>, explain: Option<bool>) -> PyResult<Link> {
        let shared = Arc::clone(&self.shared);
        let link = self.shared.call().run(py, move || shared.get(top, explain)?.link_name(&name))?;
        Ok(Link(Arc::new(link)))
    }

    /// Returns the names that fit best, as rapidfuzz's `process.extract` does: tuples of the name, a score from 0 to 100 and the id of the
    /// concept. The score is the calibrated probability in percent; names below `score_cutoff` are left out.
    #[pyo3(signature = (name, *, limit=5, score_cutoff=0.0))]
    fn extract(
        &self,
        py: Python<'_>,
        name: String,
        limit: usize,
        score_cutoff: f64,
    ) -> PyResult<Vec<(String, f64, String)>> {
        let shared = Arc::clone(&self.shared);
        let link = self.shared.call().run(py, move || shared.get(Some(limit), None)?.link_name(&name))?;
        let found = link.candidates.into_iter().take(limit);
        let tuples = found.map(|found| (found.matched_name, 100.0 * found.probability, String::from(found.id)));
        Ok(tuples.filter(|(_, score, _)| *score >= score_cutoff).collect())
    }

    /// Returns the name that fits best, as rapidfuzz's `process.extractOne` does; None if none reaches `score_cutoff`.
    #[pyo3(name = "extractOne", signature = (name, *, score_cutoff=0.0))]
    fn extract_one(&self, py: Python<'_>, name: String, score_cutoff: f64) -> PyResult<Option<(String, f64, String)>> {
        Ok(self.extract(py, name, 1, score_cutoff)?.pop())
    }

    /// Matches a column: a list of names and None, or any Arrow array of strings, such as those of pyarrow, polars and pandas. Equal names
    /// are matched once.
    ///
    /// The answers are an Arrow array of structs with `id`, `preferred_name`, `matched_name` and `probability`, with `candidates` where
    /// more than one is asked for, and with `explanation` where that is asked for. `progress`: a function of phase, names done and names in
    /// all, or True for a bar.
    #[pyo3(signature = (column, *, progress=None))]
    fn r#match(
        &self,
        py: Python<'_>,
        column: &Bound<'_, PyAny>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Matches> {
        let Column { names, rows } = Column::read(column)?;
        let call = Call { threads: self.shared.threads(), ..Call::watched(progress.as_ref())? };
        let (shared, progress) = (Arc::clone(&self.shared), Arc::clone(&call.progress));
        let (links, explain) = call.run(py, move || {
            let linker = shared.get(None, None)?;
            progress.begin("matching", names.len() as u64);
            let mut links = Vec::with_capacity(names.len());
            for piece in names.chunks(PIECE) {
                progress.check()?;
                links.extend(linker.link_names(piece)?.into_iter().map(Arc::new));
                progress.advance(piece.len() as u64);
            }
            Ok((links, linker.options().explain))
        })?;
        Ok(Matches { links, rows, has_candidates: self.shared.top() > 1, is_explained: explain })
    }

    fn __repr__(&self) -> String {
        "<Matcher>".to_owned()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py, WithOptions<'py>>> {
        let options = self.options.as_ref().map(|options| options.bind(py).clone());
        pickled(py, "matcher", (self.kb(), options))
    }
}
