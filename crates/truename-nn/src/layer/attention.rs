//! Multi-head self-attention, by operations of the tensor library: the oracle of the fused one.

use burn_tensor::activation::softmax;
use burn_tensor::{Bool, Int, Tensor, TensorData};
use truename_infer::RotaryPositions;

use super::pass::Pass;
use super::{DistanceMaps, Linear, indices};
use crate::dropout::Dropout;
use crate::layout::Layout;
use crate::parameter::Parameter;

/// Multi-head self-attention (Vaswani et al. 2017, section 3.2):
/// `W_o concat(dropout(softmax(qᵢ kᵢᵀ / √d + bias)) vᵢ) + b_o` over the heads `i`.
#[derive(Clone, Debug)]
pub(crate) struct Attention {
    /// The maps to queries, keys and values, or the one that does all three.
    pub query_key_value: Vec<Linear>,
    pub output: Linear,
    pub heads: usize,
    pub rotary: Option<RotaryPositions>,
    /// Of layers whose scores look at distances.
    pub distance_maps: Option<DistanceMaps>,
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
        let maps = self.query_key_value.iter().map(|map| map.forward(states.clone()));
        let all = Tensor::cat(maps.collect(), 1);
        let rows = |part| all.clone().narrow(1, part * width, width);
        let turned = |rows| match &self.rotary {
            Some(rotary) => turned(rotary, rows, [tokens, heads, depth], pass.positions),
            None => rows,
        };
        // [texts, heads, longest, depth]
        let split =
            |rows: Tensor<2>| rows.select(0, padded.clone()).reshape([texts, longest, heads, depth]).swap_dims(1, 2);
        let (query, key, value) = (split(turned(rows(0))), split(turned(rows(1))), split(rows(2)));
        let distances = pass.distances.as_ref().zip(self.distance_maps.as_ref());
        let mut scores = query.clone().matmul(key.clone().swap_dims(2, 3));
        if let (Some((distances, own)), [of_query, of_key, ..]) = (distances, &self.query_key_value[..]) {
            let of_distances = distances.scores([query, key], [of_query, of_key], own);
            scores = of_distances.into_iter().fold(scores, |scores, of_distances| scores + of_distances);
        }
        let terms = distances.map_or(1, |(distances, _)| distances.terms());
        let mut scores = scores / ((depth * terms) as f32).sqrt();
        if let Some(bias) = &pass.bias {
            scores = scores + spread(bias.clone(), longest);
        }
        let hide = |scores: Tensor<4>, is_hidden: Vec<bool>, shape: [usize; 4]| {
            let hidden = TensorData::new(is_hidden, shape);
            let hidden = Tensor::<4, Bool>::from_data(hidden, &device.clone().without_autodiff());
            scores.mask_fill(hidden.expand([texts, heads, longest, longest]), NO_TOKEN)
        };
        scores = hide(scores, layout.is_padding(), [texts, 1, 1, longest]);
        if let Some(is_hidden) = layout.is_hidden() {
            scores = hide(scores, is_hidden, [texts, 1, longest, longest]);
        }
        if let Some(reach) = self.rotary.and_then(|rotary| rotary.reach) {
            let is_far = (0..longest).flat_map(|query| (0..longest).map(move |key| query.abs_diff(key) > reach));
            scores = hide(scores, is_far.collect(), [1, 1, longest, longest]);
        }
        let weights = dropped_weights(softmax(scores, 3), layout, pass.dropout.at(0));
        let context = weights.matmul(value).swap_dims(1, 2).reshape([texts * longest, width]);
        let context = context.select(0, indices(layout.places(), &device));
        debug_assert_eq!(context.dims(), [tokens, width]);
        self.output.forward(context)
    }

    pub fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        let Self { query_key_value, output, distance_maps, .. } = self;
        let maps = query_key_value.iter_mut().chain([output]).flat_map(Linear::parameters);
        maps.chain(distance_maps.iter_mut().flat_map(DistanceMaps::parameters))
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

/// Queries or keys, turned by the positions of their tokens.
///
/// # Shapes
/// `rows: [tokens, heads · depth]`, output: the same
fn turned(
    rotary: &RotaryPositions,
    rows: Tensor<2>,
    [tokens, heads, depth]: [usize; 3],
    positions: &[u32],
) -> Tensor<2> {
    let (half, device) = (depth / 2, rows.device().without_autodiff());
    let angles = positions.iter().flat_map(|position| rotary.angles(depth, *position as usize));
    let (sines, cosines): (Vec<f32>, Vec<f32>) = angles.map(f32::sin_cos).unzip();
    let [sines, cosines] = [sines, cosines]
        .map(|values| Tensor::<3>::from_data(TensorData::new(values, [tokens, 1, half]), &device))
        .map(|values| values.expand([tokens, heads, half]));
    let heads_of = rows.reshape([tokens, heads, depth]);
    let (first, second) = (heads_of.clone().narrow(2, 0, half), heads_of.narrow(2, half, half));
    let turned = [first.clone() * cosines.clone() - second.clone() * sines.clone(), second * cosines + first * sines];
    Tensor::cat(turned.to_vec(), 2).reshape([tokens, heads * depth])
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
