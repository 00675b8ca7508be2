//! Dense layers behind the pooling, as sentence-transformers has them.

use rten_simd::SimdUnaryOp;
use rten_vecmath::Tanh;

use crate::config::DenseConfig;
use crate::hash::Fingerprint;
use crate::layer::{Activation, Linear};
use crate::weights::Weights;
use crate::{Error, error};

/// `f(W x + b)` of a pooled vector.
pub(crate) struct Dense {
    map: Linear,
    activation: DenseActivation,
}

#[derive(Clone, Copy)]
enum DenseActivation {
    Identity,
    Tanh,
    Of(Activation),
}

impl Dense {
    /// Loads a layer that follows vectors of so many dimensions.
    pub fn load(config: &DenseConfig, dimensions: usize, fingerprint: &mut Fingerprint) -> Result<Self, Error> {
        let path = config.folder.join("config.json");
        if config.in_features != dimensions {
            return Err(error::setting(&path, "in_features", config.in_features, dimensions));
        }
        let activation = match config.activation_function.rsplit('.').next().unwrap_or_default() {
            "Identity" => DenseActivation::Identity,
            "Tanh" => DenseActivation::Tanh,
            "ReLU" => DenseActivation::Of(Activation::Relu),
            "GELU" => DenseActivation::Of(Activation::Gelu),
            "SiLU" => DenseActivation::Of(Activation::Silu),
            other => {
                let known = "Identity, Tanh, ReLU, GELU and SiLU";
                return Err(error::setting(&path, "activation_function", other, known));
            }
        };
        let weights = Weights::open(&config.folder)?;
        fingerprint.add(weights.bytes());
        let map = weights.whole().at("linear");
        let map = if config.bias { map } else { map.with_optional_biases() };
        Ok(Self { map: Linear::load(&map, config.in_features, config.out_features)?, activation })
    }

    /// Dimensions of its vectors.
    pub fn dimensions(&self) -> usize {
        self.map.outputs()
    }

    /// # Shapes
    /// `input: [texts, inputs]`, output: `[texts, dimensions]`
    pub fn forward(&self, input: &[f32], texts: usize) -> Vec<f32> {
        let mut output = vec![0.0; texts * self.dimensions()];
        self.map.apply(input, &mut output);
        match self.activation {
            DenseActivation::Identity => {}
            DenseActivation::Tanh => Tanh {}.map_mut(&mut output),
            DenseActivation::Of(activation) => activation.apply(&mut output),
        }
        output
    }
}
