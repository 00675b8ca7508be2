//! Model folders in 8 bits: maps of layers in 7-bit weights, tables of tokens in 4 bits.

use std::path::Path;

use safetensors::tensor::Dtype;
use truename_error::ErrorKind;

use crate::checkpoint::TransformerCheckpoint;
use crate::kernels::PackedWeights;
use crate::nibbles::{Nibbles, SCALES, SCHEME};
use crate::weights::{RawTensor, Scope};
use crate::{AdapterConfig, Checkpoint, Error};

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
    fn quantized(&self) -> Result<Vec<RawTensor<'static>>, Error> {
        let mut tensors = Vec::new();
        for map in self.maps() {
            tensors.extend(quantized_map(&map)?);
        }
        let names = self.names();
        for table in std::iter::once(names.words).chain(self.family.position_table(&self.config)) {
            tensors.extend(quantized_table(&self.encoder().at(table))?);
        }
        Ok(tensors)
    }

    /// The maps of the layers and of the adapters.
    fn maps(&self) -> Vec<Scope<'_>> {
        let (names, encoder) = (self.names(), self.encoder());
        let layers = (0..self.config.num_hidden_layers).map(|number| encoder.at(&names.layer(number)));
        let mut maps: Vec<Scope<'_>> = layers.flat_map(|layer| names.maps().map(move |map| layer.at(map))).collect();
        for (name, adapter) in &self.adapters.adapters {
            let scope = self.tensors().at(&AdapterConfig::prefix(name));
            let tensors = adapter.tensors(self.config.hidden_size).into_iter();
            let of_maps = tensors.filter(|(_, shape)| shape.len() == 2);
            maps.extend(of_maps.filter_map(|(name, _)| Some(scope.at(name.strip_suffix(".weight")?))));
        }
        maps
    }
}

fn quantized_map(scope: &Scope) -> Result<[RawTensor<'static>; 2], Error> {
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

fn quantized_table(scope: &Scope) -> Result<[RawTensor<'static>; 2], Error> {
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
