//! Vectors of texts, as an encoder returns them.

use truename_error::{ErrorKind, excerpt};

use crate::Error;

/// Vectors, one a text, in the order of the texts; of unit length, but for those of [`Encoder::encode_unscaled`](crate::Encoder::encode_unscaled).
///
/// A text of which the tokenizer makes no token at all has a vector of zeros; BERT's, RoBERTa's and MPNet's always make
/// two, so that even the empty string has a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Embeddings {
    vectors: Vec<f32>,
    dimensions: usize,
    truncated: Vec<usize>,
}

impl Embeddings {
    pub(crate) fn new(vectors: Vec<f32>, dimensions: usize, truncated: Vec<usize>) -> Self {
        debug_assert_eq!(vectors.len() % dimensions, 0);
        Self { vectors, dimensions, truncated }
    }

    /// Refuses vectors with a number that is not finite; `text` returns the text of a vector.
    pub(crate) fn finite(self, text: impl Fn(usize) -> String) -> Result<Self, Error> {
        let is_damaged = |vector: &[f32]| !vector.iter().all(|value| value.is_finite());
        let Some(at) = self.rows().position(is_damaged) else { return Ok(self) };
        let message = format!("The encoder returned NaN for \"{}\"; its weights are damaged.", excerpt(&text(at)));
        Err(Error::new(ErrorKind::NotFinite, message))
    }

    /// The vectors, in the order of the texts.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.vectors.chunks_exact(self.dimensions)
    }

    /// The vector of the text at `index`.
    ///
    /// # Panics
    /// Where there are no more than `index` texts.
    pub fn row(&self, index: usize) -> &[f32] {
        &self.vectors[index * self.dimensions..][..self.dimensions]
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.vectors.len() / self.dimensions
    }

    /// Returns whether no text was given.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Numbers of each vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The texts that were longer than the model's window, ascending; their vectors are of their beginning.
    pub fn truncated(&self) -> &[usize] {
        &self.truncated
    }

    /// All vectors in one: `[texts, dimensions]`, row by row.
    pub fn into_vec(self) -> Vec<f32> {
        self.vectors
    }
}
