//! Attention over texts of different lengths without padding, and its gradients.

use std::ops::Range;

use rayon::prelude::*;
use rten_simd::ops::BitOps;
use rten_simd::{Isa, SimdOp};
use rten_vecmath::Softmax;
use truename_infer::kernels::{Rows, dot, gather, gather_transposed, product, sized};

use super::rows::{LANES, add};
use crate::dropout::Dropout;
use crate::layout::Layout;

/// The sizes and options of attention.
pub(super) struct Heads<'a> {
    pub layout: &'a Layout,
    /// Of all heads together.
    pub width: usize,
    pub heads: usize,
    pub dropout: Dropout,
    pub has_bias: bool,
}

/// Queries, keys and values of all heads: `[tokens, heads · depth]` each.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub query: &'a [f32],
    pub key: &'a [f32],
    pub value: &'a [f32],
    /// `[2 longest - 1, heads]`, where the shape has a bias
    pub bias: &'a [f32],
}

/// The gradients of [`Inputs`].
pub(super) struct Gradients {
    pub query: Vec<f32>,
    pub key: Vec<f32>,
    pub value: Vec<f32>,
    pub bias: Vec<f32>,
}

/// The context of every token, and the attention weights before dropout: for each text and head a square matrix.
pub(super) fn forward(shape: &Heads, inputs: Inputs) -> (Vec<f32>, Vec<f32>) {
    let (starts, end) = shape.layout.weights(shape.heads);
    let (mut context, mut weights) = (vec![0.0; inputs.query.len()], vec![0.0; end]);
    let texts = split(&mut context, shape).into_iter().zip(split_weights(&mut weights, &starts, end));
    let texts: Vec<_> = texts.zip(starts.iter().zip(shape.layout.texts())).enumerate().collect();
    texts.into_par_iter().for_each_init(Scratch::default, |scratch, (number, ((context, weights), (start, text)))| {
        let text = Text { shape, inputs, number, text: text.clone(), first_weight: *start };
        Forward { text, context, weights, scratch }.dispatch();
    });
    (context, weights)
}

/// The gradients from that of the context.
pub(super) fn backward(shape: &Heads, inputs: Inputs, weights: &[f32], gradient: &[f32]) -> Gradients {
    let (starts, _) = shape.layout.weights(shape.heads);
    let zeros = || vec![0.0; gradient.len()];
    let (mut query, mut key, mut value) = (zeros(), zeros(), zeros());
    let outputs = split(&mut query, shape).into_iter().zip(split(&mut key, shape)).zip(split(&mut value, shape));
    let texts: Vec<_> = outputs.zip(starts.iter().zip(shape.layout.texts())).enumerate().collect();
    let biases: Vec<Vec<f32>> = texts
        .into_par_iter()
        .map_init(Scratch::default, |scratch, (number, (((query, key), value), (start, text)))| {
            let mut bias = vec![0.0; if shape.has_bias { inputs.bias.len() } else { 0 }];
            let weights = &weights[*start..];
            let text = Text { shape, inputs, number, text: text.clone(), first_weight: *start };
            Backward { text, weights, gradient, query, key, value, bias: &mut bias, scratch }.dispatch();
            bias
        })
        .collect();
    let mut bias = vec![0.0; inputs.bias.len()];
    biases.iter().for_each(|of_text| add(&mut bias, of_text));
    Gradients { query, key, value, bias }
}

/// The rows of each text.
fn split<'a>(mut values: &'a mut [f32], shape: &Heads) -> Vec<&'a mut [f32]> {
    let mut texts = Vec::with_capacity(shape.layout.texts().len());
    for text in shape.layout.texts() {
        let (rows, rest) = values.split_at_mut(text.len() * shape.width);
        texts.push(rows);
        values = rest;
    }
    texts
}

/// The attention weights of each text.
fn split_weights<'a>(mut weights: &'a mut [f32], starts: &[usize], end: usize) -> Vec<&'a mut [f32]> {
    let ends = starts.iter().skip(1).copied().chain([end]);
    let mut texts = Vec::with_capacity(starts.len());
    for (start, end) in starts.iter().zip(ends) {
        let (of_text, rest) = weights.split_at_mut(end - start);
        texts.push(of_text);
        weights = rest;
    }
    texts
}

/// One text of a batch.
struct Text<'a> {
    shape: &'a Heads<'a>,
    inputs: Inputs<'a>,
    number: usize,
    text: Range<usize>,
    first_weight: usize,
}

impl<'a> Text<'a> {
    fn tokens(&self) -> usize {
        self.text.len()
    }

    fn depth(&self) -> usize {
        self.shape.width / self.shape.heads
    }

    fn scale(&self) -> f32 {
        1.0 / (self.depth() as f32).sqrt()
    }

    /// One head's columns of this text.
    fn head(&self, values: &'a [f32], head: usize) -> Rows<'a> {
        let width = self.shape.width;
        let values = &values[self.text.start * width + head * self.depth()..];
        Rows { values, stride: width, rows: self.tokens(), depth: self.depth() }
    }

    /// Places of the biases of `head` for the token at `query`, by key.
    fn bias(&self, head: usize, query: usize) -> impl Iterator<Item = usize> {
        let (longest, heads) = (self.shape.layout.longest(), self.shape.heads);
        (0..self.tokens()).map(move |key| (longest - 1 + key - query) * heads + head)
    }
}

/// Buffers of one head.
#[derive(Default)]
struct Scratch {
    scores: Vec<f32>,
    transposed: Vec<f32>,
    square: Vec<f32>,
    gathered: Vec<f32>,
    output: Vec<f32>,
}

struct Forward<'a> {
    text: Text<'a>,
    context: &'a mut [f32],
    weights: &'a mut [f32],
    scratch: &'a mut Scratch,
}

impl SimdOp for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Self { text, context, weights, scratch } = self;
        let (tokens, depth, lanes) = (text.tokens(), text.depth(), isa.f32().len());
        let (columns, depths) = (tokens.next_multiple_of(lanes), depth.next_multiple_of(lanes));
        let scores = sized(&mut scratch.scores, tokens * columns);
        let keys = sized(&mut scratch.transposed, depth * columns);
        let values = sized(&mut scratch.gathered, tokens * depths);
        let output = sized(&mut scratch.output, tokens * depths);
        for (head, weights) in weights.chunks_exact_mut(tokens * tokens).enumerate() {
            gather_transposed(text.head(text.inputs.key, head), text.scale(), keys, columns);
            gather(text.head(text.inputs.value, head), values, depths);
            product(isa, text.head(text.inputs.query, head), keys, columns, scores);
            for (query, (row, weights)) in
                scores.chunks_exact_mut(columns).zip(weights.chunks_exact_mut(tokens)).enumerate()
            {
                let row = &mut row[..tokens];
                if text.shape.has_bias {
                    let bias = text.bias(head, query);
                    row.iter_mut().zip(bias).for_each(|(score, at)| *score += text.inputs.bias[at]);
                }
                if let Some(visibility) = text.shape.layout.visibility(text.number) {
                    visibility.mask(query, row);
                }
                Softmax::new_mut(row).eval(isa);
                weights.copy_from_slice(row);
                text.shape.dropout.apply(row, text.first_weight + (head * tokens + query) * tokens);
            }
            let rows = Rows { values: scores, stride: columns, rows: tokens, depth: tokens };
            product(isa, rows, values, depths, output);
            scatter(output, depths, 1.0, context, text.shape.width, head, depth);
        }
    }
}

struct Backward<'a> {
    text: Text<'a>,
    /// The attention weights of this text and of those after it.
    weights: &'a [f32],
    gradient: &'a [f32],
    query: &'a mut [f32],
    key: &'a mut [f32],
    value: &'a mut [f32],
    bias: &'a mut [f32],
    scratch: &'a mut Scratch,
}

impl SimdOp for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Self { text, weights, gradient, query, key, value, bias, scratch } = self;
        let (tokens, depth, width, lanes) = (text.tokens(), text.depth(), text.shape.width, isa.f32().len());
        let (columns, depths) = (tokens.next_multiple_of(lanes), depth.next_multiple_of(lanes));
        let scores = sized(&mut scratch.scores, tokens * columns);
        let transposed = sized(&mut scratch.transposed, depth.max(tokens) * columns);
        let square = sized(&mut scratch.square, tokens * tokens);
        let gathered = sized(&mut scratch.gathered, tokens * depths);
        let output = sized(&mut scratch.output, tokens * depths);
        for (head, weights) in weights.chunks_exact(tokens * tokens).take(text.shape.heads).enumerate() {
            let first = text.first_weight + head * tokens * tokens;
            let of_context = text.head(gradient, head);
            // dV = droppedᵀ · dO
            square.copy_from_slice(weights);
            text.shape.dropout.apply(square, first);
            let dropped = Rows { values: square, stride: tokens, rows: tokens, depth: tokens };
            gather_transposed(dropped, 1.0, transposed, tokens);
            gather(of_context, gathered, depths);
            let left = Rows { values: transposed, stride: tokens, rows: tokens, depth: tokens };
            product(isa, left, gathered, depths, output);
            scatter(output, depths, 1.0, value, width, head, depth);
            // dP = mask · (dO · Vᵀ), dS = P (dP − Σ dP P)
            gather_transposed(text.head(text.inputs.value, head), 1.0, transposed, columns);
            product(isa, of_context, transposed, columns, scores);
            for (at, (row, weights)) in scores.chunks_exact_mut(columns).zip(weights.chunks_exact(tokens)).enumerate() {
                let row = &mut row[..tokens];
                text.shape.dropout.apply(row, first + at * tokens);
                let mean = dot::<LANES>(row, weights);
                row.iter_mut().zip(weights).for_each(|(score, weight)| *score = weight * (*score - mean));
                if text.shape.has_bias {
                    row.iter().zip(text.bias(head, at)).for_each(|(score, at)| bias[at] += score);
                }
            }
            // dQ = dS · K / √d
            let of_scores = Rows { values: scores, stride: columns, rows: tokens, depth: tokens };
            gather(text.head(text.inputs.key, head), gathered, depths);
            product(isa, of_scores, gathered, depths, output);
            scatter(output, depths, text.scale(), query, width, head, depth);
            // dK = dSᵀ · Q / √d
            gather_transposed(of_scores, 1.0, transposed, tokens);
            let left = Rows { values: transposed, stride: tokens, rows: tokens, depth: tokens };
            gather(text.head(text.inputs.query, head), gathered, depths);
            product(isa, left, gathered, depths, output);
            scatter(output, depths, text.scale(), key, width, head, depth);
        }
    }
}

/// Writes the numbers of one head times `scale` into its columns.
#[inline(always)]
fn scatter(from: &[f32], columns: usize, scale: f32, to: &mut [f32], width: usize, head: usize, depth: usize) {
    for (from, to) in from.chunks_exact(columns).zip(to.chunks_exact_mut(width)) {
        for (to, from) in to[head * depth..][..depth].iter_mut().zip(from) {
            *to = from * scale;
        }
    }
}
