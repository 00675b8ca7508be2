//! `model.safetensors`, mapped into memory or read, with tensors added and written back.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;
use safetensors::tensor::{Dtype, Metadata, TensorInfo, TensorView};
use safetensors::{SafeTensorError, SafeTensors};
use truename_error::ErrorKind;
use truename_files::Partial;

use crate::kernels::{Int8Values, int8_bytes};
use crate::nibbles::{self, Nibbles};
use crate::{Error, Precision, Tensor, Tensors, error};

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
    /// First parts of the names of tensors that are not saved.
    left_out: Vec<String>,
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
        let tensors = RawTensor::all(tensors);
        let views = tensors.iter().map(|tensor| (&tensor.name, tensor.view()));
        let file = safetensors::serialize(views, None).expect("tensors in single precision can be written");
        Self::of(PathBuf::new(), Bytes::Owned(file)).expect("a file made here can be read here")
    }

    fn of(path: PathBuf, map: Bytes) -> Result<Self, SafeTensorError> {
        let (header, tensors) = SafeTensors::read_metadata(&map)?;
        Ok(Self { path, map: Arc::new(map), tensors, start: size_of::<u64>() + header, left_out: Vec::new() })
    }

    /// Leaves tensors whose names begin with one of these out of files that are saved.
    pub fn leave_out(&mut self, names: &[&str]) {
        self.left_out.extend(names.iter().map(|name| (*name).to_owned()));
    }

    /// The same file with other tensors: those given are added or take the place of their namesakes.
    pub fn with(&self, tensors: &Tensors) -> Result<Self, Error> {
        let failed = |source| error::tensors(&self.path, source);
        let tensors = RawTensor::all(tensors);
        let file = safetensors::serialize(self.views(&tensors).map_err(failed)?, None).map_err(failed)?;
        Self::of(self.path.clone(), Bytes::Owned(file)).map_err(failed)
    }

    /// Writes the file into a folder, with the tensors given added or in place of their namesakes.
    pub fn save(&self, folder: &Path, tensors: &Tensors) -> Result<(), Error> {
        let tensors = RawTensor::all(tensors);
        self.save_with(folder, &tensors, self.scheme())
    }

    /// As [`Weights::save`], with tensors of any kind and the scheme of those that are quantised.
    pub fn save_with(&self, folder: &Path, tensors: &[RawTensor], scheme: Option<&str>) -> Result<(), Error> {
        let path = folder.join("model.safetensors");
        let new = folder.join("model.safetensors.new");
        let failed = |source| error::io("write", &new, source);
        let partial = Partial::create(&new).map_err(failed)?;
        let permissions = std::fs::metadata(&new).map_err(failed)?.permissions();
        let views = self.views(tensors).map_err(|source| error::tensors(&path, source))?;
        // One entry: a map of two would be written in one order or the other. No other library reads what is quantised.
        let (key, value) = scheme.map_or(("format", "pt"), |scheme| (nibbles::SCHEME_KEY, scheme));
        let metadata = HashMap::from([(key.to_owned(), value.to_owned())]);
        safetensors::serialize_to_file(views, Some(metadata), &new).map_err(|source| error::unwritten(&new, source))?;
        // `serialize_to_file` puts a temporary file there, which is its owner's alone.
        std::fs::set_permissions(&new, permissions).map_err(failed)?;
        partial.replace(&path).map_err(|source| error::io("replace", &path, source))
    }

    /// The tensors of the file that have no namesake among those given, then those given.
    fn views<'a>(&'a self, tensors: &'a [RawTensor]) -> Result<Vec<(String, TensorView<'a>)>, SafeTensorError> {
        let mut views = SafeTensors::deserialize(self.bytes())?.tensors();
        let names: HashSet<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
        let is_left_out = |name: &str| self.left_out.iter().any(|start| name.starts_with(start));
        views.retain(|(name, _)| !names.contains(name.as_str()) && !is_left_out(name));
        views.extend(tensors.iter().map(|tensor| (tensor.name.clone(), tensor.view())));
        Ok(views)
    }

    /// The precision of the weights.
    pub fn precision(&self) -> Precision {
        if self.scheme().is_some() { Precision::Int8 } else { Precision::Single }
    }

    /// The scheme of the weights, where they are quantised.
    pub fn scheme(&self) -> Option<&str> {
        self.tensors.metadata().as_ref()?.get(nibbles::SCHEME_KEY).map(String::as_str)
    }

    /// Names of all tensors, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names = self.tensors.offset_keys();
        names.sort_unstable();
        names
    }

    /// The kind of a tensor's numbers, if there is such a tensor.
    pub fn dtype(&self, name: &str) -> Option<Dtype> {
        self.tensors.info(name).map(|tensor| tensor.dtype)
    }

    /// The shape of a tensor, if there is such a tensor.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.info(name).map(|tensor| tensor.shape.as_slice())
    }

    /// Refuses weights of a scheme that this build does not know.
    pub fn check_scheme(&self) -> Result<(), Error> {
        match self.scheme() {
            None | Some(nibbles::SCHEME) => Ok(()),
            Some(scheme) => {
                let (path, known) = (self.path.display(), nibbles::SCHEME);
                let message = format!("{path} has the scheme {scheme}; this version of Truename reads {known}");
                Err(Error::new(ErrorKind::OtherVersion, message).with_hint("quantise the model anew with this version"))
            }
        }
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Number of parameters; integer tensors, which hold positions, do not count.
    pub fn parameters(&self) -> u64 {
        let is_scale = |name: &str| name.rsplit('.').next() == Some(nibbles::SCALES);
        let tensors = self.tensors.tensors().into_iter().filter(|(name, _)| !is_scale(name));
        let count = |(_, tensor): (String, &TensorInfo)| {
            let numbers = tensor.shape.iter().product::<usize>() as u64;
            match tensor.dtype {
                Dtype::F16 | Dtype::BF16 | Dtype::F32 | Dtype::F64 | Dtype::I8 => numbers,
                Dtype::U8 => 2 * numbers,
                _ => 0,
            }
        };
        tensors.map(count).sum()
    }

    /// All tensors, by their whole names.
    pub fn whole(&self) -> Scope<'_> {
        Scope { weights: self, prefix: String::new(), needs_biases: true }
    }

    /// The tensors below the first of `prefixes` that has `tensor`, or below the last.
    pub fn under<'a>(&'a self, prefixes: &[&str], tensor: &str) -> Scope<'a> {
        let has_tensor = |prefix: &&&str| self.tensors.info(&format!("{prefix}{tensor}")).is_some();
        let prefix = prefixes.iter().find(has_tensor).or(prefixes.last());
        let prefix = prefix.map(|prefix| prefix.to_string()).unwrap_or_default();
        Scope { prefix, ..self.whole() }
    }
}

/// A tensor of any kind, to be written.
pub(crate) struct RawTensor<'a> {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

impl<'a> RawTensor<'a> {
    pub fn new(name: String, dtype: Dtype, shape: Vec<usize>, bytes: Vec<u8>) -> Self {
        Self { name, dtype, shape, bytes: Cow::Owned(bytes) }
    }

    fn all(tensors: &'a Tensors) -> Vec<Self> {
        let of = |(name, tensor): (&String, &'a Tensor)| {
            let bytes = Cow::Borrowed(bytemuck::cast_slice(tensor.values()));
            Self { name: name.clone(), dtype: Dtype::F32, shape: tensor.shape().to_vec(), bytes }
        };
        tensors.iter().map(of).collect()
    }

    fn view(&self) -> TensorView<'_> {
        TensorView::new(self.dtype, self.shape.clone(), &self.bytes).expect("a tensor has as many numbers as its shape")
    }
}

/// The tensors whose names start alike.
#[derive(Clone)]
pub struct Scope<'a> {
    weights: &'a Weights,
    prefix: String,
    needs_biases: bool,
}

impl Scope<'_> {
    /// The tensors of a part of this part.
    pub fn at(&self, part: &str) -> Self {
        Self { prefix: format!("{}{part}.", self.prefix), ..self.clone() }
    }

    /// The same part, where maps and norms may have no bias: it is then 0.
    pub(crate) fn with_optional_biases(self) -> Self {
        Self { needs_biases: false, ..self }
    }

    /// The bias of a map or norm; zeros where a family has none.
    ///
    /// # Errors
    /// As [`Scope::values`].
    pub fn bias(&self, tensor: &str, width: usize) -> Result<Vec<f32>, Error> {
        if !self.needs_biases && !self.has(tensor) { Ok(vec![0.0; width]) } else { self.values(tensor, &[width]) }
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
        if self.dtype("weight") != Some(Dtype::U8) {
            return Ok(Table::Floats { floats: self.floats("weight", &[rows, columns])?, columns });
        }
        let groups = columns.div_ceil(Nibbles::GROUP);
        Ok(Table::Nibbles(Nibbles {
            values: Box::new(self.bytes("weight", Dtype::U8, &[rows, columns.div_ceil(2)])?),
            scales: Box::new(self.bytes(nibbles::SCALES, Dtype::BF16, &[rows, groups])?),
            columns,
        }))
    }

    /// Returns whether the map here has weights in 8 bits.
    pub(crate) fn is_int8(&self) -> bool {
        self.dtype("weight") == Some(Dtype::I8)
    }

    /// The packed values of a map in 8 bits, and the scales of its channels.
    pub(crate) fn int8(&self, [outputs, inputs]: [usize; 2]) -> Result<(Int8Values, Floats), Error> {
        let shape = [int8_bytes(inputs, outputs)];
        let values = self.bytes("weight", Dtype::I8, &shape)?;
        Ok((Box::new(values), self.floats(nibbles::SCALES, &[outputs])?))
    }

    fn dtype(&self, name: &str) -> Option<Dtype> {
        self.weights.dtype(&self.name(name))
    }

    /// Size of the first dimension of a tensor, if there is such a tensor.
    pub(crate) fn rows(&self, tensor: &str) -> Option<usize> {
        self.weights.shape(&self.name(tensor))?.first().copied()
    }

    pub(crate) fn floats(&self, name: &str, shape: &[usize]) -> Result<Floats, Error> {
        let FileBytes { map, bytes } = self.bytes(name, Dtype::F32, shape)?;
        Ok(Floats::new(&map, bytes))
    }

    /// The bytes of a tensor in the file.
    fn bytes(&self, name: &str, dtype: Dtype, shape: &[usize]) -> Result<FileBytes, Error> {
        let (name, path) = (self.name(name), &self.weights.path);
        let tensor = self.weights.tensors.info(&name).ok_or_else(|| no_tensor(path, &name))?;
        if tensor.dtype != dtype {
            return Err(other_precision(path, &name, tensor.dtype, dtype));
        }
        if tensor.shape != shape {
            let (path, found) = (path.display(), &tensor.shape);
            return Err(error::unfit_tensor(format!(
                "{path}: the tensor {name} has shape {found:?}; config.json asks for {shape:?}"
            )));
        }
        let (from, to) = tensor.data_offsets;
        let bytes = self.weights.start + from..self.weights.start + to;
        Ok(FileBytes { map: Arc::clone(&self.weights.map), bytes })
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

/// The bytes of one tensor in the file.
pub(crate) struct FileBytes {
    map: Arc<Bytes>,
    bytes: Range<usize>,
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        &self.map[self.bytes.clone()]
    }
}

impl AsRef<[i8]> for FileBytes {
    fn as_ref(&self) -> &[i8] {
        bytemuck::cast_slice(&self.map[self.bytes.clone()])
    }
}

/// Rows of numbers that are looked up one at a time.
pub(crate) enum Table {
    Floats { floats: Floats, columns: usize },
    Nibbles(Nibbles),
}

impl Table {
    /// The row at `index`, if there are so many.
    pub fn row(&self, index: usize) -> Option<Cow<'_, [f32]>> {
        match self {
            Self::Floats { floats, columns } => {
                floats.slice().get(index * columns..(index + 1) * columns).map(Cow::Borrowed)
            }
            Self::Nibbles(nibbles) => nibbles.row(index).map(Cow::Owned),
        }
    }

    /// Numbers of a row.
    pub fn columns(&self) -> usize {
        match self {
            Self::Floats { columns, .. } => *columns,
            Self::Nibbles(nibbles) => nibbles.columns,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Floats { floats, columns } => floats.slice().len() / columns,
            Self::Nibbles(nibbles) => nibbles.rows(),
        }
    }
}

fn no_tensor(path: &Path, name: &str) -> Error {
    error::unfit_tensor(format!("{} has no tensor {name}", path.display()))
}

fn other_precision(path: &Path, name: &str, found: Dtype, wanted: Dtype) -> Error {
    let message = format!("{}: the tensor {name} holds {found:?}; truename reads {wanted:?}", path.display());
    Error::new(ErrorKind::Syntax, message).with_hint(match found {
        Dtype::I8 | Dtype::U8 => {
            "the weights are quantised, which serves inference alone: take the folder that was quantised"
        }
        _ => "save the weights in single precision: `model.float().save_pretrained(FOLDER)`",
    })
}
