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
}
