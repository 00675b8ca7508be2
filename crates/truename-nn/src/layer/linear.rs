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
    pub fn load(scope: &Scope, inputs: usize, outputs: usize, device: &Device) -> Result<Self, Error> {
        let weight = Parameter::load(scope, "weight", &[outputs, inputs], device)?;
        Ok(Self { weight, bias: Parameter::load(scope, "bias", &[outputs], device)? })
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
