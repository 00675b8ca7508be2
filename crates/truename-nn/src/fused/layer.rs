//! Forward and backward pass of an encoder layer over plain slices.

use std::borrow::Cow;

use rayon::prelude::*;
use truename_infer::Activation;
use truename_infer::kernels::{Matrix, Onto, multiply};

use super::activation;
use super::affine::{PerParameter, affine, of_affine};
use super::attention::{self, Heads, Inputs};
use super::norm::{self, NormState};
use super::rows::{PIECE, add};
use crate::dropout::Dropout;
use crate::layout::Layout;

/// One value for each input of the layer, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct PerInput<T> {
    pub states: T,
    pub query: PerParameter<T>,
    pub key: PerParameter<T>,
    pub value: PerParameter<T>,
    pub output: PerParameter<T>,
    pub attention_norm: PerParameter<T>,
    pub up: PerParameter<T>,
    pub down: PerParameter<T>,
    pub norm: PerParameter<T>,
    /// The bias by distance.
    pub bias: T,
}

/// The number of inputs of the layer.
pub(super) const INPUTS: usize = 18;

impl<T> PerInput<T> {
    /// In the order of [`PerInput::into_array`].
    pub(super) fn from_array(values: [T; INPUTS]) -> Self {
        let mut values = values.into_iter();
        let mut next = || values.next().expect("there is a value for each input");
        let states = next();
        let mut pair = || PerParameter { weight: next(), bias: next() };
        let [query, key, value, output] = [pair(), pair(), pair(), pair()];
        let [attention_norm, up, down, norm] = [pair(), pair(), pair(), pair()];
        Self { states, query, key, value, output, attention_norm, up, down, norm, bias: next() }
    }

    pub(super) fn into_array(self) -> [T; INPUTS] {
        let Self { states, query, key, value, output, attention_norm, up, down, norm, bias } = self;
        let pairs = [query, key, value, output, attention_norm, up, down, norm];
        let values = std::iter::once(states).chain(pairs.into_iter().flat_map(|pair| [pair.weight, pair.bias]));
        let values: Vec<T> = values.chain([bias]).collect();
        values.try_into().unwrap_or_else(|_| unreachable!("as many values as inputs"))
    }
}

/// The gradients of a layer's inputs, where they are wanted.
type Gradients = PerInput<Option<Vec<f32>>>;

/// The sizes and options of a layer.
#[derive(Debug)]
pub(crate) struct LayerShape {
    pub layout: Layout,
    pub width: usize,
    pub heads: usize,
    pub epsilons: [f32; 2],
    pub activation: Activation,
    pub dropout: Dropout,
    pub has_bias: bool,
}

/// Results of the forward pass that the backward pass needs.
#[derive(Debug)]
pub(super) struct Activations {
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    weights: Vec<f32>,
    context: Vec<f32>,
    attended: Vec<f32>,
    attention_norm: NormState,
    inner: Vec<f32>,
    activated: Vec<f32>,
    norm: NormState,
}

impl LayerShape {
    /// # Shapes
    /// `from.states: [tokens, width]`, output: the same
    pub(super) fn forward(&self, from: &PerInput<&[f32]>) -> (Vec<f32>, Activations) {
        let [query, key, value] =
            [from.query, from.key, from.value].map(|map| affine(from.states, map.affine(), self.width));
        let inputs = Inputs { query: &query, key: &key, value: &value, bias: from.bias };
        let (context, attention_weights) = attention::forward(&self.heads(), inputs);
        let mut sum = affine(&context, from.output.affine(), self.width);
        self.drop_and_add(&mut sum, from.states, 1);
        let (attended, attention_norm) = norm::forward(sum, from.attention_norm.affine(), self.epsilons[0]);
        let inner = affine(&attended, from.up.affine(), self.width);
        let activated = activation::forward(self.activation, &inner);
        let mut sum = affine(&activated, from.down.affine(), from.up.bias.len());
        self.drop_and_add(&mut sum, &attended, 2);
        let (output, norm) = norm::forward(sum, from.norm.affine(), self.epsilons[1]);
        let saved = Activations {
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

    /// Returns the gradients of the inputs, where they are wanted.
    pub(super) fn backward(
        &self,
        from: &PerInput<&[f32]>,
        saved: &Activations,
        gradient: &[f32],
        is_wanted: &PerInput<bool>,
    ) -> Gradients {
        let mut found = Gradients::default();
        let width = self.width;
        let inner_width = from.up.bias.len();

        let (of_sum, scale, shift) = norm::backward(&saved.norm, from.norm.affine(), gradient);
        found.norm = PerParameter { weight: Some(scale), bias: Some(shift) };
        let of_down = self.dropped(&of_sum, 2);
        found.down = of_affine(is_wanted.down, &of_down, &saved.activated, [width, inner_width]);
        let mut of_inner = vec![0.0; saved.inner.len()];
        multiply(
            Matrix::new(&of_down, width),
            Matrix::new(from.down.weight, inner_width),
            &mut of_inner,
            Onto::Nothing,
        );
        drop(of_down);
        activation::backward(self.activation, &saved.inner, &mut of_inner);
        found.up = of_affine(is_wanted.up, &of_inner, &saved.attended, [inner_width, width]);
        let mut of_attended = of_sum;
        multiply(Matrix::new(&of_inner, inner_width), Matrix::new(from.up.weight, width), &mut of_attended, Onto::Out);
        drop(of_inner);

        let (mut of_sum, scale, shift) =
            norm::backward(&saved.attention_norm, from.attention_norm.affine(), &of_attended);
        found.attention_norm = PerParameter { weight: Some(scale), bias: Some(shift) };
        let of_output = self.dropped(&of_sum, 1);
        found.output = of_affine(is_wanted.output, &of_output, &saved.context, [width, width]);
        let mut of_context = of_attended;
        multiply(
            Matrix::new(&of_output, width),
            Matrix::new(from.output.weight, width),
            &mut of_context,
            Onto::Nothing,
        );
        let inputs = Inputs { query: &saved.query, key: &saved.key, value: &saved.value, bias: from.bias };
        let of_attention = attention::backward(&self.heads(), inputs, &saved.weights, &of_context);
        let of_map = |is_wanted, gradient: &[f32]| of_affine(is_wanted, gradient, from.states, [width, width]);
        found.query = of_map(is_wanted.query, &of_attention.query);
        found.key = of_map(is_wanted.key, &of_attention.key);
        found.value = of_map(is_wanted.value, &of_attention.value);
        if is_wanted.states {
            let maps = [
                (&of_attention.query, from.query.weight),
                (&of_attention.key, from.key.weight),
                (&of_attention.value, from.value.weight),
            ];
            for (gradient, weight) in maps {
                multiply(Matrix::new(gradient, width), Matrix::new(weight, width), &mut of_sum, Onto::Out);
            }
        }
        found.bias = self.has_bias.then_some(of_attention.bias);
        found.states = Some(of_sum);
        found
    }

    fn heads(&self) -> Heads<'_> {
        let Self { layout, width, heads, dropout, has_bias, .. } = self;
        Heads { layout, width: *width, heads: *heads, dropout: dropout.at(0), has_bias: *has_bias }
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

    /// The gradient before dropout.
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
