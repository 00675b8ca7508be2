//! The parts of a transformer, each with its weights.

mod attend;
mod attention;
mod embedding;
mod feed_forward;
mod linear;
mod norm;
mod position_bias;

pub(crate) use attention::{Attention, AttentionScratch};
pub(crate) use embedding::TokenEmbedding;
pub(crate) use feed_forward::{ACTIVATIONS, Activation, FeedForward};
pub(crate) use linear::Linear;
pub(crate) use norm::Norm;
pub(crate) use position_bias::PositionBias;
pub use position_bias::position_bucket;

/// The first `len` numbers of a buffer, which grows to that once and is then used again and again.
pub(crate) fn sized(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    &mut buffer[..len]
}
