//! The command `truename`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with its arguments, the first of which is its name. Returns its exit code.
#[pyfunction]
#[pyo3(name = "_main", signature = (arguments, /))]
pub fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    let python: Option<OsString> = py.import("sys")?.getattr("executable")?.extract()?;
    let program = [python.unwrap_or_default(), "-m".into(), "truename".into()];
    Ok(py.detach(|| truename_cli::main(&program, arguments)) as u8)
}
