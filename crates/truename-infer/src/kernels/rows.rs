//! Products and transposes of small matrices with strides, as attention needs them for each head.

use rten_simd::Isa;
use rten_simd::ops::{BitOps, NumOps};

/// The first `depth` columns of a matrix whose rows lie `stride` apart.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// The first row and all after it.
    pub values: &'a [f32],
    /// From one row to the next.
    pub stride: usize,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns that count.
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
    // With 32 registers; vectors of eight have 16.
    while isa.f32().len() != 8 && row + 8 <= left.rows {
        tile::<I, 8, VECTORS>(isa, left, row, right, columns, out);
        row += 8;
    }
    while row + 4 <= left.rows {
        tile::<I, 4, VECTORS>(isa, left, row, right, columns, out);
        row += 4;
    }
    while row < left.rows {
        tile::<I, 1, VECTORS>(isa, left, row, right, columns, out);
        row += 1;
    }
}

/// `ROWS` rows of [`column_block`].
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
    let rows: [&[f32]; ROWS] = std::array::from_fn(|at| &left.values[(row + at) * left.stride..][..left.depth]);
    let sums: [[I::F32; VECTORS]; ROWS] = sums(isa, right.chunks(columns).take(left.depth), |at, row| rows[row][at]);
    for (at, sums) in sums.into_iter().enumerate() {
        let out = &mut out[(row + at) * columns..];
        for (vector, sum) in sums.into_iter().enumerate() {
            ops.store(sum, &mut out[vector * ops.len()..]);
        }
    }
}

/// The sums of a tile, held in registers: of `left(at, row)` times the first vectors of row `at` of the right factor. Each number
/// is summed in the order of the depth, in whatever tile.
#[inline(always)]
pub(super) fn sums<'a, I: Isa, const ROWS: usize, const VECTORS: usize>(
    isa: I,
    right: impl Iterator<Item = &'a [f32]>,
    left: impl Fn(usize, usize) -> f32,
) -> [[I::F32; VECTORS]; ROWS] {
    let ops = isa.f32();
    let mut sums = [[ops.zero(); VECTORS]; ROWS];
    for (at, right) in right.enumerate() {
        let right: [I::F32; VECTORS] = ops.load_many(right);
        for (row, sums) in sums.iter_mut().enumerate() {
            let left = ops.splat(left(at, row));
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = ops.mul_add(left, right, *sum);
            }
        }
    }
    sums
}
