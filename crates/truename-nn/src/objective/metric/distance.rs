//! Distances between the vectors of a batch.

use burn_tensor::Tensor;

use crate::layer::unit_rows;

/// The distance between two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Distance {
    /// `1 − cosine`, from 0 to 2.
    Cosine,
    /// `‖a − b‖`
    Euclidean,
    /// `‖a − b‖²`
    SquaredEuclidean,
}

impl Distance {
    /// # Shapes
    /// `embeddings: [texts, hidden]`, output: `[texts, texts]`
    pub(crate) fn between_all(self, embeddings: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Cosine => -cosines(embeddings) + 1.0,
            Self::SquaredEuclidean => squares(embeddings),
            // The root has no derivative at 0, where a text meets itself.
            Self::Euclidean => (squares(embeddings) + 1e-12).sqrt(),
        }
    }
}

/// # Shapes
/// `embeddings: [texts, hidden]`, output: `[texts, texts]`
pub(super) fn cosines(embeddings: Tensor<2>) -> Tensor<2> {
    let unit = unit_rows(embeddings);
    unit.clone().matmul(unit.transpose())
}

/// `‖a‖² + ‖b‖² − 2 a·b`, never below 0.
fn squares(embeddings: Tensor<2>) -> Tensor<2> {
    let lengths = embeddings.clone().square().sum_dim(1);
    let products = embeddings.clone().matmul(embeddings.transpose());
    (lengths.clone() + lengths.transpose() - products * 2.0).clamp_min(0.0)
}
