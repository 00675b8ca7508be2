//! Work on the rows of a matrix, shared among threads in pieces whose bounds do not depend on how many there are.

use rayon::prelude::*;

/// Rows of a piece.
pub(super) const PIECE: usize = 32;
/// Sums of a dot product that are kept apart.
pub(crate) const LANES: usize = 8;

/// Sums of the columns.
///
/// # Shapes
/// `values: [rows, columns]`, output: `[columns]`
pub(super) fn column_sums(values: &[f32], columns: usize) -> Vec<f32> {
    sums(values.par_chunks(PIECE * columns).map(|piece| {
        let mut sums = vec![0.0; columns];
        piece.chunks_exact(columns).for_each(|row| add(&mut sums, row));
        sums
    }))
}

/// The sum of vectors, in their order.
pub(super) fn sums(vectors: impl IndexedParallelIterator<Item = Vec<f32>>) -> Vec<f32> {
    let vectors: Vec<Vec<f32>> = vectors.collect();
    let mut vectors = vectors.into_iter();
    let mut sum = vectors.next().unwrap_or_default();
    vectors.for_each(|vector| add(&mut sum, &vector));
    sum
}

/// `sum += addend`
pub(super) fn add(sum: &mut [f32], addend: &[f32]) {
    sum.iter_mut().zip(addend).for_each(|(sum, addend)| *sum += addend);
}
