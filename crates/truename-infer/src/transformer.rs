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

/// Everything that a forward pass writes; used again for batch after batch, so that none allocates.
#[derive(Default)]
pub(crate) struct Workspace {
    pub batch: Batch,
    hidden: Vec<f32>,
    attention: AttentionScratch,
    inner: Vec<f32>,
}

impl Transformer {
    /// The hidden states after the last layer, one row a token of the workspace's batch.
    ///
    /// # Shapes
    /// output: `[tokens, hidden]`
    pub fn hidden_states<'a>(&self, workspace: &'a mut Workspace) -> Result<(&'a Batch, &'a [f32]), Error> {
        let Workspace { batch, hidden, attention, inner } = workspace;
        let hidden = sized(hidden, batch.len() * self.hidden);
        self.embedding.write(batch, hidden)?;
        for layer in &self.layers {
            layer.attention.add(batch, hidden, self.position_bias.as_ref(), attention);
            layer.attention_norm.apply(hidden);
            layer.feed_forward.add(hidden, inner);
            layer.feed_forward_norm.apply(hidden);
        }
        Ok((batch, hidden))
    }
}
