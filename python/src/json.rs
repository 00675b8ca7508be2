//! JSON of the library, as objects of Python.

use pyo3::prelude::*;
use serde::Serialize;
use truename_error::Error;

use crate::error::raised;

/// Returns the JSON of a value.
pub fn text(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| raised(Error::other(error)))
}

/// Returns a value as dicts, lists, numbers and strings.
pub fn object<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text(value)?,))
}
