//! Places of tokens in attention: biases, rotary angles, scores of distances.

use std::sync::Arc;

use super::{Disentangled, PositionBias, Rotary};

/// The part of attention that depends on where tokens stand.
#[derive(Default)]
pub(crate) enum AttentionPositions {
    /// The states alone say where a token stands.
    #[default]
    InStates,
    /// A learned bias for each distance.
    Bias(Arc<PositionBias>),
    Rotary {
        angles: Arc<Rotary>,
        /// Largest distance of two tokens that attend to each other; all do without it.
        reach: Option<usize>,
    },
    Disentangled(Disentangled),
}

impl AttentionPositions {
    /// Factor of the scores of heads with `depth` dimensions.
    pub fn scale(&self, depth: usize) -> f32 {
        let terms = match self {
            Self::Disentangled(disentangled) => disentangled.terms(),
            _ => 1,
        };
        1.0 / ((depth * terms) as f32).sqrt()
    }

    /// Turns queries and keys by the positions of their tokens, where that is the way.
    ///
    /// # Shapes
    /// `query_key_value: [tokens, 3, width]`
    pub fn turn(&self, positions: impl Iterator<Item = u32>, query_key_value: &mut [f32], width: usize) {
        if let Self::Rotary { angles, .. } = self {
            angles.turn(positions, query_key_value, width);
        }
    }

    /// Adds to the scores of the token at `query` with the first tokens what their distances alone give.
    pub fn add_to_row(&self, head: usize, query: usize, row: &mut [f32]) {
        match self {
            Self::Bias(bias) => {
                let bias = bias.row(head, query, row.len());
                row.iter_mut().zip(bias).for_each(|(score, bias)| *score += bias);
            }
            Self::Rotary { reach: Some(reach), .. } => {
                let near = query.saturating_sub(*reach)..query.saturating_add(*reach).saturating_add(1).min(row.len());
                row[..near.start].fill(f32::NEG_INFINITY);
                row[near.end..].fill(f32::NEG_INFINITY);
            }
            Self::InStates | Self::Rotary { reach: None, .. } | Self::Disentangled(_) => {}
        }
    }
}
