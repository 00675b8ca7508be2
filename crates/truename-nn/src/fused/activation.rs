//! Activations of the feed-forward part, and their derivatives.

use std::f32::consts::{FRAC_1_SQRT_2, PI};

use rayon::prelude::*;
use rten_simd::SimdUnaryOp;
use rten_vecmath::{ApproxGelu, Erf, Exp, Gelu, Sigmoid, Silu, Tanh};

use truename_infer::Activation;

/// Numbers of a piece that one thread works on.
const PIECE: usize = 1 << 14;

/// `f(x)` of every number.
pub(super) fn forward(activation: Activation, input: &[f32]) -> Vec<f32> {
    let mut output = vec![0.0; input.len()];
    output.par_chunks_mut(PIECE).zip(input.par_chunks(PIECE)).for_each(|(values, input)| {
        values.copy_from_slice(input);
        match activation {
            Activation::Gelu => Gelu {}.map_mut(values),
            Activation::GeluTanh => ApproxGelu {}.map_mut(values),
            Activation::Relu => values.iter_mut().for_each(|value| *value = value.max(0.0)),
            Activation::Silu => Silu {}.map_mut(values),
        }
    });
    output
}

/// `gradient · f′(x)` of every number, in place of the gradient.
pub(super) fn backward(activation: Activation, input: &[f32], gradient: &mut [f32]) {
    input.par_chunks(PIECE).zip(gradient.par_chunks_mut(PIECE)).for_each(|(input, gradient)| match activation {
        Activation::Gelu => gelu(input, gradient),
        Activation::GeluTanh => gelu_tanh(input, gradient),
        Activation::Silu => silu(input, gradient),
        Activation::Relu => {
            let pairs = gradient.iter_mut().zip(input);
            pairs.filter(|(_, input)| **input <= 0.0).for_each(|(gradient, _)| *gradient = 0.0);
        }
    });
}

/// `(x Φ(x))′ = Φ(x) + x φ(x)`
fn gelu(input: &[f32], gradient: &mut [f32]) {
    let mut error: Vec<f32> = input.iter().map(|x| x * FRAC_1_SQRT_2).collect();
    let mut density: Vec<f32> = input.iter().map(|x| -0.5 * x * x).collect();
    Erf {}.map_mut(&mut error);
    Exp {}.map_mut(&mut density);
    let scale = 1.0 / (2.0 * PI).sqrt();
    for ((gradient, x), (error, density)) in gradient.iter_mut().zip(input).zip(error.into_iter().zip(density)) {
        *gradient *= 0.5 * (1.0 + error) + x * scale * density;
    }
}

/// With `t = tanh(√(2/π) (x + c x³))`: `½ (1 + t) + ½ x (1 − t²) √(2/π) (1 + 3 c x²)`
fn gelu_tanh(input: &[f32], gradient: &mut [f32]) {
    const CUBE: f32 = 0.044715;
    let scale = (2.0 / PI).sqrt();
    let mut tanh: Vec<f32> = input.iter().map(|x| scale * (x + CUBE * x * x * x)).collect();
    Tanh {}.map_mut(&mut tanh);
    for ((gradient, x), t) in gradient.iter_mut().zip(input).zip(tanh) {
        *gradient *= 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * scale * (1.0 + 3.0 * CUBE * x * x);
    }
}

/// With `s = 1 / (1 + exp(−x))`: `s (1 + x (1 − s))`
fn silu(input: &[f32], gradient: &mut [f32]) {
    let mut sigmoid = input.to_vec();
    Sigmoid {}.map_mut(&mut sigmoid);
    for ((gradient, x), s) in gradient.iter_mut().zip(input).zip(sigmoid) {
        *gradient *= s * (1.0 + x * (1.0 - s));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_the_slopes_of_the_activations() {
        const STEP: f32 = 1e-2;
        let inputs = [-4.0, -1.3, -0.2, 0.3, 1.0, 2.5];
        for activation in [Activation::Gelu, Activation::GeluTanh, Activation::Relu, Activation::Silu] {
            let mut slopes = [1.0; 6];
            backward(activation, &inputs, &mut slopes);
            let [above, below] = [STEP, -STEP].map(|step| forward(activation, &inputs.map(|input| input + step)));
            for ((slope, above), below) in slopes.iter().zip(above).zip(below) {
                let expected = (above - below) / (2.0 * STEP);
                assert!((slope - expected).abs() < 1e-3, "{activation:?}: {slope} {expected}");
            }
        }
    }
}
