//! The command `truename`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with its arguments, the first of which is its name. Returns its exit code.
#[pyfunction]
#[pyo3(name = "_main", signature = (arguments, /))]
pub fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| truename_cli::main(arguments)) as u8
}
