//! The form of a layer: where it differs from BERT's.

use super::DisentangledForm;

/// The form of a layer, for the engine that serves and the one that learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerForm {
    /// Rotary positions, where the layer has them.
    pub rotary: Option<RotaryPositions>,
    /// Scores of attention with distances, where the layer has them.
    pub disentangled: Option<DisentangledForm>,
    /// True where norms come before the parts of the layer, false where they follow the residuals.
    pub has_norms_before: bool,
    /// False where attention reads states that are normed already.
    pub has_attention_norm: bool,
    /// True where the feed-forward part has a gate.
    pub is_gated: bool,
}

/// Rotary position embedding (Su et al. 2021, section 3.4.2): the pair of dimensions `i` and `i + d/2` of a query or key at position `p` is
/// turned by the angle `p · base^(−2i/d)`, so that a score depends on the distance of the two tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotaryPositions {
    /// Base of the angles.
    pub base: f32,
    /// Largest distance of two tokens that attend to each other; all do without it.
    pub reach: Option<usize>,
}

impl LayerForm {
    /// That of BERT.
    pub const BERT: Self =
        Self { rotary: None, disentangled: None, has_norms_before: false, has_attention_norm: true, is_gated: false };
}

impl RotaryPositions {
    /// Returns the `d/2` angles of a position in heads of `depth` dimensions.
    pub fn angles(&self, depth: usize, position: usize) -> impl Iterator<Item = f32> {
        let base = self.base;
        let frequency = move |pair: usize| 1.0 / base.powf((2 * pair) as f32 / depth as f32);
        (0..depth / 2).map(move |pair| position as f32 * frequency(pair))
    }
}
