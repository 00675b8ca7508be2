//! Rows of unit length.

use burn_tensor::Tensor;

/// Divides each row by its length.
pub(crate) fn unit_rows(embeddings: Tensor<2>) -> Tensor<2> {
    let lengths = row_lengths(&embeddings);
    embeddings / lengths
}

/// The length of each row, never 0.
///
/// # Shapes
/// `rows: [rows, width]`, output: `[rows, 1]`
pub(crate) fn row_lengths(rows: &Tensor<2>) -> Tensor<2> {
    (rows.clone().square().sum_dim(1) + 1e-24).sqrt()
}
