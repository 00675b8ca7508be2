use rten_simd::ops::{BitOps, NumOps};
use rten_simd::{Isa, SimdOp};
use rten_vecmath::Softmax;

use super::{PositionBias, sized};

/// The heads of one text: `contextᵢ = softmax(qᵢ kᵢᵀ / √d + bias) vᵢ`.
///
/// # Shapes
/// `query_key_value: [tokens, 3, heads, d]`, `context: [tokens, heads, d]`
pub(super) struct Attend<'a> {
    pub query_key_value: &'a [f32],
    pub context: &'a mut [f32],
    pub heads: usize,
    /// `heads · d`
    pub width: usize,
    pub bias: Option<&'a PositionBias>,
    pub scratch: &'a mut AttendScratch,
}

/// What one head needs while it runs.
#[derive(Default)]
pub(crate) struct AttendScratch {
    keys: Vec<f32>,
    values: Vec<f32>,
    scores: Vec<f32>,
    context: Vec<f32>,
}

impl SimdOp for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let (stride, depth) = (3 * self.width, self.width / self.heads);
        let tokens = self.context.len() / self.width;
        let lanes = isa.f32().len();
        // Rows of whole vectors: what lies past the last key or dimension is computed and never read.
        let (key_columns, value_columns) = (tokens.next_multiple_of(lanes), depth.next_multiple_of(lanes));
        let keys = sized(&mut self.scratch.keys, depth * key_columns);
        let values = sized(&mut self.scratch.values, tokens * value_columns);
        let scores = sized(&mut self.scratch.scores, tokens * key_columns);
        let context = sized(&mut self.scratch.context, tokens * value_columns);
        let scale = 1.0 / (depth as f32).sqrt();
        for head in 0..self.heads {
            let queries = &self.query_key_value[head * depth..];
            gather_keys(&queries[self.width..], stride, depth, scale, keys, key_columns);
            gather_values(&queries[2 * self.width..], stride, depth, values, value_columns);
            product(isa, Rows { values: queries, stride, rows: tokens, depth }, keys, key_columns, scores);
            for (query, row) in scores.chunks_exact_mut(key_columns).enumerate() {
                let row = &mut row[..tokens];
                if let Some(bias) = self.bias {
                    row.iter_mut().zip(bias.row(head, query, tokens)).for_each(|(score, bias)| *score += bias);
                }
                Softmax::new_mut(row).eval(isa);
            }
            let weights = Rows { values: scores, stride: key_columns, rows: tokens, depth: tokens };
            product(isa, weights, values, value_columns, context);
            let rows = self.context[head * depth..].chunks_mut(self.width);
            for (row, head) in rows.zip(context.chunks_exact(value_columns)) {
                row[..depth].copy_from_slice(&head[..depth]);
            }
        }
    }
}

/// One head's keys, scaled, a row for each dimension: `out: [depth, columns]`.
#[inline(always)]
fn gather_keys(keys: &[f32], stride: usize, depth: usize, scale: f32, out: &mut [f32], columns: usize) {
    for (token, row) in keys.chunks(stride).enumerate() {
        for (dimension, key) in row[..depth].iter().enumerate() {
            out[dimension * columns + token] = key * scale;
        }
    }
}

/// One head's values, a row for each token: `out: [tokens, columns]`.
#[inline(always)]
fn gather_values(values: &[f32], stride: usize, depth: usize, out: &mut [f32], columns: usize) {
    for (row, out) in values.chunks(stride).zip(out.chunks_exact_mut(columns)) {
        out[..depth].copy_from_slice(&row[..depth]);
    }
}

/// The first `depth` columns of a matrix whose rows lie `stride` apart.
#[derive(Clone, Copy)]
struct Rows<'a> {
    values: &'a [f32],
    stride: usize,
    rows: usize,
    depth: usize,
}

/// `out = left · right`, where `columns` is a whole number of vectors.
///
/// # Shapes
/// `left: [rows, depth]`, `right: [depth, columns]`, `out: [rows, columns]`
#[inline(always)]
fn product<I: Isa>(isa: I, left: Rows, right: &[f32], columns: usize, out: &mut [f32]) {
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
