use std::collections::HashMap;

use burn::tensor::{Device, Tensor};
use truename_infer::{Checkpoint, Error, Pooling};

use crate::batch::Batch;
use crate::characters::Characters;
use crate::dropout::Dropout;
use crate::parameter::Parameter;
use crate::transformer::Transformer;

/// An encoder that learns.
#[derive(Clone, Debug)]
pub(crate) enum Encoder {
    Transformer(Box<Transformer>),
    Characters(Box<Characters>),
}

impl Encoder {
    /// An encoder of characters takes the mean, whatever `pooling` is.
    pub fn load(checkpoint: &Checkpoint, pooling: Option<Pooling>, device: &Device) -> Result<Self, Error> {
        let device = device.clone().autodiff();
        Ok(match checkpoint {
            Checkpoint::Transformer(checkpoint) => {
                let pooling = pooling.unwrap_or(checkpoint.pooling());
                Self::Transformer(Box::new(Transformer::load(checkpoint, pooling, &device)?))
            }
            Checkpoint::Characters(checkpoint) => Self::Characters(Box::new(Characters::load(checkpoint, &device)?)),
            _ => unreachable!("a kind of encoder that does not learn"),
        })
    }

    /// The first `layers` layers keep their values, and with `embeddings` so do the tables below them.
    pub fn freeze(&mut self, embeddings: bool, layers: usize) {
        match self {
            Self::Transformer(encoder) => encoder.freeze(embeddings, layers),
            Self::Characters(encoder) => encoder.freeze(embeddings, layers),
        }
    }

    /// One vector a text, not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    pub fn forward(&self, batch: &Batch, dropout: Dropout) -> Tensor<2> {
        match self {
            Self::Transformer(encoder) => encoder.forward(batch, dropout),
            Self::Characters(encoder) => encoder.forward(batch, dropout),
        }
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        match self {
            Self::Transformer(encoder) => encoder.parameters(),
            Self::Characters(encoder) => encoder.parameters(),
        }
    }

    /// The values of all parameters, by name.
    pub fn values(&mut self) -> HashMap<String, Vec<f32>> {
        self.parameters().into_iter().map(|parameter| (parameter.name().to_owned(), parameter.values())).collect()
    }
}
