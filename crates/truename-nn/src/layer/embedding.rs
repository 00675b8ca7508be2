//! Embeddings of tokens, positions and segments: the input of the first layer.

use burn_tensor::{Device, Int, Tensor, TensorData};
use truename_infer::{Batch, Error, TransformerCheckpoint};

use super::{Linear, Norm};
use crate::dropout::Dropout;
use crate::parameter::Parameter;

/// The input of the first layer: the sum of a token's, its position's and its segment's vector, normed.
#[derive(Clone, Debug)]
pub(crate) struct TokenEmbedding {
    words: Parameter,
    positions: Option<Parameter>,
    first_position: usize,
    segments: Option<Parameter>,
    norm: Norm,
    /// To the width of the states, where the vectors have another.
    map: Option<Linear>,
}

impl TokenEmbedding {
    pub fn load(checkpoint: &TransformerCheckpoint, device: &Device) -> Result<Self, Error> {
        let (config, names, encoder) = (checkpoint.config(), checkpoint.names(), checkpoint.encoder());
        let (hidden, width) = (config.hidden_size, checkpoint.embedding_width());
        let table = |name: &str, rows| Parameter::load(&encoder.at(name), "weight", &[rows, width], device);
        let map = names.embedding_map.filter(|_| width != hidden);
        let segments = names.segments.filter(|_| checkpoint.segments() > 0);
        Ok(Self {
            words: table(names.words, config.vocab_size)?,
            positions: checkpoint
                .position_table()
                .map(|name| table(name, config.max_position_embeddings))
                .transpose()?,
            first_position: checkpoint.first_position(),
            segments: segments.map(|name| table(name, checkpoint.segments())).transpose()?,
            norm: Norm::load(&encoder.at(names.embedding_norm), width, config.layer_norm_eps, device)?,
            map: map.map(|name| Linear::load(&encoder.at(name), width, hidden, device)).transpose()?,
        })
    }

    /// # Shapes
    /// output: `[tokens, hidden]`
    pub fn forward(&self, batch: &Batch, dropout: Dropout, device: &Device) -> Tensor<2> {
        let words = rows(&self.words, batch.tokens().iter().map(|token| *token as i32).collect(), device);
        let mut sum = words;
        if let Some(table) = &self.positions {
            let positions = batch.positions().map(|position| self.first_position as i32 + position as i32);
            sum = sum + rows(table, positions.collect(), device);
        }
        if let Some(table) = &self.segments {
            sum = sum
                + match batch.segments() {
                    Some(segments) => rows(table, segments.iter().map(|segment| *segment as i32).collect(), device),
                    None => table.matrix().narrow(0, 0, 1),
                };
        }
        let embeddings = dropped(self.norm.forward(sum), dropout);
        self.map.iter().fold(embeddings, |embeddings, map| map.forward(embeddings))
    }

    /// # Shapes
    /// output: `[vocabulary, width]`
    pub fn words(&self) -> Tensor<2> {
        self.words.matrix()
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters = vec![&mut self.words];
        parameters.extend(self.positions.as_mut());
        parameters.extend(self.segments.as_mut());
        parameters.extend(self.norm.parameters());
        parameters.extend(self.map.iter_mut().flat_map(Linear::parameters));
        parameters
    }
}

/// # Shapes
/// output: `[numbers, columns]`
pub(crate) fn rows(table: &Parameter, numbers: Vec<i32>, device: &Device) -> Tensor<2> {
    table.matrix().select(0, indices(numbers, device))
}

pub(crate) fn indices(numbers: Vec<i32>, device: &Device) -> Tensor<1, Int> {
    let len = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [len]), &device.clone().without_autodiff())
}

/// The numbers with the mask of `dropout` over them.
pub(crate) fn dropped<const D: usize>(tensor: Tensor<D>, dropout: Dropout) -> Tensor<D> {
    if dropout.is_none() {
        return tensor;
    }
    let shape = tensor.dims();
    let mask = TensorData::new(dropout.mask(shape.iter().product()), shape);
    let mask = Tensor::from_data(mask, &tensor.device());
    tensor * mask
}
