//! Tables of 4-bit numbers, and the scheme of quantised weights.

/// Name of the scales beside the `weight` of a map or a table.
pub(crate) const SCALES: &str = "weight_scale";

/// Key of the scheme in the metadata of `model.safetensors`.
pub(crate) const SCHEME_KEY: &str = "truename.scheme";

/// The scheme that this build writes and reads: maps as 7-bit weights in panels of 16 channels, a scale a channel; tables of tokens as
/// 4-bit numbers, a scale for [`Nibbles::GROUP`] of them.
pub(crate) const SCHEME: &str = "int8-1";

/// Bytes of a table, wherever they lie.
pub(crate) type TableBytes = Box<dyn AsRef<[u8]> + Send + Sync>;

/// A table of 4-bit numbers: `value ≈ scale · (nibble − 8)`, with a scale for each group of a row.
pub(crate) struct Nibbles {
    /// `[rows, columns / 2]`, the first of two numbers in the low half.
    pub values: TableBytes,
    /// `[rows, groups]` in bfloat16.
    pub scales: TableBytes,
    pub columns: usize,
}

impl Nibbles {
    /// Numbers that share a scale.
    pub const GROUP: usize = 64;

    /// The row at `index`, if there are so many.
    pub fn row(&self, index: usize) -> Option<Vec<f32>> {
        let (bytes, groups) = (self.columns.div_ceil(2), self.columns.div_ceil(Self::GROUP));
        let values: &[u8] = (*self.values).as_ref();
        let values = values.get(index * bytes..(index + 1) * bytes)?;
        let scales: &[u8] = (*self.scales).as_ref();
        let scales = scales.get(index * groups * 2..(index + 1) * groups * 2)?.as_chunks().0;
        let mut row = Vec::with_capacity(2 * bytes);
        for (values, scale) in values.chunks(Self::GROUP / 2).zip(scales) {
            let scale = bfloat16(u16::from_le_bytes(*scale));
            let number = |nibble: u8| scale * (f32::from(nibble) - 8.0);
            row.extend(values.iter().flat_map(|byte| [number(byte & 15), number(byte >> 4)]));
        }
        row.truncate(self.columns);
        Some(row)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        let values: &[u8] = (*self.values).as_ref();
        values.len() / self.columns.div_ceil(2).max(1)
    }

    /// Returns the bytes of the numbers and of the scales of a table.
    pub fn quantize(table: &[f32], columns: usize) -> (Vec<u8>, Vec<u8>) {
        let (mut values, mut scales) = (Vec::with_capacity(table.len() / 2), Vec::new());
        for row in table.chunks_exact(columns) {
            for group in row.chunks(Self::GROUP) {
                let scale = scale_of(group);
                scales.extend(((scale.to_bits() >> 16) as u16).to_le_bytes());
                values.extend(
                    group
                        .chunks(2)
                        .map(|pair| nibble(pair[0], scale) | nibble(pair.get(1).copied().unwrap_or(0.0), scale) << 4),
                );
            }
        }
        (values, scales)
    }
}

fn bfloat16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

fn nibble(value: f32, scale: f32) -> u8 {
    if scale == 0.0 { 8 } else { ((value / scale).round_ties_even() + 8.0).clamp(0.0, 15.0) as u8 }
}

/// Returns the scale in bfloat16 with the least squared error of those around the one that makes the number farthest from zero −8.
fn scale_of(group: &[f32]) -> f32 {
    /// Scales tried, as shares of that one.
    const SHARES: [f32; 8] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 1.05, 1.1];
    let farthest = group.iter().fold(0.0_f32, |most, value| if value.abs() > most.abs() { *value } else { most });
    let error = |scale: f32| -> f32 {
        group.iter().map(|value| (scale * (f32::from(nibble(*value, scale)) - 8.0) - value).powi(2)).sum()
    };
    let scales = SHARES.map(|share| bfloat16(((share * farthest / -8.0).to_bits() >> 16) as u16));
    let least = scales.into_iter().map(|scale| (error(scale), scale)).min_by(|left, right| left.0.total_cmp(&right.0));
    least.map_or(0.0, |(_, scale)| scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nibbles_are_near_their_numbers() {
        for columns in [1, 5, 64, 65, 130] {
            let table: Vec<f32> = (0..3 * columns).map(|at| ((at * 37) % 23) as f32 / 11.0 - 0.9).collect();
            let (values, scales) = Nibbles::quantize(&table, columns);
            let nibbles = Nibbles { values: Box::new(values), scales: Box::new(scales), columns };
            assert_eq!(nibbles.rows(), 3);
            for (number, row) in table.chunks(columns).enumerate() {
                let read = nibbles.row(number).unwrap();
                assert_eq!(read.len(), columns);
                assert!(row.iter().zip(&read).all(|(value, read)| (value - read).abs() < 0.12), "{row:?} {read:?}");
            }
            assert!(nibbles.row(3).is_none());
        }
        let (values, scales) = Nibbles::quantize(&[0.0; 4], 4);
        let zeros = Nibbles { values: Box::new(values), scales: Box::new(scales), columns: 4 };
        assert_eq!(zeros.row(0).unwrap(), [0.0; 4]);
    }
}
