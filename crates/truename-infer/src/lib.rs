//! Sentence encoders on the CPU: strings in, unit vectors out.
//!
//! [`Encoder`] opens a Hugging Face folder (BERT, RoBERTa or MPNet; mean, CLS or max pooling), or one of an encoder of
//! characters that Truename trained, and turns texts into [`Embeddings`]; [`Info`] says what the model is. Weights stay in the
//! mapped file or are packed once for the [`kernels`]; a batch is its tokens one after another, without padding.
//!
//! A text gets the same vector, to the bit, alone and in any batch, on one thread and on many.
//! No tensor type leaves this crate, and nothing is downloaded.
//!
//! ```
//! use truename_infer::Encoder;
//!
//! # fn main() -> Result<(), truename_infer::Error> {
//! # let folder = "tests/models/bert";
//! let encoder = Encoder::open(folder.as_ref())?;
//! let vectors = encoder.encode(&["heart attack", "myocardial infarction"])?;
//! let cosine: f32 = vectors.row(0).iter().zip(vectors.row(1)).map(|(a, b)| a * b).sum();
//! assert!(cosine <= 1.0001);
//! assert_eq!(vectors.dimensions(), encoder.dimensions());
//! # Ok(())
//! # }
//! ```
//!
//! Inside, the code follows the papers: a `Transformer` is a `TokenEmbedding` and layers of `Attention` and
//! `FeedForward`, each followed by a `Norm`. A family of models is one file in `architecture`.

mod architecture;
mod batch;
mod characters;
mod checkpoint;
mod config;
mod embeddings;
mod encoder;
mod error;
mod hash;
mod info;
pub mod kernels;
mod layer;
pub mod lstm;
mod pooling;
mod tokenizer;
mod transformer;
mod weights;

pub use characters::{CharacterConfig, Network};
pub use checkpoint::{CharacterCheckpoint, Checkpoint, TransformerCheckpoint};
pub use config::ModelConfig;
pub use embeddings::Embeddings;
pub use encoder::Encoder;
pub use error::Error;
pub use info::{Architecture, Info, Pooling};
pub use layer::{Activation, position_bucket};
pub use tokenizer::{Tokenizer, Tokens};
pub use weights::Scope;
