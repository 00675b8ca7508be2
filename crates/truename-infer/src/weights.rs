//! `model.safetensors`, mapped into memory or read, with tensors added and written back.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;
use safetensors::tensor::{Dtype, Metadata, TensorView};
use safetensors::{SafeTensorError, SafeTensors};
use truename_error::ErrorKind;
use truename_files::Partial;

use crate::{Error, Tensor, Tensors, error};

// Tensors are little-endian in the file and are used as they lie there.
const _: () = assert!(cfg!(target_endian = "little"));

/// True if weights are read and not mapped.
static ARE_READ: AtomicBool = AtomicBool::new(false);

/// Reads weights whole from now on. They are mapped otherwise, which is faster but ends the process when somebody cuts the
/// file off.
pub fn read_weights() {
    ARE_READ.store(true, Ordering::Relaxed);
}

/// A file in memory.
pub(crate) enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// `model.safetensors`, mapped into memory or made there.
pub(crate) struct Weights {
    path: PathBuf,
    map: Arc<Bytes>,
    tensors: Metadata,
    /// Offset of the first tensor in the file.
    start: usize,
}

impl Weights {
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("model.safetensors");
        if ARE_READ.load(Ordering::Relaxed) {
            let file = std::fs::read(&path).map_err(|source| error::io("open", &path, source))?;
            return Self::of(path.clone(), Bytes::Owned(file)).map_err(|source| error::tensors(&path, source));
        }
        let file = File::open(&path).map_err(|source| error::io("open", &path, source))?;
        // SAFETY: the file is opened to be read. Whoever changes it while it is mapped gets other vectors, and whoever cuts
        // it short ends this process, unless [`read_weights`] was called; downloads replace files whole.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(|source| error::io("map", &path, source))?;
        Self::of(path.clone(), Bytes::Mapped(map)).map_err(|source| error::tensors(&path, source))
    }

    /// Weights that no file has.
    pub fn in_memory(tensors: &Tensors) -> Self {
        let views = tensors.iter().map(|(name, tensor)| (name, view(tensor)));
        let file = safetensors::serialize(views, None).expect("tensors in single precision can be written");
        Self::of(PathBuf::new(), Bytes::Owned(file)).expect("a file made here can be read here")
    }

    fn of(path: PathBuf, map: Bytes) -> Result<Self, SafeTensorError> {
        let (header, tensors) = SafeTensors::read_metadata(&map)?;
        Ok(Self { path, map: Arc::new(map), tensors, start: size_of::<u64>() + header })
    }

    /// The same file with other tensors: those given are added or take the place of their namesakes.
    pub fn with(&self, tensors: &Tensors) -> Result<Self, Error> {
        let failed = |source| error::tensors(&self.path, source);
        let file = safetensors::serialize(self.views(tensors).map_err(failed)?, None).map_err(failed)?;
        Self::of(self.path.clone(), Bytes::Owned(file)).map_err(failed)
    }

    /// Writes the file into a folder, with the tensors given added or in place of their namesakes.
    pub fn save(&self, folder: &Path, tensors: &Tensors) -> Result<(), Error> {
        let path = folder.join("model.safetensors");
        let new = folder.join("model.safetensors.new");
        let failed = |source| error::io("write", &new, source);
        let partial = Partial::create(&new).map_err(failed)?;
        let permissions = std::fs::metadata(&new).map_err(failed)?.permissions();
        let views = self.views(tensors).map_err(|source| error::tensors(&path, source))?;
        let metadata = HashMap::from([("format".to_owned(), "pt".to_owned())]);
        safetensors::serialize_to_file(views, Some(metadata), &new).map_err(|source| error::unwritten(&new, source))?;
        // `serialize_to_file` puts a temporary file there, which is its owner's alone.
        std::fs::set_permissions(&new, permissions).map_err(failed)?;
        partial.replace(&path).map_err(|source| error::io("replace", &path, source))
    }

    /// The tensors of the file that have no namesake among those given, then those given.
    fn views<'a>(&'a self, tensors: &'a Tensors) -> Result<Vec<(String, TensorView<'a>)>, SafeTensorError> {
        let mut views = SafeTensors::deserialize(self.bytes())?.tensors();
        views.retain(|(name, _)| !tensors.contains_key(name));
        views.extend(tensors.iter().map(|(name, tensor)| (name.clone(), view(tensor))));
        Ok(views)
    }

    /// The shape of a tensor, if there is such a tensor.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.info(name).map(|tensor| tensor.shape.as_slice())
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Number of parameters; integer tensors, which hold positions, do not count.
    pub fn parameters(&self) -> u64 {
        let floats = [Dtype::F16, Dtype::BF16, Dtype::F32, Dtype::F64];
        let of_floats = self.tensors.tensors().into_values().filter(|tensor| floats.contains(&tensor.dtype));
        of_floats.map(|tensor| tensor.shape.iter().product::<usize>() as u64).sum()
    }

    /// All tensors, by their whole names.
    pub fn whole(&self) -> Scope<'_> {
        Scope { weights: self, prefix: String::new() }
    }

    /// The tensors below the first of `prefixes` that has `tensor`, or below the last.
    pub fn under<'a>(&'a self, prefixes: &[&str], tensor: &str) -> Scope<'a> {
        let has_tensor = |prefix: &&&str| self.tensors.info(&format!("{prefix}{tensor}")).is_some();
        let prefix = prefixes.iter().find(has_tensor).or(prefixes.last());
        Scope { weights: self, prefix: prefix.map(|prefix| prefix.to_string()).unwrap_or_default() }
    }
}

fn view(tensor: &Tensor) -> TensorView<'_> {
    let bytes = bytemuck::cast_slice(tensor.values());
    TensorView::new(Dtype::F32, tensor.shape().to_vec(), bytes).expect("a tensor has as many numbers as its shape")
}

/// The tensors whose names start alike.
#[derive(Clone)]
pub struct Scope<'a> {
    weights: &'a Weights,
    prefix: String,
}

impl Scope<'_> {
    /// The tensors of a part of this part.
    pub fn at(&self, part: &str) -> Self {
        Self { weights: self.weights, prefix: format!("{}{part}.", self.prefix) }
    }

    /// The whole name of a tensor of this part.
    pub fn name(&self, tensor: &str) -> String {
        format!("{}{tensor}", self.prefix)
    }

    /// Returns whether this part has a tensor.
    pub fn has(&self, tensor: &str) -> bool {
        self.weights.tensors.info(&self.name(tensor)).is_some()
    }

    /// The numbers of a tensor.
    ///
    /// # Errors
    /// Where it is missing, of another shape, or not in single precision.
    pub fn values(&self, tensor: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        Ok(self.floats(tensor, shape)?.slice().to_vec())
    }

    /// A tensor of any shape.
    ///
    /// # Errors
    /// Where it is missing, or not in single precision.
    pub fn tensor(&self, tensor: &str) -> Result<Tensor, Error> {
        let name = self.name(tensor);
        let shape = self.weights.shape(&name).ok_or_else(|| no_tensor(&self.weights.path, &name))?;
        Ok(Tensor::new(shape.to_vec(), self.values(tensor, shape)?))
    }

    /// Names of the scale and of the shift of a layer norm here; checkpoints from before 2019 call them gamma and beta.
    pub fn norm_names(&self) -> [&'static str; 2] {
        if self.has("gamma") { ["gamma", "beta"] } else { ["weight", "bias"] }
    }

    /// A row of numbers for each of `rows` things, left in the file.
    pub(crate) fn table(&self, rows: usize, columns: usize) -> Result<Table, Error> {
        Ok(Table { floats: self.floats("weight", &[rows, columns])?, columns })
    }

    pub(crate) fn floats(&self, name: &str, shape: &[usize]) -> Result<Floats, Error> {
        let (name, path) = (self.name(name), &self.weights.path);
        let tensor = self.weights.tensors.info(&name).ok_or_else(|| no_tensor(path, &name))?;
        if tensor.dtype != Dtype::F32 {
            let message = format!("{}: the tensor {name} holds {:?}; truename reads F32", path.display(), tensor.dtype);
            return Err(Error::new(ErrorKind::Syntax, message)
                .with_hint("save the weights in single precision: `model.float().save_pretrained(FOLDER)`"));
        }
        if tensor.shape != shape {
            let (path, found) = (path.display(), &tensor.shape);
            return Err(error::unfit_tensor(format!(
                "{path}: the tensor {name} has shape {found:?}; config.json asks for {shape:?}"
            )));
        }
        let (from, to) = tensor.data_offsets;
        Ok(Floats::new(&self.weights.map, self.weights.start + from..self.weights.start + to))
    }
}

/// The numbers of one tensor: in the map, or copied where the file does not align them.
pub(crate) enum Floats {
    Mapped { map: Arc<Bytes>, bytes: Range<usize> },
    Copied(Vec<f32>),
}

impl Floats {
    fn new(map: &Arc<Bytes>, bytes: Range<usize>) -> Self {
        match bytemuck::try_cast_slice::<u8, f32>(&map[bytes.clone()]) {
            Ok(_) => Self::Mapped { map: Arc::clone(map), bytes },
            Err(_) => Self::Copied(map[bytes].as_chunks().0.iter().copied().map(f32::from_le_bytes).collect()),
        }
    }

    pub fn slice(&self) -> &[f32] {
        match self {
            Self::Mapped { map, bytes } => bytemuck::cast_slice(&map[bytes.clone()]),
            Self::Copied(values) => values,
        }
    }
}

/// Rows of numbers that are looked up one at a time.
pub(crate) struct Table {
    floats: Floats,
    columns: usize,
}

impl Table {
    /// The row at `index`, if there are so many.
    pub fn row(&self, index: usize) -> Option<&[f32]> {
        self.floats.slice().get(index * self.columns..(index + 1) * self.columns)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.floats.slice().len() / self.columns
    }
}
fn no_tensor(path: &Path, name: &str) -> Error {
    error::unfit_tensor(format!("{} has no tensor {name}", path.display()))
}
