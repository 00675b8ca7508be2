//! Concepts proposed for a name.

use std::sync::Arc;

use pyo3::prelude::*;
use truename::Link;

use crate::json;

/// A concept proposed for a name.
#[pyclass(frozen, module = "truename")]
pub struct Candidate {
    link: Arc<Link>,
    number: usize,
}

impl Candidate {
    /// Returns the candidates of an answer, likeliest first.
    pub fn all(link: &Arc<Link>) -> Vec<Self> {
        (0..link.candidates.len()).map(|number| Self { link: Arc::clone(link), number }).collect()
    }

    fn candidate(&self) -> &truename::Candidate {
        &self.link.candidates[self.number]
    }
}

#[pymethods]
impl Candidate {
    /// Id of the concept.
    #[getter]
    fn id(&self) -> &str {
        self.candidate().id.as_str()
    }

    /// Preferred name of the concept.
    #[getter]
    fn name(&self) -> &str {
        &self.candidate().preferred_name
    }

    /// Best-fitting name of the concept.
    #[getter]
    fn matched_name(&self) -> &str {
        &self.candidate().matched_name
    }

    /// Source of the best-fitting name if it is an alias; None if it is the concept's own.
    #[getter]
    fn alias_source(&self) -> Option<&str> {
        self.candidate().alias_source.as_deref()
    }

    /// Calibrated probability that the name stands for the concept.
    #[getter]
    fn probability(&self) -> f64 {
        self.candidate().probability
    }

    /// Probability before the re-ranker read the context; None if it was not asked.
    #[getter]
    fn probability_by_name(&self) -> Option<f64> {
        self.candidate().probability_by_name
    }

    /// Scores of the stages that scored the candidate, by their names; higher is closer.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &self.candidate().scores)
    }

    /// Returns the candidate as the command writes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, self.candidate())
    }

    fn __repr__(&self) -> String {
        let truename::Candidate { id, preferred_name, probability, .. } = self.candidate();
        format!("Candidate({:?}, {preferred_name:?}, {probability:.4})", id.as_str())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.candidate() == other.candidate()
    }
}
