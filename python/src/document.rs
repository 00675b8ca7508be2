//! Linked documents.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use truename::{LinkedDocument, OffsetUnit, Offsets};
use truename_error::Error;
use truename_view::{DocumentLine, HtmlWriter, STYLE, read_document};

use crate::error::raised;
use crate::json;
use crate::mention::Mention;

/// Style of a document among others on a page, beside that of a page.
const INLINE: &str = ":scope { margin: 0; padding: 1rem }\narticle { margin: 0 }\n";

/// A text with its linked mentions. Offsets count characters, as Python does.
#[pyclass(frozen, module = "truename")]
pub struct Document(Arc<Contents>);

/// A linked document, with the offsets of its characters.
pub struct Contents {
    pub linked: LinkedDocument,
    pub offsets: Offsets,
}

impl Contents {
    /// Returns the document as the command writes it.
    pub fn line(&self) -> DocumentLine<'_> {
        DocumentLine::new(&self.linked, OffsetUnit::Chars)
    }
}

impl From<LinkedDocument> for Document {
    fn from(linked: LinkedDocument) -> Self {
        let offsets = Offsets::new(&linked.document.text, OffsetUnit::Chars);
        Self(Arc::new(Contents { linked, offsets }))
    }
}

#[pymethods]
impl Document {
    /// Reads a document back from the line that `to_json` or `truename link` wrote.
    #[staticmethod]
    fn from_json(line: &str) -> PyResult<Self> {
        Ok(read_document(line, OffsetUnit::Chars).map_err(raised)?.into())
    }

    /// The text.
    #[getter]
    fn text(&self) -> &str {
        &self.0.linked.document.text
    }

    /// Id that was given with the text; empty if none was.
    #[getter]
    fn id(&self) -> &str {
        &self.0.linked.document.id
    }

    /// Mentions by start, longer ones first.
    #[getter]
    fn mentions(&self) -> Vec<Mention> {
        Mention::all(&self.0)
    }

    /// Returns the document as `truename link` writes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &self.0.line())
    }

    /// Returns the line that `truename link` writes.
    fn to_json(&self) -> PyResult<String> {
        json::text(&self.0.line())
    }

    /// Returns a page with the mentions in colour, complete in itself.
    #[pyo3(signature = (title="Linked documents"))]
    fn to_html(&self, title: &str) -> PyResult<String> {
        page(HtmlWriter::new(Vec::new(), title), &self.0.linked).map_err(raised)
    }

    /// Returns the mentions in colour, for notebooks.
    fn _repr_html_(&self) -> PyResult<String> {
        let fragment = page(Ok(HtmlWriter::fragment(Vec::new())), &self.0.linked).map_err(raised)?;
        // A scope keeps the style from the rest of the notebook.
        let style = STYLE.replace(":root", ":scope").replace("\nbody {", "\n:scope {");
        Ok(format!("<div><style>@scope {{\n{style}{INLINE}}}</style>{fragment}</div>"))
    }

    fn __len__(&self) -> usize {
        self.0.linked.mentions.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        PyList::new(py, Mention::all(&self.0))?.as_any().get_item(at)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, Mention::all(&self.0))?.try_iter()
    }

    fn __repr__(&self) -> String {
        let text = self.text();
        let shown: String = text.chars().take(40).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        let mentions = self.__len__();
        format!("<Document {:?}, {mentions} mention{}>", shown + more, if mentions == 1 { "" } else { "s" })
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0.linked == other.0.linked
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("from_json")?, (self.to_json()?,)))
    }
}

fn page(writer: std::io::Result<HtmlWriter<Vec<u8>>>, linked: &LinkedDocument) -> Result<String, Error> {
    let written = writer.and_then(|mut page| {
        page.write(linked)?;
        page.finish()
    });
    String::from_utf8(written.map_err(Error::other)?).map_err(Error::other)
}
