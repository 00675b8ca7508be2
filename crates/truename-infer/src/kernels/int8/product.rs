//! The product of rows in 8 bits with weights in 7 bits, back in single precision.

use rten_simd::ops::{BitOps, NumOps, ToFloat};
use rten_simd::{Isa, SimdOp, SimdUnaryOp};
use rten_vecmath::Gelu;

use super::instructions::Int8Instructions;
use super::matrix::Panel;
use super::{BLOCK_ROWS, Int8Matrix, Int8Rows, PANEL_COLUMNS, RowSums, TILE_PANELS, Tile};
use crate::kernels::Onto;

/// `out = left · right`, on this thread: `scaleᵣ scale_c Σ byte · value + lowestᵣ scale_c Σ value`.
///
/// # Shapes
/// `left: [rows, depth]`, `right: [depth, columns]`, `out: [rows, columns]`
///
/// # Panics
/// Where the shapes do not fit.
pub fn multiply_int8(left: &Int8Rows, right: &Int8Matrix, out: &mut [f32], onto: Onto) {
    Product { instructions: Int8Instructions::current(), left, right, out, onto, is_activated: false }.run();
}

/// `out = gelu(left · right + bias)`, as [`multiply_int8`].
///
/// # Panics
/// As [`multiply_int8`].
pub fn multiply_int8_gelu(left: &Int8Rows, right: &Int8Matrix, out: &mut [f32], bias: &[f32]) {
    let (instructions, onto) = (Int8Instructions::current(), Onto::Bias(bias));
    Product { instructions, left, right, out, onto, is_activated: true }.run();
}

struct Product<'a> {
    instructions: Int8Instructions,
    left: &'a Int8Rows,
    right: &'a Int8Matrix,
    out: &'a mut [f32],
    onto: Onto<'a>,
    /// Whether GELU comes after it.
    is_activated: bool,
}

impl Product<'_> {
    fn run(self) {
        let Self { left, right, onto, .. } = &self;
        assert_eq!(self.out.len(), left.len() * right.columns(), "the product fits its factors");
        if let Onto::Bias(bias) = onto {
            assert_eq!(bias.len(), right.columns(), "the bias fits the product");
        }
        self.dispatch();
    }
}

impl SimdOp for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Self { instructions, left, right, out, onto, is_activated } = self;
        let (rows, columns) = (left.len(), right.columns());
        let kernel = instructions.kernel(rows, right.depth());
        let mut sums = vec![RowSums::default(); kernel.rows.min(rows.next_multiple_of(BLOCK_ROWS))];
        (kernel.begin)();
        // A few panels stay in the cache while all rows pass by.
        for panels in right.panels().chunks(kernel.panels) {
            let mut values: [&[i8]; TILE_PANELS] = [&[]; TILE_PANELS];
            panels.iter().zip(&mut values).for_each(|(panel, values)| *values = right.panel_values(panel));
            for first in (0..rows).step_by(kernel.rows) {
                let count = kernel.rows.min(rows - first);
                let (values, stride) = (&values[..panels.len()], left.stride());
                (kernel.tile)(&Tile { values: left.rows_from(first), stride, panels: values, count }, &mut sums);
                let rows = first..first + count;
                let left = RowScales { scales: &left.scales[rows.clone()], lowest: &left.lowest[rows.clone()] };
                let out = &mut out[rows.start * columns..rows.end * columns];
                for (number, panel) in panels.iter().enumerate() {
                    let (factors, sums) = ((&left, right, panel), (&sums[..], number));
                    match is_activated {
                        true => write(isa, factors, sums, out, (onto, Gelu {})),
                        false => write(isa, factors, sums, out, (onto, Identity)),
                    }
                }
            }
        }
        (kernel.end)();
    }
}

/// No activation.
struct Identity;

impl SimdUnaryOp<f32> for Identity {
    #[inline(always)]
    fn eval<I: Isa>(&self, _: I, numbers: I::F32) -> I::F32 {
        numbers
    }
}

/// The scale and the lowest number of each row of a tile.
struct RowScales<'a> {
    scales: &'a [f32],
    lowest: &'a [f32],
}

/// Writes the columns of a panel in all rows of a tile.
///
/// # Shapes
/// `sums: [rows][panel]`, `out: [rows, columns]`
#[inline(always)]
fn write<I: Isa, F: SimdUnaryOp<f32>>(
    isa: I,
    (rows, right, panel): (&RowScales, &Int8Matrix, &Panel),
    (sums, number): (&[RowSums], usize),
    out: &mut [f32],
    (onto, activation): (Onto, F),
) {
    let ops = isa.f32();
    let columns = panel.columns.clone();
    let (scales, of_columns) = (&right.scales[columns.clone()], &right.sums[columns.clone()]);
    let bias = if let Onto::Bias(bias) = onto { &bias[columns.clone()] } else { &[] };
    let rows = out.chunks_exact_mut(right.columns()).zip(sums).zip(rows.scales.iter().zip(rows.lowest));
    let rows = rows.map(|((out, sums), scale)| (&mut out[columns.clone()], &sums[number], scale));
    if columns.len() < PANEL_COLUMNS {
        for (out, sums, (scale, lowest)) in rows {
            for (at, out) in out.iter_mut().enumerate() {
                let product = scales[at] * (sums[at] as f32 * scale + lowest * of_columns[at]);
                let before = match onto {
                    Onto::Nothing => 0.0,
                    Onto::Out => *out,
                    Onto::Bias(_) => bias[at],
                };
                *out = activation.scalar_eval(product + before);
            }
        }
        return;
    }
    for (out, sums, (scale, lowest)) in rows {
        let (scale, lowest) = (ops.splat(*scale), ops.splat(*lowest));
        for at in (0..PANEL_COLUMNS).step_by(ops.len()) {
            let total = ops.mul(isa.i32().to_float(isa.i32().load(&sums[at..])), scale);
            let total = ops.mul_add(lowest, ops.load(&of_columns[at..]), total);
            let channel = ops.load(&scales[at..]);
            let product = match onto {
                Onto::Nothing => ops.mul(channel, total),
                Onto::Out => ops.mul_add(channel, total, ops.load(&out[at..])),
                Onto::Bias(_) => ops.mul_add(channel, total, ops.load(&bias[at..])),
            };
            ops.store(activation.eval(isa, product), &mut out[at..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{GROUP, Kernel, PackedWeights};
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|at| ((at * 37 + seed * 11) % 101) as f32 / 25.0 - 2.0).collect()
    }

    fn matrix(weight: &[f32], inputs: usize) -> Int8Matrix {
        let PackedWeights { values, scales } = PackedWeights::quantize(weight, inputs);
        Int8Matrix::new(inputs).with_map(Box::new(values), &scales)
    }

    fn compute(kernel: Kernel, tile: &Tile, sums: &mut [RowSums]) {
        (kernel.begin)();
        (kernel.tile)(tile, sums);
        (kernel.end)();
    }

    proptest! {
        /// Sums of all instructions are those of whole numbers without bound, whatever the bytes.
        #[test]
        fn sums_are_exact(
            bytes in prop::collection::vec(any::<u8>(), 48 * 160),
            weights in prop::collection::vec(-63i8..=63, 3 * 160 * PANEL_COLUMNS),
            steps in prop_oneof![1usize..=40, Just(16), Just(32)],
            stride in 0usize..=1,
            count in 1usize..=48,
            panels in 1usize..=3,
        ) {
            let (depth, stride) = (steps * GROUP, steps * GROUP + (160 - steps * GROUP) * stride);
            let panels: Vec<&[i8]> = weights.chunks(160 * PANEL_COLUMNS).take(panels).map(|panel| &panel[..depth * PANEL_COLUMNS]).collect();
            for instructions in Int8Instructions::available() {
                let kernel = instructions.kernel(count, depth);
                let (panels, count) = (&panels[..panels.len().min(kernel.panels)], count.min(kernel.rows));
                let tile = Tile { values: &bytes, stride, panels, count };
                let mut sums = vec![[[7; PANEL_COLUMNS]; TILE_PANELS]; count.next_multiple_of(BLOCK_ROWS)];
                compute(kernel, &tile, &mut sums);
                for (row, sums) in sums[..count].iter().enumerate() {
                    for (number, panel) in panels.iter().enumerate() {
                        for column in 0..PANEL_COLUMNS {
                            let weight = |at: usize| panel[(at / GROUP * PANEL_COLUMNS + column) * GROUP + at % GROUP];
                            let exact: i64 = (0..depth).map(|at| i64::from(tile.row(row)[at]) * i64::from(weight(at))).sum();
                            prop_assert_eq!(i64::from(sums[number][column]), exact, "{}", instructions);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_greatest_numbers_do_not_saturate() {
        let (bytes, weights) = (vec![255; 3072 * BLOCK_ROWS], vec![-63; 3072 * PANEL_COLUMNS]);
        for instructions in Int8Instructions::available() {
            let mut sums = [RowSums::default(); BLOCK_ROWS];
            let kernel = instructions.kernel(BLOCK_ROWS, 3072);
            let tile = Tile { values: &bytes, stride: 3072, panels: &[&weights], count: kernel.rows.min(BLOCK_ROWS) };
            compute(kernel, &tile, &mut sums);
            assert!(sums[..8].iter().flat_map(|row| row[0]).all(|sum| sum == -63 * 255 * 3072), "{instructions}");
        }
    }

    #[test]
    fn products_are_near_those_in_single_precision() {
        for [rows, depth, columns] in [[1, 4, 16], [3, 6, 5], [8, 384, 48], [9, 130, 50], [33, 64, 160]] {
            let (left, weight, bias) = (numbers(rows * depth, 1), numbers(columns * depth, 2), numbers(columns, 3));
            let mut quantized = Int8Rows::default();
            quantized.quantize(&left, depth);
            let (right, start) = (matrix(&weight, depth), numbers(rows * columns, 4));
            for onto in [Onto::Nothing, Onto::Out, Onto::Bias(&bias)] {
                let mut out = start.clone();
                multiply_int8(&quantized, &right, &mut out, onto);
                for (at, out) in out.iter().enumerate() {
                    let (row, column) = (at / columns, at % columns);
                    let pairs = left[row * depth..][..depth].iter().zip(&weight[column * depth..][..depth]);
                    let exact: f32 = pairs.map(|(left, weight)| left * weight).sum();
                    let onto = match onto {
                        Onto::Nothing => 0.0,
                        Onto::Out => start[at],
                        Onto::Bias(bias) => bias[column],
                    };
                    let bound = 0.02 * 4.0 * (depth as f32).sqrt();
                    assert!(
                        (out - exact - onto).abs() < bound,
                        "{rows} {depth} {columns}: {out}, not {}",
                        exact + onto
                    );
                }
            }
        }
    }

    #[test]
    fn neither_other_rows_nor_instructions_change_a_bit() {
        let (count, columns) = (150, 100);
        for depth in [388, 384] {
            let (left, right) = (numbers(count * depth, 5), matrix(&numbers(columns * depth, 6), depth));
            let product = |instructions, rows: std::ops::Range<usize>| {
                let mut quantized = Int8Rows::default();
                quantized.quantize(&left[rows.start * depth..rows.end * depth], depth);
                let mut out = vec![0.0; rows.len() * columns];
                let (left, right, onto) = (&quantized, &right, Onto::Nothing);
                Product { instructions, left, right, out: &mut out, onto, is_activated: false }.run();
                out
            };
            let all = product(Int8Instructions::Portable, 0..count);
            for instructions in Int8Instructions::available() {
                assert_eq!(product(instructions, 0..count), all, "{instructions}");
                for rows in [0..1, 3..10, 20..38, 149..150] {
                    assert_eq!(product(instructions, rows.clone()), all[rows.start * columns..rows.end * columns]);
                }
            }
        }
    }

    #[test]
    fn gelu_comes_after_the_bias() {
        for columns in [5, 48] {
            let (depth, bias) = (64, numbers(columns, 2));
            let right = matrix(&numbers(columns * depth, 3), depth);
            let mut quantized = Int8Rows::default();
            quantized.quantize(&numbers(20 * depth, 1), depth);
            let (mut apart, mut together) = (vec![0.0; 20 * columns], vec![0.0; 20 * columns]);
            multiply_int8(&quantized, &right, &mut apart, Onto::Bias(&bias));
            Gelu {}.map_mut(&mut apart);
            multiply_int8_gelu(&quantized, &right, &mut together, &bias);
            assert_eq!(together, apart, "{columns}");
        }
    }

    #[test]
    fn maps_side_by_side_are_one() {
        let (depth, left) = (20, numbers(5 * 20, 7));
        let weights = [numbers(18 * depth, 8), numbers(32 * depth, 9)];
        let mut quantized = Int8Rows::default();
        quantized.quantize(&left, depth);
        let joined = weights.iter().fold(Int8Matrix::new(depth), |joined, weight| {
            let PackedWeights { values, scales } = PackedWeights::quantize(weight, depth);
            joined.with_map(Box::new(values), &scales)
        });
        let mut out = vec![0.0; 5 * 50];
        multiply_int8(&quantized, &joined, &mut out, Onto::Nothing);
        for (weight, columns) in weights.iter().zip([0..18, 18..50]) {
            let mut alone = vec![0.0; 5 * columns.len()];
            multiply_int8(&quantized, &matrix(weight, depth), &mut alone, Onto::Nothing);
            for (row, alone) in out.chunks(50).zip(alone.chunks(columns.len())) {
                assert_eq!(row[columns.clone()], *alone);
            }
        }
    }

    #[test]
    fn an_empty_tile_has_no_sums() {
        for instructions in Int8Instructions::available() {
            let mut sums = [[[7; PANEL_COLUMNS]; TILE_PANELS]; BLOCK_ROWS];
            let tile = Tile { values: &[], stride: 64, panels: &[], count: 0 };
            compute(instructions.kernel(0, 64), &tile, &mut sums);
            assert_eq!(sums[0][0][0], 7, "{instructions}");
            let tile = Tile { values: &[1; 64 * BLOCK_ROWS], stride: 64, panels: &[&[]], count: 8 };
            compute(instructions.kernel(8, 0), &tile, &mut sums);
            assert_eq!(sums[0][0][0], 0, "{instructions}");
        }
    }
}
