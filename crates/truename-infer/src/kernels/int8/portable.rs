//! Tiles by plain loops, which compilers turn into the vectors of any processor.

use super::{GROUP, PANEL_COLUMNS, RowSums, Tile};

/// Computes the sums of a tile.
pub(super) fn tile(tile: &Tile, sums: &mut [RowSums]) {
    tile.steps(sums);
    for (number, panel) in tile.panels.iter().enumerate() {
        sums[..tile.count].iter_mut().for_each(|sums| sums[number] = [0; PANEL_COLUMNS]);
        for (step, line) in panel.as_chunks::<{ PANEL_COLUMNS * GROUP }>().0.iter().enumerate() {
            let weights = by_depth(line);
            for (row, sums) in sums[..tile.count].iter_mut().enumerate() {
                let group = tile.row(row)[step * GROUP..].first_chunk().expect("a row has as many groups");
                add(group, &weights, &mut sums[number]);
            }
        }
    }
}

/// The weights of a line, those of each of its four rows side by side.
fn by_depth(line: &[i8; PANEL_COLUMNS * GROUP]) -> [[i16; PANEL_COLUMNS]; GROUP] {
    std::array::from_fn(|at| std::array::from_fn(|column| i16::from(line[column * GROUP + at])))
}

/// Adds the products of four bytes with the weights of a line: two products fit in 16 bits.
fn add(bytes: &[u8; GROUP], weights: &[[i16; PANEL_COLUMNS]; GROUP], totals: &mut [i32; PANEL_COLUMNS]) {
    let [first, second, third, fourth] = bytes.map(i16::from);
    for (column, total) in totals.iter_mut().enumerate() {
        let product = |byte: i16, at: usize| byte.wrapping_mul(weights[at][column]);
        let pairs =
            [product(first, 0).wrapping_add(product(second, 1)), product(third, 2).wrapping_add(product(fourth, 3))];
        *total += i32::from(pairs[0]) + i32::from(pairs[1]);
    }
}
