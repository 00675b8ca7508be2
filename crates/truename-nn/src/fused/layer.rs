use std::borrow::Cow;

use rayon::prelude::*;
use truename_infer::kernels::{Matrix, Onto, multiply};

use super::attention::{self, Inputs};
use super::norm::{self, Normed};
use super::rows::{PIECE, add, column_sums};
use super::{PARENTS, activation};
use crate::batch::Layout;
use crate::dropout::Dropout;
use truename_infer::Activation;

/// A map or a norm: `weight: [outputs, inputs]` or `[width]`, `bias: [outputs]`.
#[derive(Clone, Copy)]
pub(super) struct Affine<'a> {
    pub weight: &'a [f32],
    pub bias: &'a [f32],
}

/// What comes into the layer.
pub(super) struct Weights<'a> {
    pub input: &'a [f32],
    pub query: Affine<'a>,
    pub key: Affine<'a>,
    pub value: Affine<'a>,
    pub output: Affine<'a>,
    pub attention_norm: Affine<'a>,
    pub up: Affine<'a>,
    pub down: Affine<'a>,
    pub norm: Affine<'a>,
    pub bias: &'a [f32],
}

/// What the layer is, numbers aside.
#[derive(Debug)]
pub(super) struct LayerShape {
    pub layout: Layout,
    pub width: usize,
    pub heads: usize,
    pub epsilons: [f32; 2],
    pub activation: Activation,
    pub dropout: Dropout,
    pub has_bias: bool,
}

/// What the backward pass needs of the forward pass.
#[derive(Debug)]
pub(super) struct Saved {
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    weights: Vec<f32>,
    context: Vec<f32>,
    attended: Vec<f32>,
    attention_norm: Normed,
    inner: Vec<f32>,
    activated: Vec<f32>,
    norm: Normed,
}

impl LayerShape {
    /// # Shapes
    /// `weights.input: [tokens, width]`, output: the same
    pub fn forward(&self, weights: &Weights) -> (Vec<f32>, Saved) {
        let [query, key, value] =
            [weights.query, weights.key, weights.value].map(|map| affine(weights.input, map, self.width));
        let inputs = Inputs { query: &query, key: &key, value: &value, bias: weights.bias };
        let (context, attention_weights) = attention::forward(self, inputs);
        let mut sum = affine(&context, weights.output, self.width);
        self.drop_and_add(&mut sum, weights.input, 1);
        let (attended, attention_norm) = norm::forward(sum, weights.attention_norm, self.epsilons[0]);
        let inner = affine(&attended, weights.up, self.width);
        let activated = activation::forward(self.activation, &inner);
        let mut sum = affine(&activated, weights.down, weights.up.bias.len());
        self.drop_and_add(&mut sum, &attended, 2);
        let (output, norm) = norm::forward(sum, weights.norm, self.epsilons[1]);
        let saved = Saved {
            query,
            key,
            value,
            weights: attention_weights,
            context,
            attended,
            attention_norm,
            inner,
            activated,
            norm,
        };
        (output, saved)
    }

    /// The gradients of the parents, where they are wanted.
    pub fn backward(
        &self,
        weights: &Weights,
        saved: &Saved,
        gradient: &[f32],
        is_wanted: &[bool; PARENTS],
    ) -> [Option<Vec<f32>>; PARENTS] {
        let mut found = [const { None }; PARENTS];
        let width = self.width;
        let inner_width = weights.up.bias.len();

        let (of_sum, scale, shift) = norm::backward(&saved.norm, weights.norm, gradient);
        (found[15], found[16]) = (Some(scale), Some(shift));
        let of_down = self.dropped(&of_sum, 2);
        of_affine(&mut found, 13, is_wanted, &of_down, &saved.activated, [width, inner_width]);
        let mut of_inner = vec![0.0; saved.inner.len()];
        multiply(
            Matrix::new(&of_down, width),
            Matrix::new(weights.down.weight, inner_width),
            &mut of_inner,
            Onto::Nothing,
        );
        drop(of_down);
        activation::backward(self.activation, &saved.inner, &mut of_inner);
        of_affine(&mut found, 11, is_wanted, &of_inner, &saved.attended, [inner_width, width]);
        let mut of_attended = of_sum;
        multiply(
            Matrix::new(&of_inner, inner_width),
            Matrix::new(weights.up.weight, width),
            &mut of_attended,
            Onto::Out,
        );
        drop(of_inner);

        let (mut of_sum, scale, shift) = norm::backward(&saved.attention_norm, weights.attention_norm, &of_attended);
        (found[9], found[10]) = (Some(scale), Some(shift));
        let of_output = self.dropped(&of_sum, 1);
        of_affine(&mut found, 7, is_wanted, &of_output, &saved.context, [width, width]);
        let mut of_context = of_attended;
        multiply(
            Matrix::new(&of_output, width),
            Matrix::new(weights.output.weight, width),
            &mut of_context,
            Onto::Nothing,
        );
        let inputs = Inputs { query: &saved.query, key: &saved.key, value: &saved.value, bias: weights.bias };
        let of_attention = attention::backward(self, inputs, &saved.weights, &of_context);
        let maps = [weights.query, weights.key, weights.value];
        let gradients = [&of_attention.query, &of_attention.key, &of_attention.value];
        for (number, (map, gradient)) in maps.into_iter().zip(gradients).enumerate() {
            of_affine(&mut found, 1 + 2 * number, is_wanted, gradient, weights.input, [width, width]);
            if is_wanted[0] {
                multiply(Matrix::new(gradient, width), Matrix::new(map.weight, width), &mut of_sum, Onto::Out);
            }
        }
        found[17] = self.has_bias.then_some(of_attention.bias);
        found[0] = Some(of_sum);
        found
    }

    /// `values = dropout(values) + residual`
    fn drop_and_add(&self, values: &mut [f32], residual: &[f32], place: u64) {
        let (dropout, piece) = (self.dropout.at(place), PIECE * self.width);
        let pieces = values.par_chunks_mut(piece).zip(residual.par_chunks(piece)).enumerate();
        pieces.for_each(|(number, (values, residual))| {
            dropout.apply(values, number * piece);
            add(values, residual);
        });
    }

    /// The gradient of what dropout was applied to.
    fn dropped<'a>(&self, gradient: &'a [f32], place: u64) -> Cow<'a, [f32]> {
        let (dropout, piece) = (self.dropout.at(place), PIECE * self.width);
        if dropout.is_none() {
            return Cow::Borrowed(gradient);
        }
        let mut dropped = vec![0.0; gradient.len()];
        let pieces = dropped.par_chunks_mut(piece).zip(gradient.par_chunks(piece)).enumerate();
        pieces.for_each(|(number, (dropped, gradient))| {
            dropped.copy_from_slice(gradient);
            dropout.apply(dropped, number * piece);
        });
        Cow::Owned(dropped)
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

/// The gradients of a map's weight and bias, parents `first` and the one after it: `gᵀ x` and the sum of `g`'s rows.
pub(super) fn of_affine<const N: usize>(
    found: &mut [Option<Vec<f32>>; N],
    first: usize,
    is_wanted: &[bool; N],
    gradient: &[f32],
    input: &[f32],
    [outputs, inputs]: [usize; 2],
) {
    if is_wanted[first] {
        let mut weight = vec![0.0; outputs * inputs];
        multiply(Matrix::new(gradient, outputs).transposed(), Matrix::new(input, inputs), &mut weight, Onto::Nothing);
        found[first] = Some(weight);
    }
    if is_wanted[first + 1] {
        found[first + 1] = Some(column_sums(gradient, outputs));
    }
}
