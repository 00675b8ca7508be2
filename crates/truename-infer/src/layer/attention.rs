//! Multi-head self-attention.

use super::attend::{Attend, AttendScratch, TokenWeights};
use super::{AttentionPositions, Linear, sized};
use crate::batch::Batch;

use rten_simd::SimdOp;

/// Multi-head self-attention (Vaswani et al. 2017, section 3.2): `W_o concat(softmax(s qᵢ kᵢᵀ + bias) vᵢ) + b_o` over the heads `i`, with
/// `s = 1 / √d`.
pub(crate) struct Attention {
    /// Queries, keys and values of all heads in one product.
    pub query_key_value: Linear,
    pub output: Linear,
    pub heads: usize,
    pub positions: AttentionPositions,
}

/// Buffers of attention, kept from batch to batch.
#[derive(Default)]
pub(crate) struct AttentionScratch {
    query_key_value: Vec<f32>,
    context: Vec<f32>,
    head: AttendScratch,
}

impl Attention {
    /// Returns the context of each token, before the output map. A sequence attends to its own tokens alone.
    ///
    /// # Shapes
    /// `input: [tokens, hidden]`, output: the same
    pub fn context<'a>(&self, batch: &Batch, input: &[f32], scratch: &'a mut AttentionScratch) -> &'a [f32] {
        let (tokens, width) = (batch.tokens().len(), self.output.outputs());
        let query_key_value = sized(&mut scratch.query_key_value, tokens * 3 * width);
        let context = sized(&mut scratch.context, tokens * width);
        self.query_key_value.apply(input, query_key_value);
        self.positions.turn(batch.positions(), query_key_value, width);
        for (number, rows) in batch.rows().enumerate() {
            Attend {
                query_key_value: &query_key_value[rows.start * 3 * width..rows.end * 3 * width],
                context: &mut context[rows.start * width..rows.end * width],
                heads: self.heads,
                width,
                positions: &self.positions,
                visibility: batch.visibility(number),
                weights: None,
                scratch: &mut scratch.head,
            }
            .dispatch();
        }
        context
    }

    /// Returns how much a token of a sequence attends to each, as the mean over the heads; they sum to 1.
    ///
    /// # Shapes
    /// `input: [tokens, hidden]`
    pub fn weights(&self, input: &[f32], token: usize) -> Vec<f32> {
        let width = self.output.outputs();
        let tokens = input.len() / width;
        let mut query_key_value = vec![0.0; tokens * 3 * width];
        self.query_key_value.apply(input, &mut query_key_value);
        self.positions.turn(0..tokens as u32, &mut query_key_value, width);
        let mut weights = TokenWeights { token, mean: vec![0.0; tokens] };
        Attend {
            query_key_value: &query_key_value,
            context: &mut vec![0.0; tokens * width],
            heads: self.heads,
            width,
            positions: &self.positions,
            visibility: None,
            weights: Some(&mut weights),
            scratch: &mut AttendScratch::default(),
        }
        .dispatch();
        weights.mean
    }
}
