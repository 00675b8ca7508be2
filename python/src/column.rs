//! Columns of names: lists, and the Arrow arrays of any library.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_cast::cast;
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::PyChunkedArray;
use pyo3_arrow::input::AnyArray;

use crate::error::advised;

/// Number of rows read between two looks for Ctrl-C.
const ROWS_BETWEEN_LOOKS: usize = 1 << 16;

/// A column by its distinct names.
#[derive(Default)]
pub struct Column {
    pub names: Vec<String>,
    /// Number of the name of each row; `None` where the row has none.
    pub rows: Vec<Option<usize>>,
}

/// The distinct names of a column that is being read.
#[derive(Default)]
struct Distinct {
    column: Column,
    numbers: HashMap<String, usize>,
}

impl Distinct {
    fn push(&mut self, name: Option<&str>) {
        let Self { column: Column { names, rows }, numbers } = self;
        rows.push(name.map(|name| match numbers.get(name) {
            Some(number) => *number,
            None => {
                names.push(name.to_owned());
                numbers.insert(name.to_owned(), names.len() - 1);
                names.len() - 1
            }
        }));
    }
}

impl Column {
    /// Reads a list, or an object that gives an Arrow array or stream.
    pub fn read(column: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut distinct = Distinct::default();
        let is_arrow = column.hasattr("__arrow_c_array__")? || column.hasattr("__arrow_c_stream__")?;
        if is_arrow {
            let array: PyChunkedArray = column.extract::<AnyArray>()?.into_chunked_array()?;
            if !is_text(array.data_type()) {
                let message = format!("the column holds {}, and not strings", array.data_type());
                return Err(advised(PyTypeError::new_err(message), "convert it to strings first"));
            }
            for chunk in array.chunks() {
                let text =
                    cast(chunk, &DataType::LargeUtf8).map_err(|error| PyTypeError::new_err(error.to_string()))?;
                text.as_string::<i64>().iter().for_each(|name| distinct.push(name));
            }
        } else {
            for (row, cell) in column.try_iter()?.enumerate() {
                let cell = cell?;
                if row % ROWS_BETWEEN_LOOKS == 0 {
                    column.py().check_signals()?;
                }
                match cell.extract::<&str>() {
                    Ok(name) => distinct.push(Some(name)),
                    // Pandas writes a missing string as a number that is not one, or as a mark of its own.
                    Err(_) if is_missing(&cell)? => distinct.push(None),
                    Err(_) => {
                        let kind = cell.get_type().name()?;
                        let message = format!("row {row} of the column is {kind}, and not a str");
                        return Err(advised(PyTypeError::new_err(message), "convert it to strings first"));
                    }
                }
            }
        }
        Ok(distinct.column)
    }
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// Returns true for None, for a number that is not equal to itself, and for the mark of pandas for what is missing.
fn is_missing(cell: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_number = cell.is_instance_of::<pyo3::types::PyFloat>();
    Ok(cell.is_none() || (is_number && cell.ne(cell)?) || cell.get_type().name()? == "NAType")
}
