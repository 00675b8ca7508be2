use burn::tensor::Tensor;
use burn::tensor::activation::{gelu, gelu_approximate, relu};

use super::Linear;
use crate::parameter::Parameter;

/// `W₂ f(W₁ x + b₁) + b₂`, with the activation `f`.
#[derive(Clone, Debug)]
pub(crate) struct FeedForward {
    pub up: Linear,
    pub down: Linear,
    pub activation: Activation,
}

/// What stands between the two maps of [`FeedForward`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// `x Φ(x)`, by the error function (Hendrycks and Gimpel 2016).
    Gelu,
    /// The same by the hyperbolic tangent, as in the code of GPT-2.
    GeluTanh,
    Relu,
}

impl Activation {
    /// The activation that `config.json` names, where it is one of these.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "gelu" => Some(Self::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" => Some(Self::GeluTanh),
            "relu" => Some(Self::Relu),
            _ => None,
        }
    }

    pub fn forward(self, input: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Gelu => gelu(input),
            Self::GeluTanh => gelu_approximate(input),
            Self::Relu => relu(input),
        }
    }
}

impl FeedForward {
    /// # Shapes
    /// `states: [tokens, hidden]`, output: the same
    pub fn forward(&self, states: Tensor<2>) -> Tensor<2> {
        self.down.forward(self.activation.forward(self.up.forward(states)))
    }

    pub fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        let Self { up, down, .. } = self;
        [up, down].into_iter().flat_map(Linear::parameters)
    }
}
