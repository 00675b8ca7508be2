//! The form of disentangled attention, for both engines.

/// Disentangled attention (He et al. 2021, section 3.1): scores with the distances of tokens, each distance a row of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisentangledForm {
    /// Distances on each side that have rows of their own or share some.
    pub(super) span: usize,
    /// True where far distances share rows by their logarithm.
    pub(super) has_buckets: bool,
    /// Distance of the farthest row.
    pub(super) farthest: usize,
    /// True where the table is normed.
    pub has_norm: bool,
    /// True where the maps of the contents map the distances too.
    pub has_shared_maps: bool,
    /// True where queries are scored with distances.
    pub scores_queries: bool,
    /// True where keys are scored with distances.
    pub scores_keys: bool,
}

impl DisentangledForm {
    /// Part with the table of distances.
    pub const TABLE: &'static str = "encoder.rel_embeddings";
    /// Norm of the table.
    pub const NORM: &'static str = "encoder.LayerNorm";
    /// Map of a layer that makes queries of distances, where the maps are not shared.
    pub const QUERY: &'static str = "attention.self.pos_query_proj";
    /// Map of a layer that makes keys of distances, where the maps are not shared.
    pub const KEY: &'static str = "attention.self.pos_key_proj";

    /// Rows of the table.
    pub fn rows(&self) -> usize {
        self.span.saturating_mul(2)
    }

    /// Scores that are summed.
    pub fn terms(&self) -> usize {
        1 + usize::from(self.scores_queries) + usize::from(self.scores_keys)
    }

    /// Returns the row of the distance from a key to a query that stands so many tokens after it.
    pub fn row(&self, distance: isize) -> usize {
        let span = self.span as isize;
        let bucket = if self.has_buckets { self.log_bucket(distance) } else { distance };
        (bucket + span).clamp(0, 2 * span - 1) as usize
    }

    /// The bucket of a distance (DeBERTa's `make_log_bucket_position`).
    fn log_bucket(&self, distance: isize) -> isize {
        let middle = (self.span / 2) as isize;
        if distance.abs() <= middle {
            return distance;
        }
        let middle = middle as f32;
        let share = (distance.unsigned_abs() as f32 / middle).ln() / ((self.farthest as f32 - 1.0) / middle).ln();
        let bucket = (share * (middle - 1.0)).ceil() + middle;
        bucket as isize * distance.signum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_deberta() {
        let form = DisentangledForm {
            span: 16,
            has_buckets: true,
            farthest: 64,
            has_norm: false,
            has_shared_maps: true,
            scores_queries: true,
            scores_keys: true,
        };
        // from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position
        // make_log_bucket_position(torch.tensor([...]), 16, 64) + 16
        let distances = [0, 1, -1, 7, 8, -8, 9, 12, -16, 31, 32, 63, -63, 500];
        let expected = [0, 1, -1, 7, 8, -8, 9, 10, -11, 13, 13, 15, -15, 15].map(|bucket| (bucket + 16) as usize);
        assert_eq!(distances.map(|distance| form.row(distance)), expected);
        let plain = DisentangledForm { has_buckets: false, ..form };
        assert_eq!([-40, -16, 0, 15, 40].map(|distance| plain.row(distance)), [0, 0, 16, 31, 31]);
    }
}
