//! Layer norm.

use burn_tensor::{Device, Tensor};
use truename_infer::{Error, Scope};

use crate::parameter::Parameter;

/// Layer norm (Ba, Kiros and Hinton 2016): `y = (x − mean) / √(variance + ε) · scale + shift` over each row.
#[derive(Clone, Debug)]
pub(crate) struct Norm {
    pub scale: Parameter,
    pub shift: Parameter,
    pub epsilon: f32,
}

impl Norm {
    pub fn load(scope: &Scope, width: usize, epsilon: f32, device: &Device) -> Result<Self, Error> {
        let [scale, shift] = scope.norm_names();
        let scale = Parameter::load(scope, scale, &[width], device)?;
        Ok(Self { scale, shift: Parameter::load_bias(scope, shift, width, device)?, epsilon })
    }

    /// # Shapes
    /// `input: [rows, width]`, output: the same
    pub fn forward(&self, input: Tensor<2>) -> Tensor<2> {
        let centred = input.clone() - input.mean_dim(1);
        let variance = centred.clone().square().mean_dim(1);
        let normed = centred / (variance + self.epsilon).sqrt();
        normed * self.scale.vector().unsqueeze() + self.shift.vector().unsqueeze()
    }

    pub fn parameters(&mut self) -> [&mut Parameter; 2] {
        [&mut self.scale, &mut self.shift]
    }
}
