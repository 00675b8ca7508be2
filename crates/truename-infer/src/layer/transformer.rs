//! A transformer layer: attention and feed-forward.

use super::{Activation, Attention, AttentionScratch, FeedForward, Linear, Norm, PositionBias};
use crate::batch::Batch;
use crate::weights::Scope;
use crate::{Error, TensorNames};

/// Attention and feed-forward, each with its residual and, after it, its norm.
pub(crate) struct Layer {
    pub attention: Attention,
    pub attention_norm: Norm,
    pub feed_forward: FeedForward,
    pub feed_forward_norm: Norm,
}

impl Layer {
    /// Computes the states after the layer, in place.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`
    pub fn run(
        &self,
        batch: &Batch,
        hidden: &mut [f32],
        bias: Option<&PositionBias>,
        attention: &mut AttentionScratch,
        inner: &mut Vec<f32>,
    ) {
        self.attention.add(batch, hidden, bias, attention);
        self.attention_norm.apply(hidden);
        self.feed_forward.add(hidden, inner);
        self.feed_forward_norm.apply(hidden);
    }
}

/// Sizes of a transformer layer.
pub(crate) struct LayerSizes {
    pub hidden: usize,
    pub inner: usize,
    pub heads: usize,
    pub epsilon: f32,
    pub activation: Activation,
}

impl LayerSizes {
    /// Loads a layer with these sizes.
    pub fn load(&self, names: &TensorNames, layer: &Scope) -> Result<Layer, Error> {
        let Self { hidden, inner, heads, epsilon, activation } = *self;
        let linear = |name, inputs, outputs| Linear::load(&layer.at(name), inputs, outputs);
        let norm = |name| Norm::load(&layer.at(name), hidden, epsilon);
        let query_key_value = [names.query, names.key, names.value].map(|name| layer.at(name));
        Ok(Layer {
            attention: Attention {
                query_key_value: Linear::load_all(&query_key_value, hidden, hidden)?,
                output: linear(names.attention_output, hidden, hidden)?,
                heads,
            },
            attention_norm: norm(names.attention_norm)?,
            feed_forward: FeedForward {
                up: linear(names.up, hidden, inner)?,
                down: linear(names.down, inner, hidden)?,
                activation,
            },
            feed_forward_norm: norm(names.feed_forward_norm)?,
        })
    }
}
