//! A transformer layer: attention and feed-forward.

use super::{
    Activation, Attention, AttentionPositions, AttentionScratch, FeedForward, FeedForwardScratch, Linear, Norm,
    PartNorm,
};
use crate::batch::Batch;
use crate::weights::Scope;
use crate::{Error, LayerForm, TensorNames};

/// Attention and feed-forward, each with its residual and its norm.
pub(crate) struct Layer {
    pub attention: Attention,
    pub attention_norm: PartNorm,
    pub feed_forward: FeedForward,
}

/// Buffers of a layer, kept from batch to batch.
#[derive(Default)]
pub(crate) struct LayerScratch {
    attention: AttentionScratch,
    normed: Vec<f32>,
    feed_forward: FeedForwardScratch,
}

impl Layer {
    /// Computes the states after the layer, in place.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`
    pub fn run(&self, batch: &Batch, hidden: &mut [f32], scratch: &mut LayerScratch) {
        let input = self.attention_norm.before(hidden, &mut scratch.normed);
        let context = self.attention.context(batch, input, &mut scratch.attention);
        self.attention.output.add(context, hidden, &self.attention_norm);
        self.feed_forward.run(hidden, &mut scratch.feed_forward);
    }

    /// Returns how much a token of a sequence attends to each, as the mean over the heads; they sum to 1.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`, before the layer
    pub fn attention_weights(&self, hidden: &[f32], token: usize) -> Vec<f32> {
        self.attention.weights(self.attention_norm.before(hidden, &mut Vec::new()), token)
    }
}

/// Sizes of a transformer layer.
pub(crate) struct LayerSizes {
    pub hidden: usize,
    pub inner: usize,
    pub heads: usize,
    pub epsilon: f32,
    pub activation: Activation,
    pub form: LayerForm,
}

impl LayerSizes {
    /// Loads a layer with these sizes.
    pub fn load(&self, names: &TensorNames, layer: &Scope, positions: AttentionPositions) -> Result<Layer, Error> {
        let norm = |name| {
            let norm = Norm::load(&layer.at(name), self.hidden, self.epsilon)?;
            Ok(if self.form.has_norms_before { PartNorm::Before(norm) } else { PartNorm::After(norm) })
        };
        let attention_norm = self.form.has_attention_norm.then(|| norm(names.attention_norm)).transpose()?;
        Ok(Layer {
            attention: self.attention(names, layer, positions)?,
            attention_norm: attention_norm.unwrap_or(PartNorm::None),
            feed_forward: self.feed_forward(names, layer, norm(names.feed_forward_norm)?)?,
        })
    }

    fn attention(&self, names: &TensorNames, layer: &Scope, positions: AttentionPositions) -> Result<Attention, Error> {
        let maps: Vec<Scope> = names.query_key_value.iter().map(|name| layer.at(name)).collect();
        Ok(Attention {
            query_key_value: Linear::load_all(&maps, self.hidden, 3 * self.hidden / maps.len())?,
            output: Linear::load(&layer.at(names.attention_output), self.hidden, self.hidden)?,
            heads: self.heads,
            positions,
        })
    }

    fn feed_forward(&self, names: &TensorNames, layer: &Scope, norm: PartNorm) -> Result<FeedForward, Error> {
        let maps: Vec<Scope> = names.up.iter().map(|name| layer.at(name)).collect();
        let halves = if self.form.is_gated { 2 } else { 1 };
        Ok(FeedForward {
            up: Linear::load_all(&maps, self.hidden, self.inner.saturating_mul(halves) / maps.len())?,
            down: Linear::load(&layer.at(names.down), self.inner, self.hidden)?,
            activation: self.activation,
            is_gated: self.form.is_gated,
            norm,
        })
    }
}
