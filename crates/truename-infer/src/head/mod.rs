//! Heads: answers in plain numbers made of a backbone's states. A head is a file.

mod embeddings;
mod encoder;
mod pooling;

pub use embeddings::Embeddings;
pub use encoder::Encoder;
pub use pooling::scale_to_unit;
