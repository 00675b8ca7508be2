//! Mappings between two vocabularies.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{Array, ArrayRef, Float64Array, StringArray, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use flate2::Compression;
use flate2::write::GzEncoder;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule};
use truename_align::{MappingRow, MappingSet};
use truename_files::Partial;

use crate::json;

/// The mappings of two vocabularies: a table of Arrow, and a sequence of dicts, with the fields of SSSOM.
#[pyclass(frozen, module = "truename")]
pub struct Mappings {
    pub set: MappingSet,
    /// Mappings that the repair removed.
    pub removed: Vec<MappingRow>,
    /// Number of pairs of concepts that were compared.
    pub compared: usize,
}

/// A column of one value a mapping, and one of several.
type Text = fn(&MappingRow) -> &str;
type Texts = fn(&MappingRow) -> Vec<&str>;

/// Columns of text around those of numbers, in the order of the SSSOM table.
const IDS: [(&str, Text); 6] = [
    ("subject_id", |row| &row.subject_id),
    ("subject_label", |row| &row.subject_label),
    ("predicate_id", |row| row.predicate_id.as_str()),
    ("object_id", |row| &row.object_id),
    ("object_label", |row| &row.object_label),
    ("mapping_justification", |row| row.mapping_justification),
];
const CARDINALITY: (&str, Text) = ("mapping_cardinality", |row| row.mapping_cardinality);
const EVIDENCE: [(&str, Texts); 5] = [
    ("subject_match_field", |row| row.subject_match_field.clone()),
    ("object_match_field", |row| row.object_match_field.clone()),
    ("match_string", |row| row.match_string.iter().map(String::as_str).collect()),
    ("subject_preprocessing", |row| row.subject_preprocessing.clone()),
    ("object_preprocessing", |row| row.object_preprocessing.clone()),
];

impl Mappings {
    fn fields() -> Fields {
        let text = |(name, _): (&str, Text)| Field::new(name, DataType::Utf8, false);
        let item = || Arc::new(Field::new("item", DataType::Utf8, true));
        let list = |(name, _): (&str, Texts)| Field::new(name, DataType::List(item()), false);
        let numbers = [("confidence", false), ("similarity_score", true)];
        let number = |(name, is_nullable)| Field::new(name, DataType::Float64, is_nullable);
        let first = IDS.into_iter().map(text).chain(numbers.map(number)).chain([text(CARDINALITY)]);
        first.chain(EVIDENCE.map(list)).collect()
    }

    fn field() -> FieldRef {
        Arc::new(Field::new("", DataType::Struct(Self::fields()), false))
    }

    fn array(&self) -> ArrayRef {
        let rows = || self.set.mappings.iter();
        let text = |(_, value): (&str, Text)| {
            Arc::new(rows().map(|row| Some(value(row))).collect::<StringArray>()) as ArrayRef
        };
        let list = |(_, values): (&str, Texts)| {
            let mut builder = ListBuilder::new(StringBuilder::new());
            rows().for_each(|row| builder.append_value(values(row).into_iter().map(Some)));
            Arc::new(builder.finish()) as ArrayRef
        };
        let confidences: Float64Array = rows().map(|row| Some(row.confidence)).collect();
        let similarities: Float64Array = rows().map(|row| row.similarity_score).collect();
        let numbers: [ArrayRef; 2] = [Arc::new(confidences), Arc::new(similarities)];
        let first = IDS.into_iter().map(text).chain(numbers).chain([text(CARDINALITY)]);
        let columns = first.chain(EVIDENCE.map(list)).collect();
        Arc::new(StructArray::new(Self::fields(), columns, None))
    }

    /// Returns the text of a format.
    fn text(&self, format: &str) -> PyResult<String> {
        match format {
            "sssom" => Ok(self.set.to_sssom()),
            "oaei" => Ok(self.set.to_oaei()),
            "owl" => Ok(self.set.to_owl()),
            "json" => Ok(self.set.to_json()),
            other => Err(PyValueError::new_err(format!("format is \"{other}\"; use sssom, oaei, owl or json"))),
        }
    }
}

#[pymethods]
impl Mappings {
    fn __len__(&self) -> usize {
        self.set.mappings.len()
    }

    /// Returns a mapping as a dict with the fields of SSSOM.
    fn __getitem__<'py>(&self, py: Python<'py>, row: isize) -> PyResult<Bound<'py, PyAny>> {
        let length = self.set.mappings.len();
        let at = usize::try_from(row).or_else(|_| usize::try_from(row + length as isize));
        match at.ok().filter(|at| *at < length) {
            Some(at) => json::object(py, &self.set.mappings[at]),
            None => Err(PyIndexError::new_err(format!("row {row} of {length}"))),
        }
    }

    /// Pairs of ids that are mapped, with the probability of each.
    #[getter]
    fn pairs(&self) -> Vec<(&str, &str, f64)> {
        let rows = self.set.mappings.iter();
        rows.map(|row| (row.subject_id.as_str(), row.object_id.as_str(), row.confidence)).collect()
    }

    /// Mappings that were removed because they close a cycle, as dicts.
    #[getter]
    fn removed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &self.removed)
    }

    /// Number of pairs of concepts that were compared.
    #[getter]
    fn compared(&self) -> usize {
        self.compared
    }

    /// Returns the mappings as dicts, as `truename align --format json` writes them.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &self.set.mappings)
    }

    /// Writes the mappings to a file, gzipped where its name ends in .gz.
    ///
    /// `format`: "sssom", "oaei", "owl" or "json".
    #[pyo3(signature = (path, *, format="sssom"))]
    fn write(&self, py: Python<'_>, path: PathBuf, format: &str) -> PyResult<()> {
        let text = self.text(format)?;
        Ok(py.detach(|| written(&path, text.as_bytes()))?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, Self::field().as_ref())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyTuple>> {
        let array = py.detach(|| self.array());
        to_array_pycapsules(py, Self::field(), &array as &dyn Array, requested_schema)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let array = py.detach(|| self.array());
        let arrays = ArrayIterator::new(std::iter::once(Ok(array)), Self::field());
        to_stream_pycapsule(py, Box::new(arrays), requested_schema)
    }

    fn __repr__(&self) -> String {
        format!("<Mappings: {} of {} compared pairs>", self.set.mappings.len(), self.compared)
    }
}

/// Writes a file that appears when it is whole.
fn written(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let partial = Partial::beside(path)?;
    let mut file = File::create_new(partial.path())?;
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
        true => {
            let mut packed = GzEncoder::new(file, Compression::default());
            packed.write_all(bytes)?;
            packed.finish()?;
        }
        false => file.write_all(bytes)?,
    }
    partial.replace(path)
}
