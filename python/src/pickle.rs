//! Pickles: functions of `truename._pickle` that open objects again, with their arguments.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::knowledge_base::KnowledgeBase;

/// A function of Python and its arguments, as `__reduce__` returns them.
pub type Pickled<'py, A> = (Bound<'py, PyAny>, A);
/// A knowledge base and the options of what is opened of it.
pub type WithOptions<'py> = (KnowledgeBase, Option<Bound<'py, PyDict>>);

/// Returns the pickle that calls a function of `truename._pickle`.
pub fn pickled<'py, A>(py: Python<'py>, function: &str, arguments: A) -> PyResult<Pickled<'py, A>> {
    Ok((py.import("truename._pickle")?.getattr(function)?, arguments))
}
