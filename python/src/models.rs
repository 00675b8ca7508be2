//! Models in folders and those that are part of the package.

use std::path::PathBuf;

use pyo3::prelude::*;
use truename::{QuantizeOptions, quantize_model};

use crate::call::Call;
use crate::json;

/// Writes a copy of a model folder in 8 bits, for inference alone: that of an encoder, a recognizer, a retriever, a re-ranker or a
/// classifier. `trained_types` leaves out a recognizer's network of descriptions. As `truename model quantize`.
#[pyfunction]
#[pyo3(signature = (model, out, *, trained_types=false))]
pub fn quantize(py: Python<'_>, model: PathBuf, out: PathBuf, trained_types: bool) -> PyResult<()> {
    Call::default().run(py, move || quantize_model(&model, &out, QuantizeOptions { trained_types }))
}

/// Returns what each model of the package was trained on, its figures, licence, date and size. As `truename model list`.
#[pyfunction]
pub fn bundled_models(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    json::object(py, &truename::bundled_models())
}
