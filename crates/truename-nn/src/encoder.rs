use std::collections::HashMap;

use burn_tensor::{Device, Tensor};
use truename_infer::{Checkpoint, Error, Pooling};

use crate::batch::Batch;
use crate::characters::Characters;
use crate::dropout::Dropout;
use crate::parameter::Parameter;
use crate::transformer::Transformer;

/// An encoder that learns.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    network: Network,
    is_fused: bool,
}

#[derive(Clone, Debug)]
enum Network {
    Transformer(Box<Transformer>),
    Characters(Box<Characters>),
}

impl Encoder {
    /// An encoder of characters takes the mean, whatever `pooling` is.
    pub fn load(checkpoint: &Checkpoint, pooling: Option<Pooling>, device: &Device) -> Result<Self, Error> {
        let device = device.clone().autodiff();
        let network = match checkpoint {
            Checkpoint::Transformer(checkpoint) => {
                let pooling = pooling.unwrap_or(checkpoint.pooling());
                Network::Transformer(Box::new(Transformer::load(checkpoint, pooling, &device)?))
            }
            Checkpoint::Characters(checkpoint) => Network::Characters(Box::new(Characters::load(checkpoint, &device)?)),
            _ => unreachable!("a kind of encoder that does not learn"),
        };
        Ok(Self { network, is_fused: true })
    }

    /// Runs its layers as operations of the tensor library: slower on a CPU, and what the fused ones are checked against.
    #[cfg(test)]
    pub fn composed(mut self) -> Self {
        self.is_fused = false;
        self
    }

    /// The first `layers` layers keep their values, and with `embeddings` so do the tables below them.
    pub fn freeze(&mut self, embeddings: bool, layers: usize) {
        match &mut self.network {
            Network::Transformer(encoder) => encoder.freeze(embeddings, layers),
            Network::Characters(encoder) => encoder.freeze(embeddings, layers),
        }
    }

    /// One vector a text, not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    pub fn forward(&self, batch: &Batch, dropout: Dropout) -> Tensor<2> {
        match &self.network {
            Network::Transformer(encoder) => encoder.forward(batch, dropout, self.is_fused),
            Network::Characters(encoder) => encoder.forward(batch, dropout, self.is_fused),
        }
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        match &mut self.network {
            Network::Transformer(encoder) => encoder.parameters(),
            Network::Characters(encoder) => encoder.parameters(),
        }
    }

    /// The values of all parameters, by name.
    pub fn values(&mut self) -> HashMap<String, Vec<f32>> {
        self.parameters().into_iter().map(|parameter| (parameter.name().to_owned(), parameter.values())).collect()
    }
}
