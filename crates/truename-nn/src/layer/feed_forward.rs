//! The feed-forward part of an encoder layer.

use burn_tensor::Tensor;
use burn_tensor::activation::{gelu, gelu_approximate, relu, silu};

use truename_infer::Activation;

use super::Linear;
use crate::parameter::Parameter;

/// `W₂ f(W₁ x + b₁) + b₂` with the activation `f`, or with a gate in place of it.
#[derive(Clone, Debug)]
pub(crate) struct FeedForward {
    /// One map, or those of the two halves of a gate.
    pub up: Vec<Linear>,
    pub down: Linear,
    pub activation: Activation,
    /// True where the first half of the inner numbers, activated, is multiplied by the other half (Shazeer 2020).
    pub is_gated: bool,
}

impl FeedForward {
    /// # Shapes
    /// `states: [tokens, hidden]`, output: the same
    pub fn forward(&self, states: Tensor<2>) -> Tensor<2> {
        let inner = Tensor::cat(self.up.iter().map(|map| map.forward(states.clone())).collect(), 1);
        let activated = if self.is_gated {
            let half = inner.dims()[1] / 2;
            activate(self.activation, inner.clone().narrow(1, 0, half)) * inner.narrow(1, half, half)
        } else {
            activate(self.activation, inner)
        };
        self.down.forward(activated)
    }

    pub fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        let Self { up, down, .. } = self;
        up.iter_mut().chain([down]).flat_map(Linear::parameters)
    }
}

pub(super) fn activate(activation: Activation, input: Tensor<2>) -> Tensor<2> {
    match activation {
        Activation::Gelu => gelu(input),
        Activation::GeluTanh => gelu_approximate(input),
        Activation::Relu => relu(input),
        Activation::Silu => silu(input),
    }
}
