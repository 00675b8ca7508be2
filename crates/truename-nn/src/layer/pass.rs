//! The step that layers are run for: layout of the batch, biases, dropout.

use burn_tensor::Tensor;

use super::Distances;
use crate::dropout::Dropout;
use crate::layout::Layout;

/// The step that a layer is run for.
#[derive(Clone)]
pub(crate) struct Pass<'a> {
    pub layout: &'a Layout,
    /// The position of each token, for rotary layers.
    pub positions: &'a [u32],
    /// MPNet's bias by distance: `[2 longest - 1, heads]`.
    pub bias: Option<Tensor<2>>,
    /// DeBERTa's distances.
    pub distances: Option<Distances>,
    pub dropout: Dropout,
    /// True where layers run as one operation, if the device has it, and not as the operations that it replaces.
    pub is_fused: bool,
}
