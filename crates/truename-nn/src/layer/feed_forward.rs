//! The feed-forward part of an encoder layer.

use burn_tensor::Tensor;
use burn_tensor::activation::{gelu, gelu_approximate, relu};

use truename_infer::Activation;

use super::Linear;
use crate::parameter::Parameter;

/// `W₂ f(W₁ x + b₁) + b₂`, with the activation `f`.
#[derive(Clone, Debug)]
pub(crate) struct FeedForward {
    pub up: Linear,
    pub down: Linear,
    pub activation: Activation,
}

impl FeedForward {
    /// # Shapes
    /// `states: [tokens, hidden]`, output: the same
    pub fn forward(&self, states: Tensor<2>) -> Tensor<2> {
        self.down.forward(activate(self.activation, self.up.forward(states)))
    }

    pub fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        let Self { up, down, .. } = self;
        [up, down].into_iter().flat_map(Linear::parameters)
    }
}

pub(super) fn activate(activation: Activation, input: Tensor<2>) -> Tensor<2> {
    match activation {
        Activation::Gelu => gelu(input),
        Activation::GeluTanh => gelu_approximate(input),
        Activation::Relu => relu(input),
    }
}
