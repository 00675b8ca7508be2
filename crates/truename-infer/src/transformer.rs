use crate::Error;
use crate::batch::Batch;
use crate::layer::{Attention, AttentionScratch, FeedForward, Norm, PositionBias, TokenEmbedding, sized};

/// An encoder of the BERT family: embeddings, then layers.
pub(crate) struct Transformer {
    pub embedding: TokenEmbedding,
    pub position_bias: Option<PositionBias>,
    pub layers: Vec<Layer>,
    pub hidden: usize,
}

/// Attention and feed-forward, each with its residual and, after it, its norm.
pub(crate) struct Layer {
    pub attention: Attention,
    pub attention_norm: Norm,
    pub feed_forward: FeedForward,
    pub feed_forward_norm: Norm,
}

/// Buffers of a forward pass; used again for batch after batch, so that none allocates.
#[derive(Default)]
pub(crate) struct Workspace {
    pub batch: Batch,
    hidden: Vec<f32>,
    attention: AttentionScratch,
    inner: Vec<f32>,
}

impl Transformer {
    /// Runs the layers on the workspace's batch and returns the states after the last. `visit` sees the states after each
    /// layer on the way, those of the embeddings as layer 0.
    ///
    /// # Shapes
    /// output: `[tokens, hidden]`
    pub fn run<'a>(
        &self,
        workspace: &'a mut Workspace,
        mut visit: impl FnMut(usize, &[f32]),
    ) -> Result<(&'a Batch, &'a [f32]), Error> {
        let Workspace { batch, hidden, attention, inner } = workspace;
        let hidden = sized(hidden, batch.tokens().len() * self.hidden);
        self.embedding.write(batch, hidden)?;
        visit(0, hidden);
        for (number, layer) in self.layers.iter().enumerate() {
            layer.attention.add(batch, hidden, self.position_bias.as_ref(), attention);
            layer.attention_norm.apply(hidden);
            layer.feed_forward.add(hidden, inner);
            layer.feed_forward_norm.apply(hidden);
            visit(number + 1, hidden);
        }
        Ok((batch, hidden))
    }
}
