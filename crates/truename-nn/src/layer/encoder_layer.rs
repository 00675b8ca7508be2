//! Encoder layers of the BERT family: fused on the CPU, composed elsewhere.

use burn_tensor::{Device, Tensor};
use truename_infer::{Error, TransformerCheckpoint};

use super::pass::Pass;
use super::{Attention, FeedForward, Linear, Norm, dropped};
use crate::fused::{self, LayerShape, PerInput, PerParameter, primitive};
use crate::parameter::Parameter;

/// Attention and feed-forward, each with its dropout, its residual and, after it, its norm.
#[derive(Clone, Debug)]
pub(crate) struct EncoderLayer {
    pub attention: Attention,
    pub attention_norm: Norm,
    pub feed_forward: FeedForward,
    pub feed_forward_norm: Norm,
}

impl EncoderLayer {
    pub fn load(checkpoint: &TransformerCheckpoint, number: usize, device: &Device) -> Result<Self, Error> {
        let config = checkpoint.config();
        let (hidden, inner, epsilon) = (config.hidden_size, config.intermediate_size, config.layer_norm_eps);
        let names = checkpoint.names();
        let scope = checkpoint.encoder().at(&names.layer(number));
        let linear = |name: &str, inputs, outputs| Linear::load(&scope.at(name), inputs, outputs, device);
        let norm = |name: &str| Norm::load(&scope.at(name), hidden, epsilon, device);
        Ok(Self {
            attention: Attention {
                query: linear(names.query, hidden, hidden)?,
                key: linear(names.key, hidden, hidden)?,
                value: linear(names.value, hidden, hidden)?,
                output: linear(names.attention_output, hidden, hidden)?,
                heads: config.num_attention_heads,
            },
            attention_norm: norm(names.attention_norm)?,
            feed_forward: FeedForward {
                up: linear(names.up, hidden, inner)?,
                down: linear(names.down, inner, hidden)?,
                activation: checkpoint.activation()?,
            },
            feed_forward_norm: norm(names.feed_forward_norm)?,
        })
    }

    /// # Shapes
    /// `states: [tokens, hidden]`, output: the same
    pub fn forward(&self, states: Tensor<2>, pass: &Pass) -> Tensor<2> {
        if pass.is_fused && fused::runs_on(&states.device()) {
            return self.fused(states, pass);
        }
        let attended = dropped(self.attention.forward(states.clone(), pass), pass.dropout.at(1));
        let states = self.attention_norm.forward(states + attended);
        let fed = dropped(self.feed_forward.forward(states.clone()), pass.dropout.at(2));
        self.feed_forward_norm.forward(states + fed)
    }

    /// The layer as one operation.
    fn fused(&self, states: Tensor<2>, pass: &Pass) -> Tensor<2> {
        let (attention, feed_forward) = (&self.attention, &self.feed_forward);
        let ([_, width], device) = (states.dims(), states.device());
        let pair = |weight: &Parameter, bias: &Parameter| {
            let [weight, bias] = [weight, bias].map(|parameter| primitive(parameter.vector()));
            PerParameter { weight, bias }
        };
        let map = |linear: &Linear| pair(&linear.weight, &linear.bias);
        let norm = |norm: &Norm| pair(&norm.scale, &norm.shift);
        let no_bias = || Tensor::<2>::zeros([1, 1], &device);
        let inputs = PerInput {
            states: primitive(states),
            query: map(&attention.query),
            key: map(&attention.key),
            value: map(&attention.value),
            output: map(&attention.output),
            attention_norm: norm(&self.attention_norm),
            up: map(&feed_forward.up),
            down: map(&feed_forward.down),
            norm: norm(&self.feed_forward_norm),
            bias: primitive(pass.bias.clone().unwrap_or_else(no_bias)),
        };
        let shape = LayerShape {
            layout: pass.layout.clone(),
            width,
            heads: attention.heads,
            epsilons: [self.attention_norm.epsilon, self.feed_forward_norm.epsilon],
            activation: feed_forward.activation,
            dropout: pass.dropout,
            has_bias: pass.bias.is_some(),
        };
        fused::encoder_layer(inputs, shape)
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters: Vec<&mut Parameter> = self.attention.parameters().collect();
        parameters.extend(self.attention_norm.parameters());
        parameters.extend(self.feed_forward.parameters());
        parameters.extend(self.feed_forward_norm.parameters());
        parameters
    }
}
