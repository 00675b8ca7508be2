//! Disentangled attention: scores of contents with the distances of tokens, as in DeBERTa.

use std::sync::Arc;

use rten_simd::Isa;
use rten_simd::ops::BitOps;

use super::sized;
use crate::kernels::{Rows, gather_transposed, product};

/// Disentangled attention (He et al. 2021, section 3.1): to the score of a query's and a key's content come those of the query's content
/// with their distance, `q · Kᵣ`, and of the key's with it, `k · Qᵣ`.
pub(crate) struct Disentangled {
    /// Distances as keys: `[distances, heads, d]`
    pub keys: Option<Vec<f32>>,
    /// Distances as queries: `[distances, heads, d]`
    pub queries: Option<Vec<f32>>,
    pub distances: Arc<DistanceRows>,
}

/// Row of each distance in the tables of distances.
pub(crate) struct DistanceRows {
    /// From `1 - window` to `window - 1`.
    rows: Vec<usize>,
    window: usize,
}

/// Buffers of one head.
#[derive(Default)]
pub(super) struct DisentangledScratch {
    table: Vec<f32>,
    scores: Vec<f32>,
}

/// Queries and keys of one head of a sequence.
#[derive(Clone, Copy)]
pub(super) struct HeadStates<'a> {
    pub head: usize,
    pub queries: Rows<'a>,
    pub keys: Rows<'a>,
    /// Of all heads.
    pub width: usize,
    /// Factor of every score.
    pub scale: f32,
}

impl DistanceRows {
    /// Takes the row of each distance, for texts of at most `window` tokens.
    pub fn new(window: usize, row: impl Fn(isize) -> usize) -> Self {
        Self { rows: (1 - window as isize..window as isize).map(row).collect(), window }
    }

    /// The rows of the distances from a query to the first `keys` keys, the last key first.
    fn of_query(&self, query: usize, keys: usize) -> &[usize] {
        &self.rows[self.window + query - keys..][..keys]
    }
}

impl Disentangled {
    /// Scores that are summed.
    pub fn terms(&self) -> usize {
        1 + usize::from(self.keys.is_some()) + usize::from(self.queries.is_some())
    }

    /// Adds the scores with distances to those of the contents.
    ///
    /// # Shapes
    /// `scores: [queries, columns]`
    #[inline(always)]
    pub(super) fn add<I: Isa>(
        &self,
        isa: I,
        states: HeadStates,
        (scores, columns): (&mut [f32], usize),
        scratch: &mut DisentangledScratch,
    ) {
        let tokens = states.keys.rows;
        let Some((last, first)) = self.range(tokens) else { return };
        let distances = last + 1 - first;
        let table_columns = distances.next_multiple_of(isa.f32().len());
        for (table, is_of_keys) in [(&self.keys, false), (&self.queries, true)] {
            let Some(table) = table else { continue };
            let HeadStates { head, queries, keys, width, scale } = states;
            let values = &table[first * width + head * keys.depth..];
            let rows = Rows { values, stride: width, rows: distances, depth: keys.depth };
            let transposed = sized(&mut scratch.table, keys.depth * table_columns);
            gather_transposed(rows, scale, transposed, table_columns);
            let found = sized(&mut scratch.scores, tokens * table_columns);
            product(isa, if is_of_keys { keys } else { queries }, transposed, table_columns, found);
            for (query, row) in scores.chunks_exact_mut(columns).enumerate() {
                let of_query = self.distances.of_query(query, tokens).iter().rev();
                for ((key, score), distance) in row[..tokens].iter_mut().enumerate().zip(of_query) {
                    let token = if is_of_keys { key } else { query };
                    *score += found[token * table_columns + distance - first];
                }
            }
        }
    }

    /// The last and the first row of the distances between so many tokens.
    fn range(&self, tokens: usize) -> Option<(usize, usize)> {
        let farthest = tokens.checked_sub(1)?;
        Some((*self.distances.of_query(farthest, tokens).last()?, *self.distances.of_query(0, tokens).first()?))
    }
}
