//! Products of matrices, blocked for caches and registers (Goto and van de Geijn 2008; Van Zee and van de Geijn 2015).
//!
//! The right factor is packed in panels as wide as three vectors, and each panel in blocks of a depth. A tile, some rows by a
//! panel, stays in registers while a block passes by; the left factor is read where it lies, or packed too where it is
//! a transpose.

use std::cell::Cell;

use rayon::prelude::*;
use rten_simd::ops::{BitOps, NumOps};
use rten_simd::{Isa, SimdOp};

use super::buffer::sized;
use super::matrix::{
    AlignedBuffer, BLOCK_DEPTH, CACHE_LINE, Lanes, Matrix, PANEL_VECTORS, PREFETCH_ROWS, PackedMatrix, prefetch,
};
use super::rows::sums;

/// Numbers of the left factor that stay in the L2 cache while panels pass by (Goto and van de Geijn's `mc · kc`).
const L2_BLOCK: usize = 1 << 16;
/// Numbers of an unpacked right factor that are packed at a time.
const PACK_BLOCK: usize = 1 << 18;
/// Tiles of a transposed left factor that are packed side by side, so that its columns are read in runs.
const TILES_PER_PACK: usize = 4;
/// Rows of a panel from the one that is multiplied to the one that is prefetched.
const PREFETCH_DISTANCE: usize = 16;
/// Fewest rows of a task.
const MIN_ROWS_PER_TASK: usize = 8;
/// Fewest products of two numbers that are worth a task of their own.
const MIN_WORK_PER_TASK: usize = 1 << 20;

thread_local! {
    /// Packed right factors, and packed tiles of left ones: kept, for new memory has to be cleared.
    static RIGHT: Cell<AlignedBuffer> = Cell::default();
    static LEFT: Cell<Vec<f32>> = Cell::default();
}

/// Sum that a product is added to.
#[derive(Clone, Copy)]
pub enum Onto<'a> {
    /// `out = left · right`
    Nothing,
    /// `out += left · right`
    Out,
    /// `out = left · right + bias` in every row; `[columns]`.
    Bias(&'a [f32]),
}

/// `out = left · right`, on the threads of the current rayon pool.
///
/// # Shapes
/// `left: [rows, depth]`, `right: [depth, columns]`, `out: [rows, columns]`
///
/// # Panics
/// Where the shapes do not fit.
pub fn multiply(left: Matrix, right: Matrix, out: &mut [f32], onto: Onto) {
    assert_eq!(left.columns(), right.rows(), "the factors fit each other");
    let at_once = (PACK_BLOCK / right.columns().max(1)).next_multiple_of(BLOCK_DEPTH);
    let mut values = RIGHT.take();
    for first in (0..right.rows()).step_by(at_once) {
        let rows = first..(first + at_once).min(right.rows());
        right.pack(rows.clone(), &mut values);
        let packed = PackedMatrix { values, rows: rows.len(), columns: right.columns() };
        run(left, first, &packed, out, if first > 0 { Onto::Out } else { onto });
        values = packed.values;
    }
    RIGHT.set(values);
}

/// [`multiply`] with a packed right factor.
///
/// # Panics
/// Where the shapes do not fit.
pub fn multiply_packed(left: Matrix, right: &PackedMatrix, out: &mut [f32], onto: Onto) {
    assert_eq!(left.columns(), right.rows, "the factors fit each other");
    run(left, 0, right, out, onto);
}

/// The product with those columns of `left` that begin at `first`.
fn run(left: Matrix, first: usize, right: &PackedMatrix, out: &mut [f32], onto: Onto) {
    let (rows, columns) = (left.rows(), right.columns);
    assert_eq!(out.len(), rows * columns, "the product fits its factors");
    if let Onto::Bias(bias) = onto {
        assert_eq!(bias.len(), columns, "the bias fits the product");
    }
    if out.is_empty() {
        return;
    }
    let width = PANEL_VECTORS * Lanes.dispatch();
    let (down, across) = parts(rows, columns, right.rows, width);
    let (down, across) =
        (rows.div_ceil(down).next_multiple_of(MIN_ROWS_PER_TASK), columns.div_ceil(across).next_multiple_of(width));
    let row_of_tasks = columns.div_ceil(across);
    let mut tasks: Vec<Task> = (0..rows.div_ceil(down) * row_of_tasks)
        .map(|number| {
            let (first_row, first_column) = (number / row_of_tasks * down, number % row_of_tasks * across);
            Task { left, first, right, first_row, first_column, out: Vec::with_capacity(down), onto }
        })
        .collect();
    for (number, row) in out.chunks_exact_mut(columns).enumerate() {
        let tasks = &mut tasks[number / down * row_of_tasks..][..row_of_tasks];
        tasks.iter_mut().zip(row.chunks_mut(across)).for_each(|(task, part)| task.out.push(part));
    }
    match tasks.len() {
        1 => tasks.into_iter().for_each(Task::dispatch),
        _ => tasks.into_par_iter().for_each(Task::dispatch),
    }
}

/// Parts of the rows and of the columns, for the threads and the L2 cache.
fn parts(rows: usize, columns: usize, depth: usize, width: usize) -> (usize, usize) {
    let threads = rayon::current_num_threads();
    let worth = rows * columns * depth / MIN_WORK_PER_TASK;
    let wanted = if threads == 1 { 1 } else { worth.min(4 * threads) };
    let (mut down, mut across) = (rows.div_ceil((L2_BLOCK / depth.max(1)).next_multiple_of(MIN_ROWS_PER_TASK)), 1);
    while down * across < wanted {
        let (tall, wide) = (rows / down, columns / across);
        if wide >= 2 * width && (wide >= tall || tall < 2 * MIN_ROWS_PER_TASK) {
            across *= 2;
        } else if tall >= 2 * MIN_ROWS_PER_TASK {
            down *= 2;
        } else {
            break;
        }
    }
    (down, across)
}

/// A part of a product.
struct Task<'a> {
    left: Matrix<'a>,
    /// The first column of the left factor.
    first: usize,
    right: &'a PackedMatrix,
    first_row: usize,
    first_column: usize,
    /// The rows of the product as far as they are this task's.
    out: Vec<&'a mut [f32]>,
    onto: Onto<'a>,
}

impl SimdOp for Task<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        // As many rows as leave room for the panel's vectors among the registers: 16 of eight lanes, else 32.
        match isa.f32().len() {
            8 => self.run::<I, 4>(isa),
            _ => self.run::<I, 8>(isa),
        }
    }
}

impl Task<'_> {
    #[inline(always)]
    fn run<I: Isa, const ROWS: usize>(mut self, isa: I) {
        let lanes = isa.f32().len();
        let width = PANEL_VECTORS * lanes;
        let panels = self.right.columns.div_ceil(width);
        let mut tiles = LEFT.take();
        let mut out = std::mem::take(&mut self.out);
        let left = Left::new::<I, ROWS>(isa, &self, out.len(), &mut tiles);
        for column in (0..out[0].len()).step_by(width) {
            let panel = (self.first_column + column) / width;
            for first in (0..self.right.rows).step_by(BLOCK_DEPTH) {
                let block = (self.right.rows - first).min(BLOCK_DEPTH);
                let panel = &self.right.values.get()[(first * panels + block * panel) * width..][..block * width];
                let onto = match self.onto {
                    _ if first > 0 => Onto::Out,
                    Onto::Bias(bias) => Onto::Bias(&bias[self.first_column + column..]),
                    onto => onto,
                };
                for (number, out) in out.chunks_mut(ROWS).enumerate() {
                    for row in &mut *out {
                        let end = row.len().min(column + width);
                        row[column..end].chunks_mut(lanes).for_each(|part| isa.f32().prefetch_write(part.as_mut_ptr()));
                    }
                    match out.len() {
                        ..=2 => write(isa, left.tile::<I, 2, ROWS>(isa, number, first, panel), out, column, onto),
                        3..=4 => write(isa, left.tile::<I, 4, ROWS>(isa, number, first, panel), out, column, onto),
                        5..=6 => write(isa, left.tile::<I, 6, ROWS>(isa, number, first, panel), out, column, onto),
                        _ => write(isa, left.tile::<I, 8, ROWS>(isa, number, first, panel), out, column, onto),
                    }
                }
            }
        }
        LEFT.set(tiles);
    }
}

/// The rows of the left factor that are one task's.
enum Left<'a> {
    /// Row after row, `stride` apart.
    Rows { values: &'a [f32], stride: usize, last: usize },
    /// Laid out as tiles, `[depth, rows of a tile]` each.
    Tiles { values: &'a [f32], depth: usize },
}

impl<'a> Left<'a> {
    #[inline(always)]
    fn new<I: Isa, const ROWS: usize>(isa: I, task: &Task<'a>, rows: usize, tiles: &'a mut Vec<f32>) -> Self {
        let (left, depth) = (task.left, task.right.rows);
        if !left.is_transposed {
            let values = &left.values[task.first_row * left.width + task.first..];
            return Self::Rows { values, stride: left.width, last: rows - 1 };
        }
        let tiles = sized(tiles, rows.next_multiple_of(ROWS) * depth);
        let values = &left.values[task.first * left.width + task.first_row..];
        let at_once = TILES_PER_PACK * ROWS;
        for (first, tiles) in (0..rows).step_by(at_once).zip(tiles.chunks_mut(at_once * depth)) {
            for (at, column) in values.chunks(left.width).take(depth).enumerate() {
                let column = column[first..rows.min(first + at_once)].chunks(ROWS);
                prefetch(isa, left, task.first + at + PREFETCH_ROWS, task.first_row + first, at_once);
                for (tile, values) in tiles.chunks_exact_mut(ROWS * depth).zip(column) {
                    let to = &mut tile[at * ROWS..][..ROWS];
                    match values.first_chunk::<ROWS>() {
                        Some(whole) => to.copy_from_slice(whole),
                        None => to[..values.len()].copy_from_slice(values),
                    }
                }
            }
        }
        Self::Tiles { values: tiles, depth }
    }

    /// The product of tile `number`, of which the first `N` rows are wanted, and a block of a panel, which begins at row
    /// `first` of the right factor.
    #[inline(always)]
    fn tile<I: Isa, const N: usize, const ROWS: usize>(
        &self,
        isa: I,
        number: usize,
        first: usize,
        panel: &[f32],
    ) -> [[I::F32; PANEL_VECTORS]; N] {
        let ops = isa.f32();
        let width = PANEL_VECTORS * ops.len();
        let block = panel.len() / width;
        let panel = panel.chunks_exact(width).inspect(|right| {
            for vector in 0..PANEL_VECTORS {
                ops.prefetch(right.as_ptr().wrapping_add(PREFETCH_DISTANCE * width + vector * ops.len()));
            }
        });
        match *self {
            Self::Rows { values, stride, last } => {
                // Rows past the last are computed for nothing.
                let row = |at: usize| &values[(number * ROWS + at).min(last) * stride + first..][..block];
                let rows: [&[f32]; N] = std::array::from_fn(row);
                sums(isa, panel, |at, row| rows[row][at])
            }
            Self::Tiles { values, depth } => {
                let (tile_of_rows, _) = values[(number * depth + first) * ROWS..][..block * ROWS].as_chunks::<ROWS>();
                sums(isa, panel, |at, row| tile_of_rows[at][row])
            }
        }
    }
}

/// Puts a tile where it belongs; of the last panel only the columns that there are.
#[inline(always)]
fn write<I: Isa, const N: usize>(
    isa: I,
    tile: [[I::F32; PANEL_VECTORS]; N],
    out: &mut [&mut [f32]],
    column: usize,
    onto: Onto,
) {
    let ops = isa.f32();
    let width = PANEL_VECTORS * ops.len();
    let mut buffer = [0.0; PANEL_VECTORS * CACHE_LINE];
    for (sums, row) in tile.into_iter().zip(out) {
        let row = &mut row[column..];
        let is_whole = row.len() >= width;
        let to = if is_whole { &mut row[..width] } else { &mut buffer[..width] };
        for (at, (sum, to)) in sums.into_iter().zip(to.chunks_exact_mut(ops.len())).enumerate() {
            let sum = match onto {
                Onto::Out if is_whole => ops.add(ops.load(to), sum),
                Onto::Bias(bias) if is_whole => ops.add(ops.load(&bias[at * ops.len()..]), sum),
                _ => sum,
            };
            ops.store(sum, to);
        }
        if !is_whole {
            for (at, (out, sum)) in row.iter_mut().zip(buffer).enumerate() {
                *out = sum
                    + match onto {
                        Onto::Nothing => 0.0,
                        Onto::Out => *out,
                        Onto::Bias(bias) => bias[at],
                    };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|at| ((at * 37 + seed * 11) % 23) as f32 - 11.0).collect()
    }

    fn transposed(values: &[f32], columns: usize) -> Vec<f32> {
        (0..columns).flat_map(|column| values.iter().skip(column).step_by(columns).copied()).collect()
    }

    /// Small whole numbers have exact products.
    #[test]
    fn products_of_all_shapes_and_layouts_are_exact() {
        let shapes = [[1, 1, 1], [5, 7, 3], [8, 128, 48], [9, 129, 49], [13, 300, 100], [70, 257, 95], [600, 130, 24]];
        for [rows, depth, columns] in shapes {
            let (left, right) = (numbers(rows * depth, 1), numbers(depth * columns, 2));
            let mut expected = numbers(rows * columns, 3);
            let start = expected.clone();
            for (row, out) in expected.chunks_exact_mut(columns).enumerate() {
                for (left, right) in left[row * depth..][..depth].iter().zip(right.chunks_exact(columns)) {
                    out.iter_mut().zip(right).for_each(|(out, right)| *out += left * right);
                }
            }
            let products: Vec<f32> = expected.iter().zip(&start).map(|(sum, start)| sum - start).collect();
            let (left_columns, right_columns) = (transposed(&left, depth), transposed(&right, columns));
            let lefts = [Matrix::new(&left, depth), Matrix::new(&left_columns, rows).transposed()];
            let rights = [Matrix::new(&right, columns), Matrix::new(&right_columns, depth).transposed()];
            for (left, right) in lefts.into_iter().flat_map(|left| rights.map(|right| (left, right))) {
                let mut out = start.clone();
                multiply(left, right, &mut out, Onto::Out);
                assert_eq!(out, expected, "{rows} {depth} {columns}");
                multiply_packed(left, &right.packed(), &mut out, Onto::Nothing);
                assert_eq!(out, products, "{rows} {depth} {columns}");
                multiply(left, right, &mut out, Onto::Bias(&start[..columns]));
                let onto_bias = products.chunks_exact(columns).flat_map(|row| row.iter().zip(&start));
                assert!(onto_bias.map(|(sum, bias)| sum + bias).eq(out.iter().copied()), "{rows} {depth} {columns}");
            }
        }
    }

    #[test]
    fn neither_threads_nor_other_rows_change_a_bit() {
        let (depth, columns) = (700, 390);
        let left: Vec<f32> = numbers(601 * depth, 1).iter().map(|number| number * 0.1).collect();
        let right: Vec<f32> = numbers(depth * columns, 2).iter().map(|number| number * 0.1).collect();
        let product = |rows: Range<usize>, threads: usize| {
            let mut out = vec![0.0; rows.len() * columns];
            let left = Matrix::new(&left[rows.start * depth..rows.end * depth], depth);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| multiply(left, Matrix::new(&right, columns), &mut out, Onto::Nothing));
            out
        };
        let all = product(0..601, 1);
        assert_eq!(product(0..601, 5), all);
        for rows in [0..1, 3..10, 100..601] {
            assert_eq!(product(rows.clone(), 2), all[rows.start * columns..rows.end * columns]);
        }
    }
}
