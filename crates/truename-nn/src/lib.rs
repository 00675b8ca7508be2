//! Encoders that learn: texts as numbers of tokens in, weights out.
//!
//! A [`Learner`] opens a Hugging Face folder (BERT, RoBERTa or MPNet) or begins an encoder of characters, makes steps on [`Batch`]es towards an [`Objective`]
//! and writes a folder of the same kind. Strings are turned into tokens elsewhere, and no tensor leaves this crate.
//!
//! ```
//! use truename_infer::Checkpoint;
//! use truename_nn::{Batch, Learner, LearnerOptions, Objective};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = "../truename-infer/tests/models/bert";
//! let mut checkpoint = Checkpoint::open(folder.as_ref())?;
//! let tokenizer = checkpoint.tokenizer()?;
//! let mut learner = Learner::new(checkpoint, LearnerOptions::default())?;
//! let mut batch = Batch::default();
//! for (name, concept) in [("heart attack", 0), ("myocardial infarction", 0), ("flu", 1), ("influenza", 1)] {
//!     batch.push(&tokenizer.tokens(name)?.ids, concept);
//! }
//! let objective = Objective::SupervisedContrastive { temperature: 0.1 };
//! let before = learner.loss(&batch, objective);
//! for _ in 0..5 {
//!     learner.step(std::slice::from_ref(&batch), objective, 1e-3);
//! }
//! assert!(learner.loss(&batch, objective) < before);
//! # Ok(())
//! # }
//! ```
//!
//! Inside, the code follows the papers' diagrams: a `Transformer` is a `TokenEmbedding` and `EncoderLayer`s of `Attention`
//! and `FeedForward`, composed of the operations of `burn`. On the CPU each layer runs as one operation (`fused`), to which
//! the composition is the oracle. A loss is a file in `loss`.

mod allocator;
mod batch;
mod characters;
mod device;
mod dropout;
mod encoder;
mod fused;
mod layer;
mod learner;
mod loss;
mod objective;
mod optimizer;
mod parameter;
mod pooling;
mod transformer;

pub use batch::{Batch, Pair};
pub use device::Device;
pub use learner::{Learner, LearnerOptions, Step};
pub use loss::{Distance, Mining, MultiSimilarity};
pub use objective::Objective;
pub use optimizer::{AdamWOptions, OptimizerState};

#[cfg(test)]
mod tests;
