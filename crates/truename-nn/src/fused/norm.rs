//! Layer norm over rows, and its gradients.

use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};
use rten_vecmath::{Sum, SumSquareSub};
use truename_infer::kernels::dot;

use super::affine::Affine;
use super::rows::{LANES, PIECE, sums};

/// The outcome of a norm that its backward pass needs.
#[derive(Debug)]
pub(super) struct NormState {
    /// `(x − mean) / deviation`: `[rows, width]`
    values: Vec<f32>,
    /// `1 / deviation` of each row.
    inverse_deviations: Vec<f32>,
}

/// Layer norm over rows: `y = x̂ · scale + shift`.
///
/// # Shapes
/// `values: [rows, width]`, output: the same
pub(super) fn forward(mut values: Vec<f32>, norm: Affine, epsilon: f32) -> (Vec<f32>, NormState) {
    let width = norm.bias.len();
    let mut output = vec![0.0; values.len()];
    let mut inverse_deviations = vec![0.0; values.len() / width];
    let pieces = values.par_chunks_mut(PIECE * width).zip(output.par_chunks_mut(PIECE * width));
    pieces.zip(inverse_deviations.par_chunks_mut(PIECE)).for_each(|((values, output), inverse_deviations)| {
        Rows { values, output, inverse_deviations, norm, epsilon }.dispatch();
    });
    (output, NormState { values, inverse_deviations })
}

struct Rows<'a> {
    values: &'a mut [f32],
    output: &'a mut [f32],
    inverse_deviations: &'a mut [f32],
    norm: Affine<'a>,
    epsilon: f32,
}

impl SimdOp for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let width = self.norm.bias.len();
        let rows = self.values.chunks_exact_mut(width).zip(self.output.chunks_exact_mut(width));
        for ((row, output), inverse) in rows.zip(self.inverse_deviations) {
            let mean = Sum::new(row).eval(isa) / width as f32;
            let variance = SumSquareSub::new(row, mean).eval(isa) / width as f32;
            *inverse = 1.0 / (variance + self.epsilon).sqrt();
            let scaled = self.norm.weight.iter().zip(self.norm.bias);
            for ((value, output), (scale, shift)) in row.iter_mut().zip(output).zip(scaled) {
                *value = (*value - mean) * *inverse;
                *output = *value * scale + shift;
            }
        }
    }
}

/// The gradients of the input, of the scale and of the shift.
///
/// With `ĝ = g · scale`, that of the input is `(ĝ − mean(ĝ) − x̂ · mean(ĝ · x̂)) / deviation`.
///
/// # Shapes
/// `gradient: [rows, width]`
pub(super) fn backward(normed: &NormState, norm: Affine, gradient: &[f32]) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let width = norm.bias.len();
    let mut input = vec![0.0; gradient.len()];
    let pieces = normed.values.par_chunks(PIECE * width).zip(normed.inverse_deviations.par_chunks(PIECE));
    let pieces = pieces.zip(gradient.par_chunks(PIECE * width)).zip(input.par_chunks_mut(PIECE * width));
    let scale_and_shift = sums(pieces.map(|(((values, inverse), gradient), input)| {
        let mut sums = vec![0.0; 2 * width];
        let rows = values.chunks_exact(width).zip(inverse).zip(gradient.chunks_exact(width));
        for (((values, inverse), gradient), input) in rows.zip(input.chunks_exact_mut(width)) {
            let (of_scale, of_shift) = sums.split_at_mut(width);
            for at in 0..width {
                of_scale[at] += gradient[at] * values[at];
                of_shift[at] += gradient[at];
                input[at] = gradient[at] * norm.weight[at];
            }
            let mean = dot::<LANES>(gradient, norm.weight) / width as f32;
            let along = dot::<LANES>(input, values) / width as f32;
            for (input, value) in input.iter_mut().zip(values) {
                *input = (*input - mean - value * along) * inverse;
            }
        }
        sums
    }));
    let shift = scale_and_shift[width..].to_vec();
    (input, scale_and_shift[..width].to_vec(), shift)
}
