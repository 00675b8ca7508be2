//! Affine maps, and the gradients of their weights and biases.

use truename_infer::kernels::{Matrix, Onto, multiply};

use super::rows::column_sums;

/// A map or a norm: `weight: [outputs, inputs]` or `[width]`, `bias: [outputs]`.
#[derive(Clone, Copy)]
pub(super) struct Affine<'a> {
    pub weight: &'a [f32],
    pub bias: &'a [f32],
}

/// One value for the weight and one for the bias of a map, or for the scale and the shift of a norm.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PerParameter<T> {
    pub weight: T,
    pub bias: T,
}

impl<'a> PerParameter<&'a [f32]> {
    pub(super) fn affine(self) -> Affine<'a> {
        Affine { weight: self.weight, bias: self.bias }
    }
}

/// `x Wᵀ + b`
///
/// # Shapes
/// `input: [rows, inputs]`, output: `[rows, outputs]`
pub(super) fn affine(input: &[f32], map: Affine, inputs: usize) -> Vec<f32> {
    let outputs = map.bias.len();
    let mut output = vec![0.0; input.len() / inputs * outputs];
    let weight = Matrix::new(map.weight, inputs).transposed();
    multiply(Matrix::new(input, inputs), weight, &mut output, Onto::Bias(map.bias));
    output
}

/// Returns the gradients of a map's weight and bias, where they are wanted: `gᵀ x` and the sum of `g`'s rows.
pub(super) fn of_affine(
    is_wanted: PerParameter<bool>,
    gradient: &[f32],
    input: &[f32],
    [outputs, inputs]: [usize; 2],
) -> PerParameter<Option<Vec<f32>>> {
    let weight = is_wanted.weight.then(|| {
        let mut weight = vec![0.0; outputs * inputs];
        multiply(Matrix::new(gradient, outputs).transposed(), Matrix::new(input, inputs), &mut weight, Onto::Nothing);
        weight
    });
    PerParameter { weight, bias: is_wanted.bias.then(|| column_sums(gradient, outputs)) }
}
