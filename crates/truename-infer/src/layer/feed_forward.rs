//! The feed-forward part of a layer, and its activations.

use std::cell::RefCell;
use std::path::Path;

use rayon::prelude::*;
use rten_simd::SimdUnaryOp;
use rten_vecmath::{ApproxGelu, Gelu};

use super::{Linear, sized};
use crate::{Error, error};

thread_local! {
    /// Scratch of rows that are computed together.
    static INNER: RefCell<Vec<f32>> = RefCell::default();
}

/// `x + W₂ f(W₁ x + b₁) + b₂`, with the activation `f`.
pub(crate) struct FeedForward {
    pub up: Linear,
    pub down: Linear,
    pub activation: Activation,
}

impl FeedForward {
    /// Adds the result to `hidden`; `inner` is scratch.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`
    pub fn add(&self, hidden: &mut [f32], inner: &mut Vec<f32>) {
        if self.up.is_int8() {
            let rows = hidden.par_chunks_mut(Linear::INT8_ROWS * self.down.outputs());
            rows.for_each(|rows| INNER.with_borrow_mut(|inner| self.add_rows(rows, inner)));
        } else {
            self.add_rows(hidden, inner);
        }
    }

    fn add_rows(&self, hidden: &mut [f32], inner: &mut Vec<f32>) {
        let tokens = hidden.len() / self.down.outputs();
        let inner = sized(inner, tokens * self.up.outputs());
        self.up.apply(hidden, inner);
        self.activation.apply(inner);
        self.down.add(inner, hidden);
    }
}

/// The activation between the two maps of a feed-forward part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `x Φ(x)`, by the error function (Hendrycks and Gimpel 2016).
    Gelu,
    /// The same by the hyperbolic tangent, as in the code of GPT-2.
    GeluTanh,
    /// `max(x, 0)`
    Relu,
}

impl Activation {
    /// The activation that `config.json` names.
    pub(crate) fn named(name: &str, path: &Path) -> Result<Self, Error> {
        match name {
            "gelu" => Ok(Self::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" => Ok(Self::GeluTanh),
            "relu" => Ok(Self::Relu),
            _ => Err(error::setting(path, "hidden_act", name, "gelu, gelu_new, gelu_pytorch_tanh and relu")),
        }
    }

    pub(crate) fn apply(self, values: &mut [f32]) {
        match self {
            Self::Gelu => Gelu {}.map_mut(values),
            Self::GeluTanh => ApproxGelu {}.map_mut(values),
            Self::Relu => values.iter_mut().for_each(|value| *value = value.max(0.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_those_of_pytorch() {
        // import torch; x = torch.tensor([-100, -3, -0.5, 0, 0.5, 3, 100.]); f = torch.nn.functional
        // f.gelu(x), f.gelu(x, approximate="tanh"), f.relu(x)
        let inputs = [-100.0, -3.0, -0.5, 0.0, 0.5, 3.0, 100.0];
        let cases = [
            (Activation::Gelu, [0.0, -0.00404987, -0.1542688, 0.0, 0.3457312, 2.99595, 100.0]),
            (Activation::GeluTanh, [0.0, -0.00363743, -0.154286, 0.0, 0.345714, 2.996363, 100.0]),
            (Activation::Relu, [0.0, 0.0, 0.0, 0.0, 0.5, 3.0, 100.0]),
        ];
        for (activation, expected) in cases {
            let mut values = inputs;
            activation.apply(&mut values);
            assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 3e-6), "{activation:?} {values:?}");
        }
    }
}
