//! Matrices, and right factors packed in panels for the kernels.

use std::ops::Range;

use rayon::prelude::*;
use rten_simd::ops::BitOps;
use rten_simd::{Isa, SimdOp};

use super::buffer::sized;

/// Vectors of columns that a panel has, and so a tile.
pub(super) const PANEL_VECTORS: usize = 3;
/// Rows of a panel that pass through the registers before a tile is written (Goto and van de Geijn's `kc`). With more, a
/// block of a panel would leave the L2 cache; with fewer, tiles would be written more often than the caches can take them.
pub(super) const BLOCK_DEPTH: usize = 384;
/// Numbers of a cache line, and of the widest vectors.
pub(super) const CACHE_LINE: usize = 16;
/// Rows from the one that is packed to the one that is prefetched.
pub(super) const PREFETCH_ROWS: usize = 16;
/// Panels that are packed side by side, so that rows are read in runs.
const PANELS_PER_PACK: usize = 4;

/// A matrix in memory row after row, or the transpose of one.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    pub(super) values: &'a [f32],
    /// Of one row in memory.
    pub(super) width: usize,
    pub(super) is_transposed: bool,
}

impl<'a> Matrix<'a> {
    /// # Shapes
    /// `values: [rows, columns]`
    ///
    /// # Panics
    /// Where `values` are no whole rows.
    pub fn new(values: &'a [f32], columns: usize) -> Self {
        assert!(values.len().is_multiple_of(columns), "{} numbers in rows of {columns}", values.len());
        Self { values, width: columns, is_transposed: false }
    }

    /// Rows for columns.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { is_transposed: !self.is_transposed, ..self }
    }

    /// Returns the matrix as right factor, packed for the kernels.
    pub fn packed(self) -> PackedMatrix {
        let mut values = AlignedBuffer::default();
        self.pack(0..self.rows(), &mut values);
        PackedMatrix { values, rows: self.rows(), columns: self.columns() }
    }

    pub(super) fn rows(&self) -> usize {
        if self.is_transposed { self.width } else { self.values.len() / self.width }
    }

    pub(super) fn columns(&self) -> usize {
        if self.is_transposed { self.values.len() / self.width } else { self.width }
    }

    /// Packs rows of the matrix for the kernels.
    pub(super) fn pack(self, rows: Range<usize>, into: &mut AlignedBuffer) {
        let lanes = Lanes.dispatch();
        let width = PANEL_VECTORS * lanes;
        let panels = self.columns().div_ceil(width);
        let mut rest = into.sized(rows.len() * panels * width);
        for first in rows.clone().step_by(BLOCK_DEPTH) {
            let block = first..(first + BLOCK_DEPTH).min(rows.end);
            let (packed, after) = rest.split_at_mut(block.len() * panels * width);
            let groups = packed.par_chunks_mut(PANELS_PER_PACK * block.len() * width).enumerate();
            groups.for_each(|(number, panels)| {
                let first_column = number * PANELS_PER_PACK * width;
                Packing { right: self, rows: block.clone(), first_column, panels }.dispatch();
            });
            rest = after;
        }
    }
}

/// Some panels of a right factor.
struct Packing<'a> {
    right: Matrix<'a>,
    rows: Range<usize>,
    first_column: usize,
    /// `[panels, rows, width of a panel]`
    panels: &'a mut [f32],
}

impl SimdOp for Packing<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Self { right, rows, first_column, panels } = self;
        let width = PANEL_VECTORS * isa.f32().len();
        let of_panel = rows.len() * width;
        let columns = first_column..(first_column + panels.len() / rows.len()).min(right.columns());
        if !columns.len().is_multiple_of(width) {
            panels[columns.len() / width * of_panel..].fill(0.0);
        }
        if right.is_transposed {
            for (at, column) in columns.enumerate() {
                let values = &right.values[column * right.width..][rows.clone()];
                let to = panels[at / width * of_panel + at % width..].iter_mut().step_by(width);
                to.zip(values).for_each(|(to, from)| *to = *from);
            }
            return;
        }
        for (at, row) in rows.enumerate() {
            let values = &right.values[row * right.width..][columns.clone()];
            prefetch(isa, right, row + PREFETCH_ROWS, first_column, columns.len());
            for (panel, values) in panels.chunks_exact_mut(of_panel).zip(values.chunks(width)) {
                panel[at * width..][..values.len()].copy_from_slice(values);
            }
        }
    }
}

/// Prefetches a part of a row.
#[inline(always)]
pub(super) fn prefetch<I: Isa>(isa: I, matrix: Matrix, row: usize, first: usize, count: usize) {
    let values = matrix.values.get(row * matrix.width + first..).unwrap_or_default();
    values.chunks(CACHE_LINE).take(count.div_ceil(CACHE_LINE)).for_each(|line| isa.f32().prefetch(line.as_ptr()));
}

/// A right factor, packed for the kernels.
pub struct PackedMatrix {
    /// For each block of depth its panels: `[rows of the block, width of a panel]` each.
    pub(super) values: AlignedBuffer,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl PackedMatrix {
    /// Its rows, which are the depth of a product.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

/// Numbers that begin where a line of the cache does, so that no vector lies across two.
#[derive(Default)]
pub(super) struct AlignedBuffer(Vec<f32>);

impl AlignedBuffer {
    pub(super) fn get(&self) -> &[f32] {
        &self.0[self.0.as_ptr().align_offset(CACHE_LINE * size_of::<f32>())..]
    }

    /// See [`sized`].
    fn sized(&mut self, len: usize) -> &mut [f32] {
        let values = sized(&mut self.0, len + CACHE_LINE);
        let first = values.as_ptr().align_offset(CACHE_LINE * size_of::<f32>());
        &mut values[first..][..len]
    }
}

/// Numbers of a vector on this processor.
pub(super) struct Lanes;

impl SimdOp for Lanes {
    type Output = usize;

    fn eval<I: Isa>(self, isa: I) -> usize {
        isa.f32().len()
    }
}
