//! Activations of feed-forward parts.

use std::path::Path;

use rten_simd::SimdUnaryOp;
use rten_vecmath::{ApproxGelu, Gelu, Silu};

use crate::{Error, error};

/// The activation between the two maps of a feed-forward part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `x Φ(x)`, by the error function (Hendrycks and Gimpel 2016).
    Gelu,
    /// The same by the hyperbolic tangent, as in the code of GPT-2.
    GeluTanh,
    /// `max(x, 0)`
    Relu,
    /// `x / (1 + exp(−x))`
    Silu,
}

impl Activation {
    /// The activation that `config.json` names.
    pub(crate) fn named(name: &str, path: &Path) -> Result<Self, Error> {
        match name {
            "gelu" => Ok(Self::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" => Ok(Self::GeluTanh),
            "relu" => Ok(Self::Relu),
            "silu" | "swish" | "swiglu" => Ok(Self::Silu),
            _ => Err(error::setting(path, "hidden_act", name, "gelu, gelu_new, gelu_pytorch_tanh, relu and silu")),
        }
    }

    pub(crate) fn apply(self, values: &mut [f32]) {
        match self {
            Self::Gelu => Gelu {}.map_mut(values),
            Self::GeluTanh => ApproxGelu {}.map_mut(values),
            Self::Relu => values.iter_mut().for_each(|value| *value = value.max(0.0)),
            Self::Silu => Silu {}.map_mut(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_those_of_pytorch() {
        // import torch; x = torch.tensor([-100, -3, -0.5, 0, 0.5, 3, 100.]); f = torch.nn.functional
        // f.gelu(x), f.gelu(x, approximate="tanh"), f.relu(x), f.silu(x)
        let inputs = [-100.0, -3.0, -0.5, 0.0, 0.5, 3.0, 100.0];
        let cases = [
            (Activation::Gelu, [0.0, -0.00404987, -0.1542688, 0.0, 0.3457312, 2.99595, 100.0]),
            (Activation::GeluTanh, [0.0, -0.00363743, -0.154286, 0.0, 0.345714, 2.996363, 100.0]),
            (Activation::Relu, [0.0, 0.0, 0.0, 0.0, 0.5, 3.0, 100.0]),
            (Activation::Silu, [0.0, -0.1422776, -0.1887703, 0.0, 0.3112297, 2.8577224, 100.0]),
        ];
        for (activation, expected) in cases {
            let mut values = inputs;
            activation.apply(&mut values);
            assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 3e-6), "{activation:?} {values:?}");
        }
    }
}
