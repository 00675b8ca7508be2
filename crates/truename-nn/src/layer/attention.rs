//! Multi-head self-attention, by operations of the tensor library: the oracle of the fused one.

use burn_tensor::activation::softmax;
use burn_tensor::{Bool, Int, Tensor, TensorData};

use super::pass::Pass;
use super::{Linear, indices};
use crate::dropout::Dropout;
use crate::layout::Layout;
use crate::parameter::Parameter;

/// Multi-head self-attention (Vaswani et al. 2017, section 3.2):
/// `W_o concat(dropout(softmax(qᵢ kᵢᵀ / √d + bias)) vᵢ) + b_o` over the heads `i`.
#[derive(Clone, Debug)]
pub(crate) struct Attention {
    pub query: Linear,
    pub key: Linear,
    pub value: Linear,
    pub output: Linear,
    pub heads: usize,
}

/// Score of a place that is not attended to: far below any score, and finite, so that no difference is undefined.
const NO_TOKEN: f32 = -1e9;

impl Attention {
    /// By operations of the tensor library: texts are filled up to the longest, and scores of places that have no token or
    /// are not attended to are masked.
    ///
    /// # Shapes
    /// `states: [tokens, hidden]`, output: the same
    pub fn forward(&self, states: Tensor<2>, pass: &Pass) -> Tensor<2> {
        let (layout, device) = (pass.layout, states.device());
        let [tokens, width] = states.dims();
        let (texts, longest, heads) = (layout.texts().len(), layout.longest(), self.heads);
        let depth = width / heads;
        let padded = indices(layout.padded_rows(), &device);
        // [texts, heads, longest, depth]
        let split = |linear: &Linear| {
            let rows = linear.forward(states.clone()).select(0, padded.clone());
            rows.reshape([texts, longest, heads, depth]).swap_dims(1, 2)
        };
        let (query, key, value) = (split(&self.query), split(&self.key), split(&self.value));
        let mut scores = query.matmul(key.swap_dims(2, 3)) / (depth as f32).sqrt();
        if let Some(bias) = &pass.bias {
            scores = scores + spread(bias.clone(), longest);
        }
        let padding = TensorData::new(layout.is_padding(), [texts, 1, 1, longest]);
        let padding = Tensor::<4, Bool>::from_data(padding, &device.clone().without_autodiff());
        let mut scores = scores.mask_fill(padding.expand([texts, heads, longest, longest]), NO_TOKEN);
        if let Some(is_hidden) = layout.is_hidden() {
            let hidden = TensorData::new(is_hidden, [texts, 1, longest, longest]);
            let hidden = Tensor::<4, Bool>::from_data(hidden, &device.clone().without_autodiff());
            scores = scores.mask_fill(hidden.expand([texts, heads, longest, longest]), NO_TOKEN);
        }
        let weights = dropped_weights(softmax(scores, 3), layout, pass.dropout.at(0));
        let context = weights.matmul(value).swap_dims(1, 2).reshape([texts * longest, width]);
        let context = context.select(0, indices(layout.places(), &device));
        debug_assert_eq!(context.dims(), [tokens, width]);
        self.output.forward(context)
    }

    pub fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        let Self { query, key, value, output, .. } = self;
        [query, key, value, output].into_iter().flat_map(Linear::parameters)
    }
}

/// The bias of each head for every pair of places, from its bias by distance.
///
/// # Shapes
/// `by_distance: [2 longest - 1, heads]`, output: `[1, heads, longest, longest]`
fn spread(by_distance: Tensor<2>, longest: usize) -> Tensor<4> {
    let device = by_distance.device();
    let [_, heads] = by_distance.dims();
    let distance = |query: usize, key: usize| (longest - 1 + key - query) as i32;
    let pairs = (0..longest).flat_map(|query| (0..longest).map(move |key| distance(query, key)));
    let pairs: Tensor<1, Int> = indices(pairs.collect(), &device);
    by_distance.select(0, pairs).reshape([1, longest, longest, heads]).permute([0, 3, 1, 2])
}

/// The weights with the mask that the fused layer gives them, whose numbers lie without padding.
fn dropped_weights(weights: Tensor<4>, layout: &Layout, dropout: Dropout) -> Tensor<4> {
    if dropout.is_none() {
        return weights;
    }
    let [texts, heads, longest, _] = weights.dims();
    let (starts, end) = layout.weights(heads);
    let (mask, mut padded) = (dropout.mask(end), vec![0.0; texts * heads * longest * longest]);
    for (number, (text, start)) in layout.texts().iter().zip(starts).enumerate() {
        let len = text.len();
        for (row, values) in mask[start..start + heads * len * len].chunks_exact(len).enumerate() {
            let (head, query) = (row / len, row % len);
            let to = ((number * heads + head) * longest + query) * longest;
            padded[to..to + len].copy_from_slice(values);
        }
    }
    let mask = TensorData::new(padded, [texts, heads, longest, longest]);
    weights.clone() * Tensor::from_data(mask, &weights.device())
}
