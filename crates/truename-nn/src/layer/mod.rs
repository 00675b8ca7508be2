//! The parts of an encoder, each with its parameters.

mod attention;
mod disentangled;
mod embedding;
mod encoder_layer;
mod feed_forward;
mod linear;
mod lstm;
mod masked_head;
mod norm;
mod pass;
mod position_bias;
mod unit;

pub(crate) use attention::Attention;
pub(crate) use disentangled::{DistanceMaps, DistanceTable, Distances};
pub(crate) use embedding::{TokenEmbedding, dropped, indices, rows};
pub(crate) use encoder_layer::EncoderLayer;
pub(crate) use feed_forward::FeedForward;
pub(crate) use linear::Linear;
pub(crate) use lstm::Lstm;
pub(crate) use masked_head::MaskedHead;
pub(crate) use norm::Norm;
pub(crate) use pass::Pass;
pub(crate) use position_bias::PositionBias;
pub(crate) use unit::{row_lengths, unit_rows};
