//! The parts of a transformer, each with its weights.

mod attend;
mod attention;
mod embedding;
mod feed_forward;
mod linear;
mod norm;
mod position_bias;
mod transformer;

pub(crate) use attention::{Attention, AttentionScratch};
pub(crate) use embedding::TokenEmbedding;
pub use feed_forward::Activation;
pub(crate) use feed_forward::FeedForward;
pub(crate) use linear::Linear;
pub(crate) use norm::Norm;
pub(crate) use position_bias::PositionBias;
pub use position_bias::position_bucket;
pub(crate) use transformer::{Layer, LayerSizes};

pub(crate) use crate::kernels::sized;
