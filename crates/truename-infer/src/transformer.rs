//! Encoders of the BERT family: embeddings, layers, and the buffers of a pass.

use crate::Error;
use crate::adapter::{AdapterScratch, Adapters};
use crate::batch::Batch;
use crate::layer::{Layer, LayerScratch, Norm, TokenEmbedding, sized};

/// An encoder of the BERT family: embeddings, then layers.
pub(crate) struct Transformer {
    pub embedding: TokenEmbedding,
    pub layers: Vec<Layer>,
    /// Norm of the states after the last layer.
    pub last_norm: Option<Norm>,
    pub hidden: usize,
    pub adapters: Option<Adapters>,
}

/// Buffers of a forward pass; used again for batch after batch, so that none allocates.
#[derive(Default)]
pub(crate) struct Workspace {
    pub batch: Batch,
    hidden: Vec<f32>,
    embeddings: Vec<f32>,
    layer: LayerScratch,
    adapters: AdapterScratch,
}

impl Transformer {
    /// Runs the layers on the workspace's batch and returns the states after the last, those of the adapters in them. `visit` sees the
    /// states after each layer on the way, those of the embeddings as layer 0.
    ///
    /// # Shapes
    /// output: `[tokens, width]`
    pub fn run<'a>(
        &self,
        workspace: &'a mut Workspace,
        mut visit: impl FnMut(usize, &[f32]),
    ) -> Result<(&'a Batch, &'a [f32]), Error> {
        let Workspace { batch, hidden, embeddings, layer: layer_scratch, adapters: scratch } = workspace;
        if let Some(adapters) = &self.adapters {
            adapters.begin(batch, scratch);
        }
        let hidden = sized(hidden, batch.tokens().len() * self.hidden);
        self.embedding.write(batch, hidden, embeddings)?;
        visit(0, hidden);
        for (number, layer) in self.layers.iter().enumerate() {
            layer.run(batch, hidden, layer_scratch);
            if let Some(norm) = self.last_norm.as_ref().filter(|_| number + 1 == self.layers.len()) {
                norm.apply(hidden);
            }
            if let Some(adapters) = &self.adapters {
                adapters.run(batch, number, hidden, scratch);
            }
            if number + 1 < self.layers.len() {
                visit(number + 1, hidden);
            }
        }
        let states = match &self.adapters {
            Some(adapters) => adapters.features(self.hidden, hidden, scratch),
            None => hidden,
        };
        if !self.layers.is_empty() {
            visit(self.layers.len(), states);
        }
        Ok((batch, states))
    }
}
