//! Biases of attention by the distance of two tokens, as in MPNet.

use crate::weights::Table;

/// Distances from which on all are alike (MPNet's `relative_position_bucket`).
const FARTHEST: f32 = 128.0;

/// Bias of attention by the distance of two tokens (Raffel et al. 2020, section 2.1): a learned number for each head and
/// bucket of distances. Near distances have a bucket each, far ones share buckets by their logarithm.
pub(crate) struct PositionBias {
    /// For each head the bias at distances `-(window - 1)..window`.
    by_distance: Vec<f32>,
    window: usize,
}

impl PositionBias {
    /// On each side a near and a far one.
    pub const FEWEST_BUCKETS: usize = 4;

    /// # Shapes
    /// `buckets: [buckets, heads]`
    pub fn new(buckets: &Table, heads: usize, window: usize) -> Self {
        let distances = (1 - window as isize)..window as isize;
        let row = |distance| {
            buckets.row(position_bucket(distance, buckets.rows())).expect("a bucket is one of those there are")
        };
        let by_distance = (0..heads).flat_map(|head| distances.clone().map(move |distance| row(distance)[head]));
        Self { by_distance: by_distance.collect(), window }
    }

    /// The biases of `head` for the scores of the token at `query` with the first `keys` tokens.
    pub fn row(&self, head: usize, query: usize, keys: usize) -> &[f32] {
        let of_head = &self.by_distance[head * (2 * self.window - 1)..];
        &of_head[self.window - 1 - query..][..keys]
    }
}

/// Returns the bucket of a key that stands `distance` tokens after the query; half of the buckets are for keys before it.
pub fn position_bucket(distance: isize, buckets: usize) -> usize {
    let one_side = buckets / 2;
    let side = if distance > 0 { one_side } else { 0 };
    let (distance, near) = (distance.unsigned_abs(), one_side / 2);
    if distance < near {
        return side + distance;
    }
    let share = (distance as f32 / near as f32).ln() / (FARTHEST / near as f32).ln();
    let far = near + (share * (one_side - near) as f32) as usize;
    side + far.min(one_side - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_mpnet() {
        // from transformers.models.mpnet.modeling_mpnet import MPNetEncoder
        // MPNetEncoder.relative_position_bucket(torch.tensor([...]))
        let distances = [0, 1, -1, 7, -7, 8, -8, 12, -16, 31, 32, 64, -90, 127, -128, 511, -511];
        let expected = [0, 17, 1, 23, 7, 24, 8, 25, 10, 27, 28, 30, 14, 31, 15, 31, 15];
        assert_eq!(distances.map(|distance| position_bucket(distance, 32)), expected);
    }
}
