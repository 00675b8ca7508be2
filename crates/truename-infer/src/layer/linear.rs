//! Linear maps, packed for the kernels.

use crate::Error;
use crate::kernels::{Matrix, Onto, PackedMatrix, multiply_packed};
use crate::weights::Scope;

/// `y = x Wᵀ + b`.
pub(crate) struct Linear {
    weight: PackedMatrix,
    bias: Vec<f32>,
}

impl Linear {
    /// # Shapes
    /// `weight: [outputs, inputs]`, `bias: [outputs]`
    pub fn load(scope: &Scope, inputs: usize, outputs: usize) -> Result<Self, Error> {
        let weight = scope.floats("weight", &[outputs, inputs])?;
        Ok(Self::new(weight.slice(), scope.values("bias", &[outputs])?))
    }

    /// Loads several maps of one input as one, their outputs side by side.
    pub fn load_all(scopes: &[Scope], inputs: usize, outputs: usize) -> Result<Self, Error> {
        let mut weight = Vec::with_capacity(scopes.len() * inputs * outputs);
        let mut bias = Vec::with_capacity(scopes.len() * outputs);
        for scope in scopes {
            weight.extend_from_slice(scope.floats("weight", &[outputs, inputs])?.slice());
            bias.extend_from_slice(scope.floats("bias", &[outputs])?.slice());
        }
        Ok(Self::new(&weight, bias))
    }

    pub fn new(weight: &[f32], bias: Vec<f32>) -> Self {
        Self { weight: Matrix::new(weight, weight.len() / bias.len()).transposed().packed(), bias }
    }

    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// `output = input Wᵀ + b`
    ///
    /// # Shapes
    /// `input: [rows, inputs]`, `output: [rows, outputs]`
    pub fn apply(&self, input: &[f32], output: &mut [f32]) {
        self.multiply(input, output, Onto::Bias(&self.bias));
    }

    /// `output += input Wᵀ + b`: the map and the residual connection around it.
    ///
    /// # Shapes
    /// `input: [rows, inputs]`, `output: [rows, outputs]`
    pub fn add(&self, input: &[f32], output: &mut [f32]) {
        for row in output.chunks_exact_mut(self.outputs()) {
            row.iter_mut().zip(&self.bias).for_each(|(value, bias)| *value += bias);
        }
        self.multiply(input, output, Onto::Out);
    }

    fn multiply(&self, input: &[f32], output: &mut [f32], onto: Onto) {
        multiply_packed(Matrix::new(input, self.weight.rows()), &self.weight, output, onto);
    }
}
