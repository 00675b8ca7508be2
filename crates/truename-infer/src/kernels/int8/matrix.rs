//! Weights in 7 bits, packed in panels.

use std::ops::Range;

use super::{GREATEST_WEIGHT, GROUP, PANEL_COLUMNS};

/// Bytes of a right factor of `outputs` columns that is `inputs` deep.
pub fn int8_bytes(inputs: usize, outputs: usize) -> usize {
    inputs.next_multiple_of(GROUP) * outputs.next_multiple_of(PANEL_COLUMNS)
}

/// Weights in 7 bits, packed for the kernels, with the scale of each output channel: `w ≈ scale · value`.
pub struct PackedWeights {
    /// `[panels, inputs / 4, 16, 4]`, zeros past the last channel and input.
    pub values: Vec<i8>,
    /// `[outputs]`
    pub scales: Vec<f32>,
}

impl PackedWeights {
    /// Quantises weights: a scale for each output channel, the greatest of its weights 63.
    ///
    /// # Shapes
    /// `weight: [outputs, inputs]`
    pub fn quantize(weight: &[f32], inputs: usize) -> Self {
        let outputs = weight.len() / inputs;
        let mut values = vec![0; int8_bytes(inputs, outputs)];
        let panel = inputs.next_multiple_of(GROUP) * PANEL_COLUMNS;
        let channels = weight.chunks_exact(inputs).enumerate().map(|(channel, weights)| {
            let greatest = weights.iter().fold(0.0_f32, |greatest, weight| greatest.max(weight.abs()));
            let scale = greatest / GREATEST_WEIGHT;
            let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            let first = channel / PANEL_COLUMNS * panel + channel % PANEL_COLUMNS * GROUP;
            for (input, weight) in weights.iter().enumerate() {
                let value = (weight * inverse).round_ties_even().clamp(-GREATEST_WEIGHT, GREATEST_WEIGHT);
                values[first + input / GROUP * PANEL_COLUMNS * GROUP + input % GROUP] = value as i8;
            }
            scale
        });
        let scales = channels.collect();
        Self { values, scales }
    }
}

/// Packed values of a map, wherever they lie.
pub type Int8Values = Box<dyn AsRef<[i8]> + Send + Sync>;

/// A right factor in 7 bits: maps of one input, their output channels side by side.
pub struct Int8Matrix {
    maps: Vec<Int8Values>,
    panels: Vec<Panel>,
    /// Number of rows.
    depth: usize,
    /// `[outputs]`
    pub(super) scales: Vec<f32>,
    /// Sum of the values of each channel.
    pub(super) sums: Vec<f32>,
}

/// Sixteen columns, or fewer at the end of a map.
pub(super) struct Panel {
    map: usize,
    first_byte: usize,
    pub columns: Range<usize>,
}

impl Int8Matrix {
    /// Creates a factor `depth` deep of no columns.
    pub fn new(depth: usize) -> Self {
        Self { maps: Vec::new(), panels: Vec::new(), depth, scales: Vec::new(), sums: Vec::new() }
    }

    /// Adds a map: packed values as in [`PackedWeights`], and the scales of its channels.
    ///
    /// # Panics
    /// If the number of values does not fit the depth and the number of channels.
    #[must_use]
    pub fn with_map(mut self, values: Int8Values, scales: &[f32]) -> Self {
        let bytes: &[i8] = (*values).as_ref();
        assert_eq!(bytes.len(), int8_bytes(self.depth, scales.len()), "the values of {} channels", scales.len());
        let of_panel = self.panel_bytes();
        let start = self.scales.len();
        for (number, panel) in bytes.chunks_exact(of_panel.max(1)).enumerate() {
            let first = number * PANEL_COLUMNS;
            let columns = first..scales.len().min(first + PANEL_COLUMNS);
            self.sums.extend(columns.clone().map(|column| column_sum(panel, column - first)));
            let columns = start + columns.start..start + columns.end;
            self.panels.push(Panel { map: self.maps.len(), first_byte: number * of_panel, columns });
        }
        self.scales.extend_from_slice(scales);
        self.maps.push(values);
        self
    }

    /// Number of rows, which is the depth of a product.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.scales.len()
    }

    /// Returns the weights in single precision.
    ///
    /// # Shapes
    /// output: `[outputs, inputs]`
    pub fn to_single(&self) -> Vec<f32> {
        let mut weights = vec![0.0; self.columns() * self.depth];
        for panel in &self.panels {
            let values = self.panel_values(panel);
            for (at, column) in panel.columns.clone().enumerate() {
                for (row, weight) in weights[column * self.depth..][..self.depth].iter_mut().enumerate() {
                    let value = values[(row / GROUP * PANEL_COLUMNS + at) * GROUP + row % GROUP];
                    *weight = self.scales[column] * f32::from(value);
                }
            }
        }
        weights
    }

    pub(super) fn panels(&self) -> &[Panel] {
        &self.panels
    }

    pub(super) fn panel_values(&self, panel: &Panel) -> &[i8] {
        &(*self.maps[panel.map]).as_ref()[panel.first_byte..][..self.panel_bytes()]
    }

    fn panel_bytes(&self) -> usize {
        int8_bytes(self.depth, PANEL_COLUMNS)
    }
}

/// Sum of the values of a column of a panel.
fn column_sum(panel: &[i8], column: usize) -> f32 {
    let groups = panel.chunks_exact(PANEL_COLUMNS * GROUP);
    let of_group =
        |group: &[i8]| -> i32 { group[column * GROUP..][..GROUP].iter().map(|value| i32::from(*value)).sum() };
    groups.map(of_group).sum::<i32>() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_come_back_within_half_a_step() {
        for [inputs, outputs] in [[6_usize, 5_usize], [16, 33]] {
            let weights: Vec<f32> = (0..inputs * outputs).map(|at| ((at * 37) % 101) as f32 / 25.0 - 2.0).collect();
            let maps = weights.chunks(inputs * outputs.div_ceil(2)).map(|map| PackedWeights::quantize(map, inputs));
            let matrix = maps.fold(Int8Matrix::new(inputs), |matrix, PackedWeights { values, scales }| {
                matrix.with_map(Box::new(values), &scales)
            });
            let back = matrix.to_single();
            assert_eq!(back.len(), weights.len());
            for (at, (back, weight)) in back.iter().zip(&weights).enumerate() {
                let step = matrix.scales[at / inputs];
                assert!((back - weight).abs() <= 0.51 * step, "{inputs} {outputs} {at}: {back}, not {weight}");
            }
        }
    }
}
