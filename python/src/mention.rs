//! Mentions of a linked document.

use std::sync::Arc;

use pyo3::prelude::*;
use truename::{LinkedMention, Span};
use truename_view::probability;

use crate::candidate::Candidate;
use crate::document::Contents;
use crate::json;
use crate::link::Link;

/// A piece of a text with the concept that it refers to.
#[pyclass(frozen, module = "truename")]
pub struct Mention {
    document: Arc<Contents>,
    number: usize,
}

impl Mention {
    /// Returns the mentions of a document by start, longer ones first.
    pub fn all(document: &Arc<Contents>) -> Vec<Self> {
        (0..document.linked.mentions.len()).map(|number| Self { document: Arc::clone(document), number }).collect()
    }

    fn mention(&self) -> &LinkedMention {
        &self.document.linked.mentions[self.number]
    }

    fn characters(&self, span: Span) -> (usize, usize) {
        let offsets = &self.document.offsets;
        (offsets.of_byte(span.start), offsets.of_byte(span.end))
    }

    /// Returns the answer, if the mention was linked and is not NIL.
    fn answer(&self) -> Option<&truename::Candidate> {
        self.mention().link.answer()
    }
}

#[pymethods]
impl Mention {
    /// First character in the text of the document.
    #[getter]
    fn start(&self) -> usize {
        self.characters(self.mention().span).0
    }

    /// Character after the last one.
    #[getter]
    fn end(&self) -> usize {
        self.characters(self.mention().span).1
    }

    /// Start and end of each piece of a discontinuous mention; empty if the mention is the whole span.
    #[getter]
    fn fragments(&self) -> Vec<(usize, usize)> {
        self.mention().fragments.iter().map(|fragment| self.characters(*fragment)).collect()
    }

    /// The piece of the text from start to end.
    #[getter]
    fn text(&self) -> &str {
        self.mention().span.of(&self.document.linked.document.text).unwrap_or_default()
    }

    /// Types given by the recognizer or with the text, else those of the concept.
    #[getter]
    fn types(&self) -> Vec<&str> {
        self.mention().types.iter().map(String::as_str).collect()
    }

    /// Id of the concept; None if the answer is NIL or the mention was not linked.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.answer().map(|answer| answer.id.as_str())
    }

    /// Preferred name of the concept; None if the answer is NIL.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.answer().map(|answer| answer.preferred_name.as_str())
    }

    /// Best-fitting name of the concept; None if the answer is NIL.
    #[getter]
    fn matched_name(&self) -> Option<&str> {
        self.answer().map(|answer| answer.matched_name.as_str())
    }

    /// Probability of the best candidate, even if the answer is NIL.
    #[getter]
    fn probability(&self) -> f64 {
        probability(&self.mention().link)
    }

    /// True if no candidate reaches the threshold.
    #[getter]
    fn is_nil(&self) -> bool {
        self.mention().link.is_nil
    }

    /// Candidates, likeliest first; also those of an answer that is NIL.
    #[getter]
    fn candidates(&self) -> Vec<Candidate> {
        Candidate::all(&self.mention().link)
    }

    /// The answer to the text or the long form.
    #[getter]
    fn link(&self) -> Link {
        Link(Arc::clone(&self.mention().link))
    }

    /// Score of the recognizer, higher is likelier; None if it gives none.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.mention().score
    }

    /// Score above which the recognizer takes a span for a mention; None if it gives none.
    #[getter]
    fn threshold(&self) -> Option<f64> {
        self.mention().threshold
    }

    /// Probability that the span is a mention, by its score; None if the recognizer is not calibrated. The probabilities of the link have
    /// it as a factor.
    #[getter]
    fn mention_probability(&self) -> Option<f64> {
        self.mention().mention_probability
    }

    /// Long form that was linked if the mention is an abbreviation.
    #[getter]
    fn long_form(&self) -> Option<&str> {
        self.mention().long_form.as_deref()
    }

    /// Assertions of the text about the mention: `negated`, `hypothetical`, `historical`, `family`, `uncertain`. None where it is affirmed.
    #[getter]
    fn assertions(&self) -> Vec<&'static str> {
        self.mention().assertions.names()
    }

    /// Explanation in words, if asked for.
    #[getter]
    fn explanation(&self) -> Option<&str> {
        self.mention().link.explanation.as_deref()
    }

    /// Returns the mention as `truename link` writes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &self.document.line())?.get_item("mentions")?.get_item(self.number)
    }

    fn __repr__(&self) -> String {
        let id = self.id().map_or_else(|| "None".to_owned(), |id| format!("{id:?}"));
        format!("Mention({}, {}, {:?}, {id}, {:.4})", self.start(), self.end(), self.text(), self.probability())
    }

    fn __eq__(&self, other: &Self) -> bool {
        (self.mention(), self.start()) == (other.mention(), other.start())
    }
}
