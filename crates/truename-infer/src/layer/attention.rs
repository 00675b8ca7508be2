//! Multi-head self-attention with its residual.

use super::attend::{Attend, AttendScratch};
use super::{Linear, PositionBias, sized};
use crate::batch::Batch;

use rten_simd::SimdOp;

/// Multi-head self-attention with its residual (Vaswani et al. 2017, section 3.2):
/// `x + W_o concat(softmax(qᵢ kᵢᵀ / √d + bias) vᵢ) + b_o` over the heads `i`.
pub(crate) struct Attention {
    /// Queries, keys and values of all heads in one product.
    pub query_key_value: Linear,
    pub output: Linear,
    pub heads: usize,
}

/// Buffers of attention, kept from batch to batch.
#[derive(Default)]
pub(crate) struct AttentionScratch {
    query_key_value: Vec<f32>,
    context: Vec<f32>,
    head: AttendScratch,
}

impl Attention {
    /// Adds the result to `hidden`. A sequence attends to its own tokens alone.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`
    pub fn add(&self, batch: &Batch, hidden: &mut [f32], bias: Option<&PositionBias>, scratch: &mut AttentionScratch) {
        let (tokens, width) = (batch.tokens().len(), self.output.outputs());
        let query_key_value = sized(&mut scratch.query_key_value, tokens * 3 * width);
        let context = sized(&mut scratch.context, tokens * width);
        self.query_key_value.apply(hidden, query_key_value);
        for (number, rows) in batch.rows().enumerate() {
            Attend {
                query_key_value: &query_key_value[rows.start * 3 * width..rows.end * 3 * width],
                context: &mut context[rows.start * width..rows.end * width],
                heads: self.heads,
                width,
                bias,
                visibility: batch.visibility(number),
                scratch: &mut scratch.head,
            }
            .dispatch();
        }
        self.output.add(context, hidden);
    }

    /// Returns how much a token of a sequence attends to each, as the mean over the heads; they sum to 1.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`
    pub fn weights(&self, hidden: &[f32], token: usize, bias: Option<&PositionBias>) -> Vec<f32> {
        let width = self.output.outputs();
        let (tokens, depth) = (hidden.len() / width, width / self.heads);
        let mut states = vec![0.0; tokens * 3 * width];
        self.query_key_value.apply(hidden, &mut states);
        let mut mean = vec![0.0; tokens];
        for head in 0..self.heads {
            let part = |token: usize, kind: usize| &states[(token * 3 + kind) * width + head * depth..][..depth];
            let dot = |key: usize| -> f32 { part(token, 0).iter().zip(part(key, 1)).map(|(q, k)| q * k).sum() };
            let mut scores: Vec<f32> = (0..tokens).map(|key| dot(key) / (depth as f32).sqrt()).collect();
            if let Some(bias) = bias {
                scores.iter_mut().zip(bias.row(head, token, tokens)).for_each(|(score, bias)| *score += bias);
            }
            let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            scores.iter_mut().for_each(|score| *score = (*score - highest).exp());
            let sum: f32 = scores.iter().sum::<f32>() * self.heads as f32;
            mean.iter_mut().zip(scores).for_each(|(mean, score)| *mean += score / sum);
        }
        mean
    }
}
