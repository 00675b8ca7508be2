//! Model folders in 8 bits: maps of layers in 7-bit weights, tables of tokens in 4 bits.

use std::path::Path;

use safetensors::tensor::Dtype;
use truename_error::ErrorKind;

use crate::checkpoint::TransformerCheckpoint;
use crate::kernels::PackedWeights;
use crate::weights::{FileBytes, RawTensor, Scope, Weights};
use crate::{AdapterConfig, Checkpoint, Error};

/// Name of the scales beside the `weight` of a map or a table.
pub(crate) const SCALES: &str = "weight_scale";

/// Key of the scheme in the metadata of `model.safetensors`.
pub(crate) const SCHEME_KEY: &str = "truename.scheme";

/// The scheme that this build writes and reads: maps as 7-bit weights in panels of 16 channels, a scale a channel; tables of tokens as
/// 4-bit numbers, a scale for [`Nibbles::GROUP`] of them.
pub(crate) const SCHEME: &str = "int8-1";

/// A table of 4-bit numbers: `value ≈ scale · (nibble − 8)`, with a scale for each group of a row.
pub(crate) struct Nibbles {
    /// `[rows, columns / 2]`, the first of two numbers in the low half.
    pub values: FileBytes,
    /// `[rows, groups]` in bfloat16.
    pub scales: FileBytes,
    pub columns: usize,
}

impl Nibbles {
    /// Numbers that share a scale.
    pub const GROUP: usize = 64;

    /// The row at `index`, if there are so many.
    pub fn row(&self, index: usize) -> Option<Vec<f32>> {
        let (bytes, groups) = (self.columns.div_ceil(2), self.columns.div_ceil(Self::GROUP));
        let values: &[u8] = self.values.as_ref();
        let values = values.get(index * bytes..(index + 1) * bytes)?;
        let scales: &[u8] = self.scales.as_ref();
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
        let values: &[u8] = self.values.as_ref();
        values.len() / self.columns.div_ceil(2).max(1)
    }

    /// Returns the bytes of the numbers and of the scales of a table.
    fn quantize(table: &[f32], columns: usize) -> (Vec<u8>, Vec<u8>) {
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

/// Refuses weights of a scheme that this build does not know.
pub(crate) fn check_scheme(weights: &Weights) -> Result<(), Error> {
    match weights.scheme() {
        None | Some(SCHEME) => Ok(()),
        Some(scheme) => {
            let path = weights.path().display();
            let message = format!("{path} has the scheme {scheme}; this version of Truename reads {SCHEME}");
            Err(Error::new(ErrorKind::OtherVersion, message).with_hint("quantise the model anew with this version"))
        }
    }
}

impl Checkpoint {
    /// Writes the folder of a quantised model, which serves inference alone: maps of the transformer's layers and of its adapters with
    /// weights in 7 bits, tables of tokens and positions in 4. Heads, norms and biases stay in single precision.
    ///
    /// # Errors
    /// Where the network reads characters or is quantised already, a weight is not finite, or a file cannot be read or written.
    pub fn quantize(&self, folder: &Path) -> Result<(), Error> {
        let Self::Transformer(checkpoint) = self else {
            let message = "a network of characters is small and is not quantised";
            return Err(Error::new(ErrorKind::Choice, message).with_hint("quantise a transformer"));
        };
        std::fs::create_dir_all(folder).map_err(|source| crate::error::io("create", folder, source))?;
        checkpoint.write_settings(folder, &crate::Tensors::new(), None)?;
        self.manifest().save(folder)?;
        checkpoint.weights.save_with(folder, &checkpoint.quantized()?, Some(SCHEME))
    }
}

impl TransformerCheckpoint {
    /// The tensors that are quantised, with their scales.
    fn quantized(&self) -> Result<Vec<RawTensor>, Error> {
        let mut tensors = Vec::new();
        for map in self.maps() {
            tensors.extend(quantized_map(&map)?);
        }
        let names = self.names();
        for table in [names.words, names.positions] {
            tensors.extend(quantized_table(&self.encoder().at(table))?);
        }
        Ok(tensors)
    }

    /// The maps of the layers and of the adapters.
    fn maps(&self) -> Vec<Scope<'_>> {
        let (names, encoder) = (self.names(), self.encoder());
        let of_layer = [names.query, names.key, names.value, names.attention_output, names.up, names.down];
        let layers = (0..self.config.num_hidden_layers).map(|number| encoder.at(&names.layer(number)));
        let mut maps: Vec<Scope<'_>> = layers.flat_map(|layer| of_layer.map(|map| layer.at(map))).collect();
        for (name, adapter) in &self.adapters.adapters {
            let scope = self.tensors().at(&AdapterConfig::prefix(name));
            let tensors = adapter.tensors(self.config.hidden_size).into_iter();
            let of_maps = tensors.filter(|(_, shape)| shape.len() == 2);
            maps.extend(of_maps.filter_map(|(name, _)| Some(scope.at(name.strip_suffix(".weight")?))));
        }
        maps
    }
}

fn quantized_map(scope: &Scope) -> Result<[RawTensor; 2], Error> {
    let tensor = scope.tensor("weight")?;
    check_finite(scope, tensor.values())?;
    let inputs = tensor.shape().last().copied().unwrap_or(1);
    let PackedWeights { values, scales } = PackedWeights::quantize(tensor.values(), inputs);
    let (values, outputs) = (bytemuck::cast_slice(&values).to_vec(), scales.len());
    Ok([
        RawTensor::new(scope.name("weight"), Dtype::I8, vec![values.len()], values),
        RawTensor::new(scope.name(SCALES), Dtype::F32, vec![outputs], bytemuck::cast_slice(&scales).to_vec()),
    ])
}

fn quantized_table(scope: &Scope) -> Result<[RawTensor; 2], Error> {
    let tensor = scope.tensor("weight")?;
    check_finite(scope, tensor.values())?;
    let [rows, columns] = [tensor.shape()[0], tensor.shape().last().copied().unwrap_or(1)];
    let (values, scales) = Nibbles::quantize(tensor.values(), columns);
    let groups = columns.div_ceil(Nibbles::GROUP);
    Ok([
        RawTensor::new(scope.name("weight"), Dtype::U8, vec![rows, columns.div_ceil(2)], values),
        RawTensor::new(scope.name(SCALES), Dtype::BF16, vec![rows, groups], scales),
    ])
}

fn check_finite(scope: &Scope, values: &[f32]) -> Result<(), Error> {
    if values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    let message = format!("the tensor {} has a number that is not finite", scope.name("weight"));
    Err(Error::new(ErrorKind::Damaged, message).with_hint("train or download the model again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nibbles_are_near_their_numbers() {
        for columns in [1, 5, 64, 65, 130] {
            let table: Vec<f32> = (0..3 * columns).map(|at| ((at * 37) % 23) as f32 / 11.0 - 0.9).collect();
            let (values, scales) = Nibbles::quantize(&table, columns);
            let nibbles = Nibbles { values: FileBytes::new(values), scales: FileBytes::new(scales), columns };
            assert_eq!(nibbles.rows(), 3);
            for (number, row) in table.chunks(columns).enumerate() {
                let read = nibbles.row(number).unwrap();
                assert_eq!(read.len(), columns);
                assert!(row.iter().zip(&read).all(|(value, read)| (value - read).abs() < 0.12), "{row:?} {read:?}");
            }
            assert!(nibbles.row(3).is_none());
        }
        let (values, scales) = Nibbles::quantize(&[0.0; 4], 4);
        let zeros = Nibbles { values: FileBytes::new(values), scales: FileBytes::new(scales), columns: 4 };
        assert_eq!(zeros.row(0).unwrap(), [0.0; 4]);
    }
}
