//! Products of rows in 8 bits with weights in 7 bits, whose sums are the same, to the bit, on every processor.
//!
//! A weight is a whole number from −63 to 63 times the scale of its output channel; a row of activations is bytes times the
//! scale of the row, from its least number on. `vpmaddubsw`, which adds two products in 16 bits, cannot saturate on such numbers:
//! 2 · 255 · 63 < 2¹⁵. Attention, norms and activations are in single precision.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
mod instructions;
mod matrix;
mod portable;
mod product;
mod rows;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use instructions::Int8Instructions;
pub use matrix::{Int8Matrix, Int8Values, PackedWeights, int8_bytes};
pub use product::{multiply_int8, multiply_int8_gelu};
pub use rows::Int8Rows;

/// Columns of a panel: numbers of a cache line.
const PANEL_COLUMNS: usize = 16;
/// Rows of the right factor that an instruction multiplies and adds at a time.
const GROUP: usize = 4;
/// Most panels of a tile.
const TILE_PANELS: usize = 3;
/// Rows of activations come in blocks of so many; those past the last row are computed for nothing.
const BLOCK_ROWS: usize = 16;
/// Greatest weight: seven bits with the sign.
const GREATEST_WEIGHT: f32 = 63.0;

/// Factors of a tile of a product.
struct Tile<'a> {
    /// `[rows, stride]`: the rows of the tile, and those behind them to the end of a block.
    values: &'a [u8],
    stride: usize,
    /// Each `[depth / 4, 16 columns, 4]`.
    panels: &'a [&'a [i8]],
    /// Number of rows.
    count: usize,
}

/// Sums of a row of a tile.
type RowSums = [[i32; PANEL_COLUMNS]; TILE_PANELS];

impl Tile<'_> {
    /// Steps of four along the depth.
    ///
    /// # Panics
    /// Where the values, the sums, a row or a panel are shorter than the tile.
    fn steps(&self, sums: &[RowSums]) -> usize {
        let steps = self.panels.first().map_or(0, |panel| panel.len() / (PANEL_COLUMNS * GROUP));
        let panels = self.panels;
        assert!(panels.len() <= TILE_PANELS, "a tile of {} panels", panels.len());
        assert!(panels.iter().all(|panel| panel.len() >= steps * PANEL_COLUMNS * GROUP), "panels of one depth");
        assert!(self.stride >= steps * GROUP, "rows as deep as the panels");
        assert!(self.values.len() >= self.count * self.stride && sums.len() >= self.count, "rows and sums of a tile");
        steps
    }

    fn row(&self, row: usize) -> &[u8] {
        &self.values[row * self.stride..][..self.stride]
    }
}

/// A function that computes the sums of tiles, and the most rows and panels of a tile.
#[derive(Clone, Copy)]
struct Kernel {
    rows: usize,
    panels: usize,
    tile: fn(&Tile, &mut [RowSums]),
    /// Called on a thread before its tiles.
    begin: fn(),
    /// Called after them.
    end: fn(),
}
