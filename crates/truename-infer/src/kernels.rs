//! Matrix products over plain slices, which the layers here and those that are trained share.
//!
//! Every number of a product is summed in an order that the shapes fix, so neither the other rows nor the number of
//! threads change a bit of it.

use std::sync::LazyLock;

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::Isa;
use rten_simd::ops::{BitOps, NumOps};
use rten_tensor::NdTensorView;

/// The kernels for this machine, chosen once.
static GEMM: LazyLock<&GemmExecutor> = LazyLock::new(|| Box::leak(Box::new(GemmExecutor::new())));

/// The first `len` numbers of a buffer, which grows to that once and is then used again and again.
pub fn sized(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    &mut buffer[..len]
}

/// A matrix in memory row after row, or the transpose of one.
#[derive(Clone, Copy)]
pub struct Matrix<'a>(NdTensorView<'a, f32, 2>);

impl<'a> Matrix<'a> {
    /// # Shapes
    /// `values: [rows, columns]`
    ///
    /// # Panics
    /// Where `values` are no whole rows.
    pub fn new(values: &'a [f32], columns: usize) -> Self {
        Self(NdTensorView::from_data([values.len() / columns, columns], values))
    }

    /// Rows for columns.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self(self.0.transposed())
    }

    /// The matrix as right factor, laid out once for the kernels.
    pub fn packed(self) -> Packed {
        Packed(GEMM.prepack_b(self.0))
    }
}

/// A right factor that the kernels need not lay out.
pub struct Packed(PackedBMatrix<f32>);

impl Packed {
    /// Its rows, which are the depth of a product.
    pub fn rows(&self) -> usize {
        self.0.rows()
    }
}

/// `out = left · right`, or `out += left · right` with `accumulate`; on the threads of the current rayon pool.
///
/// # Shapes
/// `left: [rows, depth]`, `right: [depth, columns]`, `out: [rows, columns]`
///
/// # Panics
/// Where the shapes do not fit.
pub fn multiply(left: Matrix, right: Matrix, out: &mut [f32], accumulate: bool) {
    run(left, GemmInputB::Unpacked(right.0), out, accumulate);
}

/// [`multiply`] with a packed right factor.
///
/// # Panics
/// Where the shapes do not fit.
pub fn multiply_packed(left: Matrix, right: &Packed, out: &mut [f32], accumulate: bool) {
    run(left, GemmInputB::Packed(&right.0), out, accumulate);
}

fn run(left: Matrix, right: GemmInputB<f32>, out: &mut [f32], accumulate: bool) {
    let options = GemmOptions { beta: if accumulate { 1.0 } else { 0.0 }, ..GemmOptions::default() };
    GEMM.gemm(out, GemmInputA::Unpacked(left.0), right, options).expect("the factors and the product fit each other");
}

/// The first `depth` columns of a matrix whose rows lie `stride` apart.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// The first row and all after it.
    pub values: &'a [f32],
    /// From one row to the next.
    pub stride: usize,
    /// How many rows.
    pub rows: usize,
    /// How many columns count.
    pub depth: usize,
}

/// The rows, one after another with room up to `columns`.
///
/// # Shapes
/// `out: [rows, columns]`
#[inline(always)]
pub fn gather(rows: Rows, out: &mut [f32], columns: usize) {
    for (row, out) in rows.values.chunks(rows.stride).zip(out.chunks_exact_mut(columns)).take(rows.rows) {
        out[..rows.depth].copy_from_slice(&row[..rows.depth]);
    }
}

/// The columns times `scale`, one after another with room up to `columns`.
///
/// # Shapes
/// `out: [depth, columns]`
#[inline(always)]
pub fn gather_transposed(rows: Rows, scale: f32, out: &mut [f32], columns: usize) {
    for (at, row) in rows.values.chunks(rows.stride).take(rows.rows).enumerate() {
        for (column, value) in row[..rows.depth].iter().enumerate() {
            out[column * columns + at] = value * scale;
        }
    }
}

/// `out = left · right` for small matrices, where `columns` is a whole number of vectors; on one thread.
///
/// # Shapes
/// `left: [rows, depth]`, `right: [depth, columns]`, `out: [rows, columns]`
#[inline(always)]
pub fn product<I: Isa>(isa: I, left: Rows, right: &[f32], columns: usize, out: &mut [f32]) {
    let lanes = isa.f32().len();
    let mut column = 0;
    while column < columns {
        if column + 2 * lanes <= columns {
            column_block::<I, 2>(isa, left, &right[column..], columns, &mut out[column..]);
            column += 2 * lanes;
        } else {
            column_block::<I, 1>(isa, left, &right[column..], columns, &mut out[column..]);
            column += lanes;
        }
    }
}

/// `VECTORS` vectors of columns of [`product`].
#[inline(always)]
fn column_block<I: Isa, const VECTORS: usize>(isa: I, left: Rows, right: &[f32], columns: usize, out: &mut [f32]) {
    let mut row = 0;
    while row + 4 <= left.rows {
        tile::<I, 4, VECTORS>(isa, left, row, right, columns, out);
        row += 4;
    }
    while row < left.rows {
        tile::<I, 1, VECTORS>(isa, left, row, right, columns, out);
        row += 1;
    }
}

/// `ROWS` rows of [`column_block`], held in registers. Each number is summed in the order of the depth, in whatever tile.
#[inline(always)]
fn tile<I: Isa, const ROWS: usize, const VECTORS: usize>(
    isa: I,
    left: Rows,
    row: usize,
    right: &[f32],
    columns: usize,
    out: &mut [f32],
) {
    let ops = isa.f32();
    let mut sums = [[ops.zero(); VECTORS]; ROWS];
    let rows: [&[f32]; ROWS] = std::array::from_fn(|at| &left.values[(row + at) * left.stride..][..left.depth]);
    for (at, right) in right.chunks(columns).take(left.depth).enumerate() {
        let mut vectors = [ops.zero(); VECTORS];
        for (at, vector) in vectors.iter_mut().enumerate() {
            *vector = ops.load(&right[at * ops.len()..]);
        }
        for (sums, row) in sums.iter_mut().zip(rows) {
            let left = ops.splat(row[at]);
            for (sum, right) in sums.iter_mut().zip(vectors) {
                *sum = ops.mul_add(left, right, *sum);
            }
        }
    }
    for (at, sums) in sums.into_iter().enumerate() {
        let out = &mut out[(row + at) * columns..];
        for (vector, sum) in sums.into_iter().enumerate() {
            ops.store(sum, &mut out[vector * ops.len()..]);
        }
    }
}
