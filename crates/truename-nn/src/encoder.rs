use std::collections::HashMap;

use burn::tensor::{Bool, Device, Tensor, TensorData};
use truename_infer::{Checkpoint, Error, Pooling};

use crate::batch::{Batch, Layout};
use crate::dropout::Dropout;
use crate::layer::{EncoderLayer, Pass, PositionBias, TokenEmbedding, indices};
use crate::parameter::Parameter;

/// An encoder of the BERT family whose parameters are learnt: embeddings, layers, pooling.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    embedding: TokenEmbedding,
    position_bias: Option<PositionBias>,
    layers: Vec<EncoderLayer>,
    pooling: Pooling,
    device: Device,
    is_fused: bool,
}

impl Encoder {
    pub fn load(checkpoint: &Checkpoint, pooling: Pooling, device: &Device) -> Result<Self, Error> {
        let device = device.clone().autodiff();
        let layers = 0..checkpoint.config().num_hidden_layers;
        Ok(Self {
            embedding: TokenEmbedding::load(checkpoint, &device)?,
            position_bias: PositionBias::load(checkpoint, &device)?,
            layers: layers.map(|number| EncoderLayer::load(checkpoint, number, &device)).collect::<Result<_, _>>()?,
            pooling,
            device,
            is_fused: true,
        })
    }

    /// Runs its layers as operations of the tensor library: slower on a CPU, and what the fused ones are checked against.
    #[cfg(test)]
    pub fn composed(mut self) -> Self {
        self.is_fused = false;
        self
    }

    /// The first `layers` layers keep their values, and with `embeddings` so do the tables below them.
    pub fn freeze(&mut self, embeddings: bool, layers: usize) {
        if embeddings {
            self.embedding.parameters().into_iter().for_each(Parameter::freeze);
        }
        for layer in self.layers.iter_mut().take(layers) {
            layer.parameters().into_iter().for_each(Parameter::freeze);
        }
    }

    /// One vector a text, not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    pub fn forward(&self, batch: &Batch, dropout: Dropout) -> Tensor<2> {
        let layout = batch.layout();
        let longest = layout.longest();
        let bias = self.position_bias.as_ref().map(|bias| bias.by_distance(longest, &self.device));
        let mut states = self.embedding.forward(batch, &layout, dropout.at(0), &self.device);
        for (number, layer) in self.layers.iter().enumerate() {
            let dropout = dropout.at(1 + number as u64);
            let pass = Pass { layout: &layout, bias: bias.clone(), dropout, is_fused: self.is_fused };
            states = layer.forward(states, &pass);
        }
        pool(self.pooling, states, &layout)
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters = self.embedding.parameters();
        parameters.extend(self.position_bias.iter_mut().flat_map(PositionBias::parameters));
        parameters.extend(self.layers.iter_mut().flat_map(EncoderLayer::parameters));
        parameters
    }

    /// The values of all parameters, by name.
    pub fn values(&mut self) -> HashMap<String, Vec<f32>> {
        self.parameters().into_iter().map(|parameter| (parameter.name().to_owned(), parameter.values())).collect()
    }
}

/// How the vectors of a text's tokens become one.
///
/// # Shapes
/// `states: [tokens, hidden]`, output: `[texts, hidden]`
fn pool(pooling: Pooling, states: Tensor<2>, layout: &Layout) -> Tensor<2> {
    let device = states.device();
    let ([tokens, hidden], texts) = (states.dims(), layout.texts().len());
    match pooling {
        Pooling::Mean => {
            let mut shares = vec![0.0f32; texts * tokens];
            for (number, text) in layout.texts().iter().enumerate() {
                shares[number * tokens..][text.clone()].fill(1.0 / text.len() as f32);
            }
            Tensor::<2>::from_data(TensorData::new(shares, [texts, tokens]), &device).matmul(states)
        }
        Pooling::Cls => {
            let first = layout.texts().iter().map(|text| text.start as i32).collect();
            states.select(0, indices(first, &device))
        }
        Pooling::Max => {
            let longest = layout.longest();
            let padded = states.select(0, indices(layout.padded_rows(), &device)).reshape([texts, longest, hidden]);
            let padding = TensorData::new(layout.is_padding(), [texts, longest, 1]);
            let padding = Tensor::<3, Bool>::from_data(padding, &device.without_autodiff());
            padded.mask_fill(padding.expand([texts, longest, hidden]), f32::MIN).max_dim(1).squeeze_dim(1)
        }
        other => unreachable!("no pooling by {other}"),
    }
}
