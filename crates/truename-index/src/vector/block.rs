//! A block of rows in its stored form: three values and a bitmap of the present rows.
//!
//! Row `n` of an index is row `n % BLOCK` of block `n / BLOCK`. A block has room for a power of two of rows, so that
//! a block that grows row by row is moved a few times only.

use half::f16;
use half::slice::HalfFloatSliceExt;

use super::kernels::GROUP;
use crate::{Error, error};

/// Rows in a full block. At 384 dimensions the bits of one are 192 KiB: they stay in a second-level cache while
/// every query of a batch goes over them, and are long enough that finding the next block costs nothing.
pub(crate) const BLOCK: usize = 4096;
/// Rows of the smallest block.
const FEWEST: usize = 64;
/// Largest number of dimensions: a distance must fit 15 bits.
pub(crate) const MAX_DIMENSIONS: usize = 32_767;
/// The largest code of a row.
const LARGEST_CODE: f32 = 127.0;
/// Bytes of the scale before a row's codes.
const SCALE: usize = 4;

/// Kind of a stored value of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Presence of each row, one bit a row.
    Present = 1,
    /// Signs, one bit a dimension; the words of eight rows alternate ([`GROUP`]).
    Bits = 2,
    /// An `f32` scale a row and one `i8` a dimension.
    Codes = 3,
    /// Values, one `f16` a dimension.
    Halves = 4,
}

/// Returns the number of a row's block and its place there.
pub(crate) fn place(row: u32) -> (u32, usize) {
    (row / BLOCK as u32, row as usize % BLOCK)
}

/// Bytes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) dimensions: usize,
}

impl Layout {
    /// 64-bit words of a row's bits.
    pub(crate) fn words(self) -> usize {
        self.dimensions.div_ceil(64)
    }

    fn bits(self) -> usize {
        8 * self.words()
    }

    fn codes(self) -> usize {
        SCALE + self.dimensions
    }

    fn halves(self) -> usize {
        2 * self.dimensions
    }
}

/// The stored values of one block.
#[derive(Clone, Copy)]
pub(crate) struct Block<'txn> {
    /// The number of its first row.
    pub(crate) first: u32,
    /// Presence of the rows.
    pub(crate) present: RowBitmap<'txn>,
    /// Interleaved signs of all rows that the block has room for.
    pub(crate) bits: &'txn [u8],
    codes: &'txn [u8],
    halves: &'txn [u8],
    layout: Layout,
}

/// Bitmap of the present rows.
#[derive(Clone, Copy)]
pub(crate) struct RowBitmap<'txn>(pub(crate) &'txn [u8]);

impl RowBitmap<'_> {
    pub(crate) fn contains(self, slot: usize) -> bool {
        self.0.get(slot / 8).is_some_and(|byte| byte >> (slot % 8) & 1 == 1)
    }

    pub(crate) fn len(self) -> usize {
        self.0.iter().map(|byte| byte.count_ones() as usize).sum()
    }

    pub(crate) fn slots(self) -> impl Iterator<Item = usize> {
        (0..8 * self.0.len()).filter(move |slot| self.contains(*slot))
    }
}

impl<'txn> Block<'txn> {
    /// Returns a block of its stored values, whose lengths must agree.
    pub(crate) fn new(
        layout: Layout,
        number: u32,
        present: &'txn [u8],
        bits: &'txn [u8],
        codes: &'txn [u8],
        halves: &'txn [u8],
    ) -> Result<Self, Error> {
        let room = 8 * present.len();
        let fits = room <= BLOCK
            && bits.len() == room * layout.bits()
            && codes.len() == room * layout.codes()
            && halves.len() == room * layout.halves();
        let first = number.checked_mul(BLOCK as u32).filter(|_| fits);
        let first = first.ok_or_else(|| error::damaged("a block of vectors has the wrong size"))?;
        Ok(Self { first, present: RowBitmap(present), bits, codes, halves, layout })
    }

    /// Returns the number of rows that the block has room for.
    pub(crate) fn room(&self) -> usize {
        8 * self.present.0.len()
    }

    /// Returns the scale and the codes of a row, as stored.
    pub(crate) fn codes(&self, slot: usize) -> Codes<'txn> {
        Codes(&self.codes[slot * self.layout.codes()..][..self.layout.codes()])
    }

    /// Reads a row's vector.
    pub(crate) fn read(&self, slot: usize, row: &mut RowBuffer) {
        let bytes = &self.halves[slot * self.layout.halves()..][..self.layout.halves()];
        row.halves.clear();
        row.halves.extend(bytes.as_chunks::<2>().0.iter().map(|half| f16::from_le_bytes(*half)));
        row.vector.resize(row.halves.len(), 0.0);
        row.halves.convert_to_f32_slice(&mut row.vector);
    }
}

/// A row's scale and codes.
#[derive(Clone, Copy)]
pub(crate) struct Codes<'txn>(pub(crate) &'txn [u8]);

impl<'txn> Codes<'txn> {
    pub(crate) fn parts(self) -> (f32, &'txn [u8]) {
        let (scale, codes) = self.0.split_first_chunk::<SCALE>().expect("a row begins with its scale");
        (f32::from_le_bytes(*scale), codes)
    }
}

/// A row that was read.
#[derive(Default)]
pub(crate) struct RowBuffer {
    halves: Vec<f16>,
    pub(crate) vector: Vec<f32>,
}

/// A block being written.
pub(crate) struct BlockBuffer {
    layout: Layout,
    present: Vec<u8>,
    bits: Vec<u8>,
    codes: Vec<u8>,
    halves: Vec<u8>,
}

impl BlockBuffer {
    /// Returns a copy of the stored block, if there is one, with room for the row at `last`.
    pub(crate) fn new(layout: Layout, stored: Option<Block<'_>>, last: usize) -> Self {
        let room = (last + 1).next_power_of_two().clamp(FEWEST, BLOCK);
        let room = room.max(stored.map_or(0, |block| block.room()));
        let copy = |stored: Option<&[u8]>, length: usize| {
            let mut bytes = Vec::with_capacity(length);
            bytes.extend_from_slice(stored.unwrap_or_default());
            bytes.resize(length, 0);
            bytes
        };
        Self {
            layout,
            present: copy(stored.map(|block| block.present.0), room / 8),
            bits: copy(stored.map(|block| block.bits), room * layout.bits()),
            codes: copy(stored.map(|block| block.codes), room * layout.codes()),
            halves: copy(stored.map(|block| block.halves), room * layout.halves()),
        }
    }

    /// Adds or replaces a row.
    pub(crate) fn put(&mut self, slot: usize, vector: &[f32]) {
        let layout = self.layout;
        self.present[slot / 8] |= 1 << (slot % 8);
        let group = slot / GROUP * GROUP * layout.bits();
        for (word, signs) in signs(vector).enumerate() {
            self.bits[group + 8 * (word * GROUP + slot % GROUP)..][..8].copy_from_slice(&signs.to_le_bytes());
        }
        write_codes(vector, &mut self.codes[slot * layout.codes()..][..layout.codes()]);
        write_halves(vector, &mut self.halves[slot * layout.halves()..][..layout.halves()]);
    }

    /// Returns the values to store, each with its kind.
    pub(crate) fn parts(&self) -> [(Part, &[u8]); 4] {
        [
            (Part::Present, &self.present),
            (Part::Bits, &self.bits),
            (Part::Codes, &self.codes),
            (Part::Halves, &self.halves),
        ]
    }
}

/// Returns one bit a dimension, set where it is positive: the number of bits that differ estimates the angle
/// (Charikar 2002, section 3, with the axes as the hyperplanes).
pub(crate) fn signs(vector: &[f32]) -> impl Iterator<Item = u64> {
    let sign = |word: u64, (bit, number): (usize, &f32)| word | u64::from(*number > 0.0) << bit;
    vector.chunks(64).map(move |numbers| numbers.iter().enumerate().fold(0, sign))
}

/// Returns the scale and codes of a row: `vector ≈ scale · codes`.
fn write_codes(vector: &[f32], row: &mut [u8]) {
    let scale = largest(vector) / LARGEST_CODE;
    let (head, codes) = row.split_at_mut(SCALE);
    head.copy_from_slice(&scale.to_le_bytes());
    for (code, number) in codes.iter_mut().zip(vector) {
        *code = nearest(number / scale) as i8 as u8;
    }
}

fn write_halves(vector: &[f32], row: &mut [u8]) {
    const CHUNK: usize = 64;
    for (numbers, bytes) in vector.chunks(CHUNK).zip(row.chunks_mut(2 * CHUNK)) {
        let mut halves = [f16::ZERO; CHUNK];
        halves[..numbers.len()].convert_from_f32_slice(numbers);
        for (bytes, half) in bytes.as_chunks_mut::<2>().0.iter_mut().zip(halves) {
            *bytes = half.to_le_bytes();
        }
    }
}

/// Returns a query's codes and their scale. The codes use as much of an `i16` as sums of products with a row's codes
/// leave room for, so that only the row's rounding counts.
pub(crate) fn query_codes(query: &[f32]) -> (f32, Vec<i16>) {
    let largest_code = (i32::MAX as usize / (128 * query.len().max(1))).min(i16::MAX as usize) as f32;
    let scale = largest(query) / largest_code;
    (scale, query.iter().map(|number| nearest(number / scale) as i16).collect())
}

fn largest(vector: &[f32]) -> f32 {
    vector.iter().fold(0.0, |largest, number| largest.max(number.abs()))
}

/// Rounds a number below 2²²: the sum with 1.5 · 2²³ has no room for a fraction.
fn nearest(number: f32) -> i32 {
    const ROUND: f32 = 12_582_912.0;
    ((number + ROUND) - ROUND) as i32
}

/// Returns the dot product of two vectors of one length, summed in eight lanes: the same to the bit on every processor.
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f32 {
    const LANES: usize = 8;
    let ((left, left_tail), (right, right_tail)) = (left.as_chunks::<LANES>(), right.as_chunks::<LANES>());
    let mut sums = [0f32; LANES];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    let tail: f32 = left_tail.iter().zip(right_tail).map(|(left, right)| left * right).sum();
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (b + f)) + ((c + g) + (d + h)) + tail
}
