use burn_tensor::{Device, Tensor};
use truename_infer::{Error, Pooling, TransformerCheckpoint};

use crate::dropout::Dropout;
use crate::layer::{EncoderLayer, Pass, PositionBias, TokenEmbedding};
use crate::parameter::Parameter;
use crate::pooling::pool;
use crate::texts::Texts;

/// An encoder of the BERT family whose parameters are learnt: embeddings, layers, pooling.
#[derive(Clone, Debug)]
pub(crate) struct Transformer {
    embedding: TokenEmbedding,
    position_bias: Option<PositionBias>,
    layers: Vec<EncoderLayer>,
    pooling: Pooling,
    device: Device,
}

impl Transformer {
    pub fn load(checkpoint: &TransformerCheckpoint, pooling: Pooling, device: &Device) -> Result<Self, Error> {
        let layers = 0..checkpoint.config().num_hidden_layers;
        Ok(Self {
            embedding: TokenEmbedding::load(checkpoint, device)?,
            position_bias: PositionBias::load(checkpoint, device)?,
            layers: layers.map(|number| EncoderLayer::load(checkpoint, number, device)).collect::<Result<_, _>>()?,
            pooling,
            device: device.clone(),
        })
    }

    /// One vector a text, not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    pub fn forward(&self, texts: &Texts, dropout: Dropout, is_fused: bool) -> Tensor<2> {
        let layout = texts.layout();
        let longest = layout.longest();
        let bias = self.position_bias.as_ref().map(|bias| bias.by_distance(longest, &self.device));
        let mut states = self.embedding.forward(texts, &layout, dropout.at(0), &self.device);
        for (number, layer) in self.layers.iter().enumerate() {
            let dropout = dropout.at(1 + number as u64);
            let pass = Pass { layout: &layout, bias: bias.clone(), dropout, is_fused };
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
}
