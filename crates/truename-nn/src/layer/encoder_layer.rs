use burn_tensor::{Device, Tensor};
use truename_infer::{Architecture, Error, TransformerCheckpoint};

use super::{Attention, FeedForward, Linear, Norm, dropped};
use crate::dropout::Dropout;
use crate::fused;
use crate::parameter::Parameter;
use crate::texts::Layout;

/// Attention and feed-forward, each with its dropout, its residual and, after it, its norm.
#[derive(Clone, Debug)]
pub(crate) struct EncoderLayer {
    pub attention: Attention,
    pub attention_norm: Norm,
    pub feed_forward: FeedForward,
    pub feed_forward_norm: Norm,
}

/// What a layer has to know of a step.
#[derive(Clone)]
pub(crate) struct Pass<'a> {
    pub layout: &'a Layout,
    /// MPNet's bias by distance: `[2 longest - 1, heads]`.
    pub bias: Option<Tensor<2>>,
    pub dropout: Dropout,
    /// Whether layers run as one operation where the device has it, and not as the operations that it replaces.
    pub is_fused: bool,
}

impl EncoderLayer {
    pub fn load(checkpoint: &TransformerCheckpoint, number: usize, device: &Device) -> Result<Self, Error> {
        let config = checkpoint.config();
        let (hidden, inner, epsilon) = (config.hidden_size, config.intermediate_size, config.layer_norm_eps);
        let scope = checkpoint.encoder().at(&format!("encoder.layer.{number}"));
        let names = Names::of(checkpoint.architecture());
        let linear = |name: &str, inputs, outputs| Linear::load(&scope.at(name), inputs, outputs, device);
        let norm = |name: &str| Norm::load(&scope.at(name), hidden, epsilon, device);
        Ok(Self {
            attention: Attention {
                query: linear(names.query, hidden, hidden)?,
                key: linear(names.key, hidden, hidden)?,
                value: linear(names.value, hidden, hidden)?,
                output: linear(names.output, hidden, hidden)?,
                heads: config.num_attention_heads,
            },
            attention_norm: norm(names.norm)?,
            feed_forward: FeedForward {
                up: linear("intermediate.dense", hidden, inner)?,
                down: linear("output.dense", inner, hidden)?,
                activation: checkpoint.activation()?,
            },
            feed_forward_norm: norm("output.LayerNorm")?,
        })
    }

    /// # Shapes
    /// `states: [tokens, hidden]`, output: the same
    pub fn forward(&self, states: Tensor<2>, pass: &Pass) -> Tensor<2> {
        if pass.is_fused && fused::runs_on(&states.device()) {
            return fused::encoder_layer(self, states, pass);
        }
        let attended = dropped(self.attention.forward(states.clone(), pass), pass.dropout.at(1));
        let states = self.attention_norm.forward(states + attended);
        let fed = dropped(self.feed_forward.forward(states.clone()), pass.dropout.at(2));
        self.feed_forward_norm.forward(states + fed)
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters: Vec<&mut Parameter> = self.attention.parameters().collect();
        parameters.extend(self.attention_norm.parameters());
        parameters.extend(self.feed_forward.parameters());
        parameters.extend(self.feed_forward_norm.parameters());
        parameters
    }
}

/// What a family calls the parts of its attention.
struct Names {
    query: &'static str,
    key: &'static str,
    value: &'static str,
    output: &'static str,
    norm: &'static str,
}

impl Names {
    fn of(architecture: Architecture) -> Self {
        match architecture {
            Architecture::MpNet => Self {
                query: "attention.attn.q",
                key: "attention.attn.k",
                value: "attention.attn.v",
                output: "attention.attn.o",
                norm: "attention.LayerNorm",
            },
            _ => Self {
                query: "attention.self.query",
                key: "attention.self.key",
                value: "attention.self.value",
                output: "attention.output.dense",
                norm: "attention.output.LayerNorm",
            },
        }
    }
}
