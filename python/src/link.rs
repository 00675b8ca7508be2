//! Answers to names.

use std::sync::Arc;

use pyo3::prelude::*;
use truename_view::{NameLine, probability};

use crate::candidate::Candidate;
use crate::json;

/// The answer to a name.
#[pyclass(frozen, module = "truename")]
pub struct Link(pub Arc<truename::Link>);

#[pymethods]
impl Link {
    /// Name as it was given.
    #[getter]
    fn text(&self) -> &str {
        &self.0.name
    }

    /// Id of the concept; None if the answer is NIL.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.0.id().map(truename::ConceptId::as_str)
    }

    /// Preferred name of the concept; None if the answer is NIL.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.0.answer().map(|answer| answer.preferred_name.as_str())
    }

    /// Best-fitting name of the concept; None if the answer is NIL.
    #[getter]
    fn matched_name(&self) -> Option<&str> {
        self.0.answer().map(|answer| answer.matched_name.as_str())
    }

    /// Probability of the best candidate, even if the answer is NIL.
    #[getter]
    fn probability(&self) -> f64 {
        probability(&self.0)
    }

    /// True if no candidate reaches the threshold.
    #[getter]
    fn is_nil(&self) -> bool {
        self.0.is_nil
    }

    /// Candidates, likeliest first; also those of an answer that is NIL.
    #[getter]
    fn candidates(&self) -> Vec<Candidate> {
        Candidate::all(&self.0)
    }

    /// The retired id that was given in place of a name; None if the name is none.
    #[getter]
    fn retired_id(&self) -> Option<&str> {
        self.0.retired_id.as_ref().map(truename::ConceptId::as_str)
    }

    /// Explanation in words, if asked for.
    #[getter]
    fn explanation(&self) -> Option<&str> {
        self.0.explanation.as_deref()
    }

    /// True if the name is longer than the encoder's window.
    #[getter]
    fn is_truncated(&self) -> bool {
        self.0.is_truncated
    }

    /// Returns the answer as `truename match --format jsonl` writes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &NameLine::new(&self.0))
    }

    /// Returns the line that `truename match --format jsonl` writes.
    fn to_json(&self) -> PyResult<String> {
        json::text(&NameLine::new(&self.0))
    }

    fn __bool__(&self) -> bool {
        !self.0.is_nil
    }

    fn __repr__(&self) -> String {
        match self.0.answer() {
            Some(answer) => {
                format!("Link({:?}, {:?}, {:.4})", self.0.name, answer.id.as_str(), answer.probability)
            }
            None => format!("Link({:?}, None, {:.4})", self.0.name, self.probability()),
        }
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
