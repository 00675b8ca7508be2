//! Tiles with the instructions of x86-64.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{GROUP, PANEL_COLUMNS, RowSums, TILE_PANELS, Tile};

/// Bytes of a panel that a row's four bytes are multiplied with: a cache line.
type Line = [i8; PANEL_COLUMNS * GROUP];

/// Computes the sums of a tile with AVX-512 VNNI, which this processor must have.
pub(super) fn tile_avx512_vnni(tile: &Tile, sums: &mut [RowSums]) {
    let steps = tile.steps(sums);
    assert!(tile.count <= 8, "a tile of {} rows", tile.count);
    // SAFETY: `Int8Instructions` hands this function out where the instructions are, and `steps` has checked all lengths.
    unsafe {
        match (tile.count, tile.panels.len()) {
            (0, _) => {}
            (1..=2, 3) => rows_avx512::<2, 3>(tile, steps, sums),
            (3..=4, 3) => rows_avx512::<4, 3>(tile, steps, sums),
            (5..=6, 3) => rows_avx512::<6, 3>(tile, steps, sums),
            (_, 3) => rows_avx512::<8, 3>(tile, steps, sums),
            (_, 2) => rows_avx512::<8, 2>(tile, steps, sums),
            (_, 1) => rows_avx512::<8, 1>(tile, steps, sums),
            _ => {}
        }
    }
}

/// # Safety
/// The processor has the instructions, and the first rows and panels have as many steps.
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn rows_avx512<const ROWS: usize, const PANELS: usize>(tile: &Tile, steps: usize, sums: &mut [RowSums]) {
    // Rows past the last are computed for nothing.
    let rows: [*const u8; ROWS] = std::array::from_fn(|row| tile.row(row.min(tile.count - 1)).as_ptr());
    let panels: [*const Line; PANELS] = std::array::from_fn(|panel| tile.panels[panel].as_ptr().cast());
    let mut totals = [[_mm512_setzero_si512(); PANELS]; ROWS];
    for step in 0..steps {
        let mut weights = [_mm512_setzero_si512(); PANELS];
        for panel in 0..PANELS {
            // SAFETY: the panel has `steps` lines.
            weights[panel] = unsafe { _mm512_loadu_si512(panels[panel].add(step).cast()) };
        }
        for row in 0..ROWS {
            // SAFETY: the row has `steps` groups.
            let values = _mm512_set1_epi32(unsafe { rows[row].cast::<i32>().add(step).read_unaligned() });
            for panel in 0..PANELS {
                totals[row][panel] = _mm512_dpbusd_epi32(totals[row][panel], values, weights[panel]);
            }
        }
    }
    for (totals, sums) in totals.iter().zip(sums) {
        for (total, sums) in totals.iter().zip(sums) {
            // SAFETY: 16 numbers are 64 bytes.
            unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), *total) };
        }
    }
}

/// Defines a function for tiles with vectors of 32 bytes.
macro_rules! tiles_of_256 {
    ($name:ident, $rows:ident, $features:literal, $instructions:literal, $dot:ident) => {
        #[doc = concat!("Computes the sums of a tile with ", $instructions, ", which this processor must have.")]
        pub(super) fn $name(tile: &Tile, sums: &mut [RowSums]) {
            let steps = tile.steps(sums);
            for first in (0..tile.count).step_by(4) {
                for panel in 0..tile.panels.len() {
                    // SAFETY: `Int8Instructions` hands this function out where the instructions are, and `steps` has checked all
                    // lengths.
                    unsafe {
                        match tile.count - first {
                            1..=2 => $rows::<2>(tile, first, panel, steps, sums),
                            _ => $rows::<4>(tile, first, panel, steps, sums),
                        }
                    }
                }
            }
        }

        /// # Safety
        /// The processor has the instructions, and the rows from the first on and the panel have as many steps.
        #[target_feature(enable = $features)]
        unsafe fn $rows<const ROWS: usize>(
            tile: &Tile,
            first: usize,
            panel: usize,
            steps: usize,
            sums: &mut [RowSums],
        ) {
            let rows: [*const u8; ROWS] =
                std::array::from_fn(|row| tile.row((first + row).min(tile.count - 1)).as_ptr());
            let lines: *const [__m256i; 2] = tile.panels[panel].as_ptr().cast();
            let mut totals = [[_mm256_setzero_si256(); 2]; ROWS];
            for step in 0..steps {
                // SAFETY: the panel has `steps` lines.
                let [low, high] = unsafe { lines.add(step).read_unaligned() };
                for row in 0..ROWS {
                    // SAFETY: the row has `steps` groups.
                    let values = _mm256_set1_epi32(unsafe { rows[row].cast::<i32>().add(step).read_unaligned() });
                    totals[row] = [$dot(totals[row][0], values, low), $dot(totals[row][1], values, high)];
                }
            }
            for (totals, sums) in totals.iter().zip(&mut sums[first..]) {
                // SAFETY: 16 numbers are 64 bytes.
                unsafe { sums[panel].as_mut_ptr().cast::<[__m256i; 2]>().write_unaligned(*totals) };
            }
        }
    };
}

tiles_of_256!(tile_avx_vnni, rows_avx_vnni, "avx2,avxvnni", "AVX2 and VNNI", _mm256_dpbusd_avx_epi32);
tiles_of_256!(tile_avx2, rows_avx2, "avx2", "AVX2", dot_avx2);

/// `vpdpbusd` by older instructions; the sums in 16 bits do not saturate where weights have seven.
#[target_feature(enable = "avx2")]
fn dot_avx2(totals: __m256i, values: __m256i, weights: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(values, weights);
    _mm256_add_epi32(totals, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

const _: () = assert!(TILE_PANELS == 3, "the tiles above");
