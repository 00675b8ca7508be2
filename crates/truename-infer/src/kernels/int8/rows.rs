//! Rows of activations in 8 bits.

use rten_simd::ops::{BitOps, FloatOps, NarrowSaturate, NumOps};
use rten_simd::{Isa, SimdOp};

use super::{BLOCK_ROWS, GROUP};

/// Greatest byte.
const GREATEST: f32 = 255.0;

/// Rows of activations in 8 bits: `x ≈ lowest + scale · byte`, with a scale and a lowest number for each row.
#[derive(Default)]
pub struct Int8Rows {
    /// `[rows, stride]`, zeros past the width; anything past the last row, to the end of its block.
    values: Vec<u8>,
    stride: usize,
    pub(super) scales: Vec<f32>,
    pub(super) lowest: Vec<f32>,
}

impl Int8Rows {
    /// Quantises rows, in place of those that are there.
    ///
    /// # Shapes
    /// `rows: [rows, width]`
    pub fn quantize(&mut self, rows: &[f32], width: usize) {
        self.stride = width.next_multiple_of(GROUP);
        let count = rows.len() / width;
        self.values.resize(count.next_multiple_of(BLOCK_ROWS) * self.stride, 0);
        self.scales.resize(count, 0.0);
        self.lowest.resize(count, 0.0);
        Quantize { rows, width, into: self }.dispatch();
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Returns the rows from one on: `[rows, stride]`, to the end of a block.
    pub(super) fn rows_from(&self, row: usize) -> &[u8] {
        &self.values[row * self.stride..]
    }

    /// Bytes of a row.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }
}

struct Quantize<'a> {
    rows: &'a [f32],
    width: usize,
    into: &'a mut Int8Rows,
}

impl SimdOp for Quantize<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Int8Rows { values, stride, scales, lowest } = self.into;
        let targets = values.chunks_exact_mut(*stride).zip(scales).zip(lowest);
        for (row, ((bytes, scale), lowest)) in self.rows.chunks_exact(self.width).zip(targets) {
            let (least, greatest) = range(isa, row);
            (*scale, *lowest) = ((greatest - least) / GREATEST, least);
            let inverse = if *scale > 0.0 { 1.0 / *scale } else { 0.0 };
            write(isa, row, least, inverse, &mut bytes[..self.width]);
            bytes[self.width..].fill(0);
        }
    }
}

/// Returns the least and the greatest number of a row.
#[inline(always)]
fn range<I: Isa>(isa: I, row: &[f32]) -> (f32, f32) {
    let ops = isa.f32();
    let first = row.first().copied().unwrap_or(0.0);
    let (mut least, mut greatest) = (ops.splat(first), ops.splat(first));
    let mut vectors = row.chunks_exact(ops.len());
    for values in &mut vectors {
        let values = ops.load(values);
        (least, greatest) = (ops.min(least, values), ops.max(greatest, values));
    }
    let rest = vectors.remainder().iter().copied();
    let (low, high) =
        (ops.fold_splat(least, f32::INFINITY, f32::min), ops.fold_splat(greatest, f32::NEG_INFINITY, f32::max));
    let (mut lows, mut highs) = ([0.0; 16], [0.0; 16]);
    ops.store(low, &mut lows);
    ops.store(high, &mut highs);
    (rest.clone().fold(lows[0], f32::min), rest.fold(highs[0], f32::max))
}

/// Writes the bytes of a row.
#[inline(always)]
fn write<I: Isa>(isa: I, row: &[f32], least: f32, inverse: f32, bytes: &mut [u8]) {
    let ops = isa.f32();
    let lanes = ops.len();
    let (lowest, scale) = (ops.splat(least), ops.splat(inverse));
    let mut blocks = row.chunks_exact(4 * lanes);
    let mut written = 0;
    for block in &mut blocks {
        let whole = |at: usize| ops.to_int_round(ops.mul(ops.sub(ops.load(&block[at * lanes..]), lowest), scale));
        let low = isa.i32().narrow_saturate(whole(0), whole(1));
        let high = isa.i32().narrow_saturate(whole(2), whole(3));
        isa.u8().store(isa.i16().narrow_saturate(low, high), &mut bytes[written..]);
        written += 4 * lanes;
    }
    for (value, byte) in blocks.remainder().iter().zip(&mut bytes[written..]) {
        *byte = ((value - least) * inverse).round_ties_even() as u8;
    }
}
