//! Linear maps.

use burn_tensor::{Device, Tensor};
use truename_infer::{Error, Scope};

use crate::parameter::Parameter;

/// `y = x Wᵀ + b`.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub weight: Parameter,
    pub bias: Parameter,
}

impl Linear {
    /// Returns a layer with initial weights and without a bias.
    pub fn untrained(name: &str, inputs: usize, outputs: usize, seed: u64) -> Self {
        let bias = Parameter::new(&format!("{name}.bias"), &[outputs], &vec![0.0; outputs]);
        Self { weight: Parameter::initial(&format!("{name}.weight"), [outputs, inputs], seed), bias }
    }

    pub fn load(scope: &Scope, inputs: usize, outputs: usize, device: &Device) -> Result<Self, Error> {
        let weight = Parameter::load(scope, "weight", &[outputs, inputs], device)?;
        Ok(Self { weight, bias: Parameter::load_bias(scope, "bias", outputs, device)? })
    }

    /// # Shapes
    /// `input: [rows, inputs]`, output: `[rows, outputs]`
    pub fn forward(&self, input: Tensor<2>) -> Tensor<2> {
        input.matmul(self.weight.matrix().transpose()) + self.bias.vector().unsqueeze()
    }

    pub fn parameters(&mut self) -> [&mut Parameter; 2] {
        [&mut self.weight, &mut self.bias]
    }
}
