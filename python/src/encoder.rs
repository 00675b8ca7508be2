//! Encoders of texts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use truename::{Error, with_precision};

use crate::call::Call;
use crate::knowledge_base::{absolute, adapter_choice};
use crate::pickle::{Pickled, pickled};

/// Number of texts encoded between two looks for Ctrl-C.
const PIECE: usize = 256;

/// A sentence encoder: texts in, vectors out.
///
/// It can be pickled, by its folder.
#[pyclass(frozen, module = "truename")]
pub struct Encoder {
    encoder: Arc<truename::Encoder>,
    folder: PathBuf,
    adapters: Option<String>,
}

/// Returns the folder of a model with weights of a precision; that of the model where none is asked for.
pub fn in_precision(model: &Path, precision: Option<&str>) -> Result<PathBuf, Error> {
    precision.map_or_else(|| Ok(model.to_owned()), |precision| with_precision(model, precision.parse()?))
}

impl Encoder {
    /// Returns the encoder, shared by handles.
    pub fn shared(&self) -> Arc<truename::Encoder> {
        Arc::clone(&self.encoder)
    }
}

#[pymethods]
impl Encoder {
    /// Opens the encoder in a folder: a Hugging Face folder of a family that docs/formats.md lists, or one that `train` made.
    ///
    /// `adapters`: names of the adapters to use, with commas between them; all by default, "none" for none. `precision`: "int8" for a
    /// copy with weights in 8 bits, which is made in the cache on first use; by default that of the folder.
    #[staticmethod]
    #[pyo3(signature = (path, *, adapters=None, precision=None))]
    fn open(py: Python<'_>, path: PathBuf, adapters: Option<String>, precision: Option<String>) -> PyResult<Self> {
        let (path, choice) = (absolute(path)?, adapter_choice(adapters.as_deref())?);
        let (encoder, folder) = Call::default().run(py, move || {
            let folder = in_precision(&path, precision.as_deref())?;
            Ok((truename::Encoder::open_with_adapters(&folder, &choice)?, folder))
        })?;
        Ok(Self { encoder: Arc::new(encoder), folder, adapters })
    }

    /// Number of numbers of a vector.
    #[getter]
    fn dimensions(&self) -> usize {
        self.encoder.dimensions()
    }

    /// Number of tokens that are read of a text.
    #[getter]
    fn window(&self) -> usize {
        self.encoder.info().window
    }

    /// Folder of the encoder.
    #[getter]
    fn path(&self) -> &PathBuf {
        &self.folder
    }

    /// Hash of its weights, tokenizer and configuration in hexadecimal digits.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        let encoder = Arc::clone(&self.encoder);
        Call::default().run(py, move || Ok(encoder.hash().to_owned()))
    }

    /// Returns the vectors of texts as rows of a numpy array of 32-bit floats, in their order. They have unit length, so that a product is
    /// a cosine; with `normalize=False`, the length that the network gives them.
    #[pyo3(signature = (texts, *, normalize=true, threads=0))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<String>,
        normalize: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (rows, encoder, call) = (texts.len(), Arc::clone(&self.encoder), Call::on(threads));
        let progress = Arc::clone(&call.progress);
        let bytes = call.run(py, move || {
            let mut bytes = Vec::with_capacity(rows * encoder.dimensions() * size_of::<f32>());
            for piece in texts.chunks(PIECE) {
                progress.check()?;
                let vectors = if normalize { encoder.encode(piece) } else { encoder.encode_unscaled(piece) }?;
                bytes.extend(vectors.into_vec().into_iter().flat_map(f32::to_le_bytes));
            }
            Ok(bytes)
        })?;
        let numpy = py.import("numpy")?;
        // A bytearray, other than bytes, gives an array that can be written to.
        let flat = numpy.call_method1("frombuffer", (PyByteArray::new(py, &bytes), "<f4"))?;
        flat.call_method1("reshape", ((rows, self.dimensions()),))
    }

    fn __fspath__(&self) -> String {
        self.folder.to_string_lossy().into_owned()
    }

    fn __repr__(&self) -> String {
        format!("Encoder.open({:?})", self.folder.display().to_string())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py, (PathBuf, Option<String>)>> {
        pickled(py, "encoder", (self.folder.clone(), self.adapters.clone()))
    }
}
