//! Attention of the heads of one sequence, in SIMD.

use rten_simd::ops::BitOps;
use rten_simd::{Isa, SimdOp};
use rten_vecmath::Softmax;

use super::disentangled::{DisentangledScratch, HeadStates};
use super::{AttentionPositions, sized};
use crate::Visibility;
use crate::kernels::{Rows, gather, gather_transposed, product};

/// The heads of one sequence: `contextᵢ = softmax(s qᵢ kᵢᵀ + bias) vᵢ`, over the keys that each token attends to.
///
/// # Shapes
/// `query_key_value: [tokens, 3, heads, d]`, `context: [tokens, heads, d]`
pub(super) struct Attend<'a> {
    pub query_key_value: &'a [f32],
    pub context: &'a mut [f32],
    pub heads: usize,
    /// `heads · d`
    pub width: usize,
    pub positions: &'a AttentionPositions,
    pub visibility: Option<&'a Visibility>,
    /// A token whose weights are wanted.
    pub weights: Option<&'a mut TokenWeights>,
    pub scratch: &'a mut AttendScratch,
}

/// The weights of one token's attention, as the mean over the heads.
pub(super) struct TokenWeights {
    pub token: usize,
    pub mean: Vec<f32>,
}

/// Buffers of one head.
#[derive(Default)]
pub(crate) struct AttendScratch {
    keys: Vec<f32>,
    values: Vec<f32>,
    scores: Vec<f32>,
    context: Vec<f32>,
    distances: DisentangledScratch,
}

impl SimdOp for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(mut self, isa: I) {
        let (stride, depth) = (3 * self.width, self.width / self.heads);
        let tokens = self.context.len() / self.width;
        let lanes = isa.f32().len();
        // Rows of whole vectors: what lies past the last key or dimension is computed and never read.
        let (key_columns, value_columns) = (tokens.next_multiple_of(lanes), depth.next_multiple_of(lanes));
        let keys = sized(&mut self.scratch.keys, depth * key_columns);
        let values = sized(&mut self.scratch.values, tokens * value_columns);
        let scores = sized(&mut self.scratch.scores, tokens * key_columns);
        let context = sized(&mut self.scratch.context, tokens * value_columns);
        let scale = self.positions.scale(depth);
        for head in 0..self.heads {
            let queries = &self.query_key_value[head * depth..];
            let rows = |values| Rows { values, stride, rows: tokens, depth };
            gather_transposed(rows(&queries[self.width..]), scale, keys, key_columns);
            gather(rows(&queries[2 * self.width..]), values, value_columns);
            product(isa, rows(queries), keys, key_columns, scores);
            if let AttentionPositions::Disentangled(disentangled) = self.positions {
                let (queries, keys) = (rows(queries), rows(&queries[self.width..]));
                let states = HeadStates { head, queries, keys, width: self.width, scale };
                disentangled.add(isa, states, (&mut *scores, key_columns), &mut self.scratch.distances);
            }
            for (query, row) in scores.chunks_exact_mut(key_columns).enumerate() {
                let row = &mut row[..tokens];
                self.positions.add_to_row(head, query, row);
                if let Some(visibility) = self.visibility {
                    visibility.mask(query, row);
                }
                Softmax::new_mut(row).eval(isa);
            }
            if let Some(TokenWeights { token, mean }) = &mut self.weights {
                let row = &scores[*token * key_columns..][..tokens];
                mean.iter_mut().zip(row).for_each(|(mean, weight)| *mean += weight / self.heads as f32);
            }
            let weights = Rows { values: scores, stride: key_columns, rows: tokens, depth: tokens };
            product(isa, weights, values, value_columns, context);
            let rows = self.context[head * depth..].chunks_mut(self.width);
            for (row, head) in rows.zip(context.chunks_exact(value_columns)) {
                row[..depth].copy_from_slice(&head[..depth]);
            }
        }
    }
}
