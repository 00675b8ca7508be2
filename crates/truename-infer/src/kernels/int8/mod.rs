//! Products of rows in 8 bits with weights in 7 bits, whose sums are the same, to the bit, on every processor.
//!
//! A weight is a whole number from −63 to 63 times the scale of its output channel; a row of activations is bytes times the
//! scale of the row, from its least number on. `vpmaddubsw`, which adds two products in 16 bits, cannot saturate on such numbers:
//! 2 · 255 · 63 < 2¹⁵. Attention, norms and activations are in single precision.

mod instructions;
mod matrix;
mod portable;
mod product;
mod rows;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use instructions::Int8Instructions;
pub use matrix::{Int8Matrix, Int8Values, PackedWeights, int8_bytes};
pub use product::multiply_int8;
pub use rows::Int8Rows;

/// Columns of a panel: numbers of a cache line.
const PANEL_COLUMNS: usize = 16;
/// Rows of the right factor that an instruction multiplies and adds at a time.
const GROUP: usize = 4;
/// Most rows of a tile.
const TILE_ROWS: usize = 8;
/// Most panels of a tile.
const TILE_PANELS: usize = 3;
/// Greatest weight: seven bits with the sign.
const GREATEST_WEIGHT: f32 = 63.0;

/// Factors of a tile of a product.
struct Tile<'a> {
    /// `[rows][depth]`; those past the count are not read.
    rows: &'a [&'a [u8]; TILE_ROWS],
    /// Each `[depth / 4, 16 columns, 4]`.
    panels: &'a [&'a [i8]],
    /// Number of rows.
    count: usize,
}

/// Sums of a tile.
type Sums = [[[i32; PANEL_COLUMNS]; TILE_PANELS]; TILE_ROWS];

impl Tile<'_> {
    /// Steps of four along the depth.
    ///
    /// # Panics
    /// Where a row or a panel is shorter than the first panel.
    fn steps(&self) -> usize {
        let steps = self.panels.first().map_or(0, |panel| panel.len() / (PANEL_COLUMNS * GROUP));
        let (panels, rows) = (self.panels, &self.rows[..self.count]);
        assert!(panels.len() <= TILE_PANELS, "a tile of {} panels", panels.len());
        assert!(panels.iter().all(|panel| panel.len() >= steps * PANEL_COLUMNS * GROUP), "panels of one depth");
        assert!(rows.iter().all(|row| row.len() >= steps * GROUP), "rows as deep as the panels");
        steps
    }
}
