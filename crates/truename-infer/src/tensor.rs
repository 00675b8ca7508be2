//! Tensors of model folders in plain numbers: a shape and values, row after row.

use std::collections::BTreeMap;

/// A tensor in single precision: its shape, and its numbers row after row.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    shape: Vec<usize>,
    values: Vec<f32>,
}

/// Tensors by the names that they have in a model folder.
pub type Tensors = BTreeMap<String, Tensor>;

impl Tensor {
    /// Creates a tensor.
    ///
    /// # Panics
    /// Where there are not as many numbers as the shape has places.
    pub fn new(shape: Vec<usize>, values: Vec<f32>) -> Self {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "the numbers of a tensor of shape {shape:?}");
        Self { shape, values }
    }

    /// Size of each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The numbers, row after row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the tensor with so many rows: its first ones, and zeros after them.
    #[must_use]
    pub(crate) fn with_rows(mut self, rows: usize) -> Self {
        self.shape[0] = rows;
        self.values.resize(self.shape.iter().product(), 0.0);
        self
    }

    /// Returns the rows with these numbers.
    pub(crate) fn with_chosen_rows(&self, rows: &[usize]) -> Self {
        let width: usize = self.shape[1..].iter().product();
        let values = rows.iter().flat_map(|row| &self.values[row * width..][..width]).copied().collect();
        Self { shape: [&[rows.len()], &self.shape[1..]].concat(), values }
    }

    /// Returns the columns with these numbers of a matrix.
    pub(crate) fn with_columns(&self, columns: &[usize]) -> Self {
        let rows = self.values.chunks_exact(self.shape[1].max(1));
        let values = rows.flat_map(|row| columns.iter().map(|column| row[*column])).collect();
        Self { shape: vec![self.shape[0], columns.len()], values }
    }

    /// Returns the numbers, row after row.
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }
}
