//! Encoders of the BERT family that learn: embeddings, layers, pooling.

use burn_tensor::{Device, Tensor};
use truename_infer::{Batch, Error, Pooling, TransformerCheckpoint};

use crate::adapter::Adapters;
use crate::dropout::Dropout;
use crate::layer::{DistanceTable, EncoderLayer, Norm, Pass, PositionBias, TokenEmbedding};
use crate::layout::Layout;
use crate::parameter::Parameter;
use crate::pooling::pool;

/// An encoder of the BERT family that learns: embeddings, layers, pooling.
#[derive(Clone, Debug)]
pub(crate) struct Transformer {
    embedding: TokenEmbedding,
    position_bias: Option<PositionBias>,
    distances: Option<DistanceTable>,
    layers: Vec<EncoderLayer>,
    last_norm: Option<Norm>,
    pub(crate) adapters: Option<Adapters>,
    pooling: Pooling,
    /// True where the states of a text's entity are pooled, if it has one.
    pools_entities: bool,
    device: Device,
}

impl Transformer {
    pub fn load(checkpoint: &TransformerCheckpoint, pooling: Pooling, device: &Device) -> Result<Self, Error> {
        let (config, layers) = (checkpoint.config(), 0..checkpoint.config().num_hidden_layers);
        let norm = |name| Norm::load(&checkpoint.encoder().at(name), config.hidden_size, config.layer_norm_eps, device);
        Ok(Self {
            embedding: TokenEmbedding::load(checkpoint, device)?,
            position_bias: PositionBias::load(checkpoint, device)?,
            distances: DistanceTable::load(checkpoint, device)?,
            layers: layers.map(|number| EncoderLayer::load(checkpoint, number, device)).collect::<Result<_, _>>()?,
            last_norm: checkpoint.names().last_norm.map(norm).transpose()?,
            adapters: Adapters::load(checkpoint, device)?,
            pooling,
            pools_entities: false,
            device: device.clone(),
        })
    }

    /// Pools the states of a text's entity from here on, if it has one.
    pub fn pool_entities(&mut self) {
        self.pools_entities = true;
    }

    /// Returns one vector a text, not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    pub fn vectors(&self, batch: &Batch, dropout: Dropout, is_fused: bool) -> Tensor<2> {
        let layout = if self.pools_entities { Layout::of_pooled_entities(batch) } else { Layout::of(batch) };
        pool(self.pooling, self.states(batch, dropout, is_fused), &layout)
    }

    /// Returns the states of all tokens after the last layer, those of adapters in them.
    ///
    /// # Shapes
    /// output: `[tokens, width]`
    pub fn states(&self, batch: &Batch, dropout: Dropout, is_fused: bool) -> Tensor<2> {
        let layout = Layout::of(batch);
        let longest = layout.longest();
        let distances = self.distances.as_ref().map(|table| table.distances(longest, &self.device));
        let positions: Vec<u32> = batch.positions().collect();
        let bias = self.position_bias.as_ref().map(|bias| bias.by_distance(longest, &self.device));
        let mut states = self.embedding.forward(batch, dropout.at(0), &self.device);
        let mut of_layers = Vec::new();
        for (number, layer) in self.layers.iter().enumerate() {
            let dropout = dropout.at(1 + number as u64);
            let pass = Pass {
                layout: &layout,
                positions: &positions,
                bias: bias.clone(),
                distances: distances.clone(),
                dropout,
                is_fused,
            };
            states = layer.forward(states, &pass);
            of_layers.extend(self.adapters.is_some().then(|| states.clone()));
        }
        if let Some(norm) = &self.last_norm {
            states = norm.forward(states);
            if let Some(last) = of_layers.last_mut() {
                last.clone_from(&states);
            }
        }
        match &self.adapters {
            Some(adapters) => adapters.features(&of_layers, batch, dropout, is_fused),
            None => states,
        }
    }

    /// # Shapes
    /// output: `[vocabulary, hidden]`
    pub fn words(&self) -> Tensor<2> {
        self.embedding.words()
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters = self.embedding.parameters();
        parameters.extend(self.position_bias.iter_mut().flat_map(PositionBias::parameters));
        parameters.extend(self.distances.iter_mut().flat_map(DistanceTable::parameters));
        parameters.extend(self.layers.iter_mut().flat_map(EncoderLayer::parameters));
        parameters.extend(self.last_norm.iter_mut().flat_map(Norm::parameters));
        parameters.extend(self.adapters.iter_mut().flat_map(Adapters::parameters));
        parameters.retain(|parameter| !parameter.is_constant());
        parameters
    }
}
