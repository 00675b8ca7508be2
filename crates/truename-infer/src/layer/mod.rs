//! The parts of a transformer, each with its weights.

mod activation;
mod attend;
mod attention;
mod disentangled;
mod embedding;
mod feed_forward;
mod gate;
mod linear;
mod norm;
mod position_bias;
mod positions;
mod rotary;
mod transformer;

pub use activation::Activation;
pub(crate) use attention::{Attention, AttentionScratch};
pub(crate) use disentangled::{Disentangled, DistanceRows};
pub(crate) use embedding::TokenEmbedding;
pub(crate) use feed_forward::{FeedForward, FeedForwardScratch};
pub(crate) use linear::Linear;
pub(crate) use norm::{Norm, PartNorm};
pub(crate) use position_bias::PositionBias;
pub use position_bias::position_bucket;
pub(crate) use positions::AttentionPositions;
pub(crate) use rotary::Rotary;
pub(crate) use transformer::{Layer, LayerScratch, LayerSizes};

pub(crate) use crate::kernels::sized;
