//! Answers to a column.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyList, PyTuple};
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule};
use truename::Candidate;
use truename_view::probability;

use crate::json;
use crate::link::Link;

/// The answers to a column: an Arrow array of structs, and a sequence of links.
#[pyclass(frozen, module = "truename")]
pub struct Matches {
    /// Answers to the distinct names.
    pub links: Vec<Arc<truename::Link>>,
    /// Number of the answer of each row; `None` where the row has no name.
    pub rows: Vec<Option<usize>>,
    pub has_candidates: bool,
    pub is_explained: bool,
}

/// Fields of a candidate; those of an answer begin with them.
fn candidate_fields() -> Vec<Field> {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let probability = Field::new("probability", DataType::Float64, true);
    vec![text("id"), text("preferred_name"), text("matched_name"), probability]
}

fn candidates_item() -> FieldRef {
    Arc::new(Field::new("item", DataType::Struct(candidate_fields().into()), true))
}

/// Appends an answer to builders of the fields of a candidate; `None` for one that is NIL.
fn append(builder: &mut StructBuilder, candidate: Option<&Candidate>, probability: Option<f64>) {
    let texts = candidate.map(|one| [one.id.as_str(), &one.preferred_name, &one.matched_name]);
    for number in 0..3 {
        let builder = builder.field_builder::<StringBuilder>(number).expect("the field holds text");
        builder.append_option(texts.map(|texts| texts[number]));
    }
    let builder = builder.field_builder::<Float64Builder>(3).expect("the field holds numbers");
    builder.append_option(probability);
}

impl Matches {
    fn fields(&self) -> Fields {
        let mut fields = candidate_fields();
        if self.has_candidates {
            fields.push(Field::new("candidates", DataType::List(candidates_item()), true));
        }
        if self.is_explained {
            fields.push(Field::new("explanation", DataType::Utf8, true));
        }
        fields.into()
    }

    fn field(&self) -> FieldRef {
        Arc::new(Field::new("", DataType::Struct(self.fields()), true))
    }

    fn link(&self, row: usize) -> Option<&Arc<truename::Link>> {
        self.rows[row].map(|number| &self.links[number])
    }

    fn array(&self) -> ArrayRef {
        let mut answers = StructBuilder::from_fields(candidate_fields(), self.rows.len());
        let mut candidates =
            ListBuilder::new(StructBuilder::from_fields(candidate_fields(), 0)).with_field(candidates_item());
        let mut explanations = StringBuilder::new();
        for row in 0..self.rows.len() {
            let link = self.link(row);
            append(&mut answers, link.and_then(|link| link.answer()), link.map(|link| probability(link)));
            answers.append(link.is_some());
            if self.has_candidates {
                for candidate in link.iter().flat_map(|link| &link.candidates) {
                    append(candidates.values(), Some(candidate), Some(candidate.probability));
                    candidates.values().append(true);
                }
                candidates.append(link.is_some());
            }
            if self.is_explained {
                explanations.append_option(link.and_then(|link| link.explanation.as_deref()));
            }
        }
        let (_, mut columns, nulls) = answers.finish().into_parts();
        if self.has_candidates {
            columns.push(Arc::new(candidates.finish()));
        }
        if self.is_explained {
            columns.push(Arc::new(explanations.finish()));
        }
        Arc::new(StructArray::new(self.fields(), columns, nulls))
    }
}

#[pymethods]
impl Matches {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// Returns the answer to a row; None if the row has no name.
    fn __getitem__(&self, row: isize) -> PyResult<Option<Link>> {
        let length = self.rows.len();
        let at = usize::try_from(row).or_else(|_| usize::try_from(row + length as isize));
        match at.ok().filter(|at| *at < length) {
            Some(at) => Ok(self.link(at).map(|link| Link(Arc::clone(link)))),
            None => Err(PyIndexError::new_err(format!("row {row} of {length}"))),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let links = (0..self.rows.len()).map(|row| self.link(row).map(|link| Link(Arc::clone(link))));
        PyList::new(py, links.collect::<Vec<_>>())?.try_iter()
    }

    /// Ids of the concepts; None where the answer is NIL or the row has no name.
    #[getter]
    fn ids(&self) -> Vec<Option<&str>> {
        let id = |row| self.link(row).and_then(|link| link.id().map(truename::ConceptId::as_str));
        (0..self.rows.len()).map(id).collect()
    }

    /// Returns the answers as dicts, as `truename match --format jsonl` writes them; None for a row without a name.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let lines: Vec<_> =
            (0..self.rows.len()).map(|row| self.link(row).map(|link| truename_view::NameLine::new(link))).collect();
        json::object(py, &lines)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.field().as_ref())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyTuple>> {
        let array = py.detach(|| self.array());
        to_array_pycapsules(py, self.field(), &array as &dyn Array, requested_schema)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let array = py.detach(|| self.array());
        let arrays = ArrayIterator::new(std::iter::once(Ok(array)), self.field());
        to_stream_pycapsule(py, Box::new(arrays), requested_schema)
    }

    fn __repr__(&self) -> String {
        let linked = self.ids().iter().filter(|id| id.is_some()).count();
        format!("<Matches: {linked} of {} rows have a concept>", self.rows.len())
    }
}
