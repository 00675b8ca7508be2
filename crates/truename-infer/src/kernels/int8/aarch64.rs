//! Tiles with the dot products of ARMv8.2.
#![allow(unsafe_code)]

use std::arch::aarch64::*;
use std::arch::asm;

use super::{GROUP, PANEL_COLUMNS, RowSums, Tile};

/// Vectors of a line of a panel: a row's four bytes are multiplied with its 64.
const VECTORS: usize = 4;
/// Added to weights, for `udot` multiplies numbers without a sign; taken off the sums again.
const OFFSET: u8 = 64;

/// Computes the sums of a tile with `udot`, which this processor must have.
pub(super) fn tile_neon_dotprod(tile: &Tile, sums: &mut [RowSums]) {
    let steps = tile.steps(sums);
    let of_row = |row: usize| tile.row(row)[..steps * GROUP].iter().map(|byte| i32::from(*byte)).sum();
    for first in (0..tile.count).step_by(4) {
        let of_rows: [i32; 4] = std::array::from_fn(|row| of_row((first + row).min(tile.count - 1)));
        for panel in 0..tile.panels.len() {
            // SAFETY: `Int8Instructions` hands this function out where the instructions are, and `steps` has checked all lengths.
            unsafe {
                match tile.count - first {
                    1..=2 => rows_neon::<2>(tile, first, panel, steps, &of_rows, &mut sums[first..]),
                    _ => rows_neon::<4>(tile, first, panel, steps, &of_rows, &mut sums[first..]),
                }
            }
        }
    }
}

/// # Safety
/// The processor has the instructions, and the rows from the first on and the panel have as many steps.
#[target_feature(enable = "neon,dotprod")]
unsafe fn rows_neon<const ROWS: usize>(
    tile: &Tile,
    first: usize,
    panel: usize,
    steps: usize,
    of_rows: &[i32; 4],
    sums: &mut [RowSums],
) {
    // Rows past the last are computed for nothing.
    let rows: [*const u8; ROWS] = std::array::from_fn(|row| tile.row((first + row).min(tile.count - 1)).as_ptr());
    let lines: *const u8 = tile.panels[panel].as_ptr().cast();
    let offset = vdupq_n_u8(OFFSET);
    let mut totals = [[vdupq_n_u32(0); VECTORS]; ROWS];
    for step in 0..steps {
        let mut weights = [offset; VECTORS];
        for (at, weights) in weights.iter_mut().enumerate() {
            // SAFETY: the panel has `steps` lines.
            *weights = vaddq_u8(unsafe { vld1q_u8(lines.add(step * PANEL_COLUMNS * GROUP + at * 16)) }, offset);
        }
        for row in 0..ROWS {
            // SAFETY: the row has `steps` groups.
            let group = unsafe { rows[row].cast::<u32>().add(step).read_unaligned() };
            let values = vreinterpretq_u8_u32(vdupq_n_u32(group));
            for at in 0..VECTORS {
                totals[row][at] = udot(totals[row][at], weights[at], values);
            }
        }
    }
    for ((totals, of_row), sums) in totals.iter().zip(of_rows).zip(sums) {
        let too_much = vdupq_n_s32(i32::from(OFFSET) * of_row);
        for (total, sums) in totals.iter().zip(sums[panel].chunks_exact_mut(PANEL_COLUMNS / VECTORS)) {
            // SAFETY: four numbers are 16 bytes.
            unsafe { vst1q_s32(sums.as_mut_ptr(), vsubq_s32(vreinterpretq_s32_u32(*total), too_much)) };
        }
    }
}

/// Adds the products of four bytes to each sum; the compiler's own name for the instruction is unstable.
#[target_feature(enable = "neon,dotprod")]
fn udot(mut totals: uint32x4_t, weights: uint8x16_t, values: uint8x16_t) -> uint32x4_t {
    // SAFETY: the instruction reads and writes these registers alone.
    unsafe {
        asm!(
            "udot {totals:v}.4s, {weights:v}.16b, {values:v}.16b",
            totals = inout(vreg) totals,
            weights = in(vreg) weights,
            values = in(vreg) values,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    totals
}
