//! Networks that learn: texts as numbers of tokens in, weights out.
//!
//! A [`Learner`] opens Hugging Face folders of any family that `truename-infer` reads or starts character networks, makes steps
//! that minimise an [`Objective`] and writes a folder of the same kind. Strings are turned into tokens elsewhere, and no tensor
//! leaves this crate.
//!
//! ```
//! use truename_infer::Checkpoint;
//! use truename_nn::{LabelledTexts, Learner, LearnerOptions, Metric, MetricLoss};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = "../truename-infer/tests/models/bert";
//! let mut checkpoint = Checkpoint::open(folder.as_ref())?;
//! let tokenizer = checkpoint.tokenizer()?;
//! let objective = Metric { loss: MetricLoss::SupervisedContrastive { temperature: 0.1 } };
//! let mut learner = Learner::new(vec![checkpoint], objective, LearnerOptions::default())?;
//! let mut batch = LabelledTexts::default();
//! for (name, concept) in [("heart attack", 0), ("myocardial infarction", 0), ("flu", 1), ("influenza", 1)] {
//!     batch.push(&tokenizer.tokens(name)?.ids, concept);
//! }
//! let before = learner.loss(&batch);
//! for _ in 0..5 {
//!     learner.step(std::slice::from_ref(&batch), 1e-3);
//! }
//! assert!(learner.loss(&batch) < before);
//! # Ok(())
//! # }
//! ```
//!
//! Inside, the code follows the papers' diagrams: a `Transformer` is a `TokenEmbedding` and `EncoderLayer`s of `Attention`
//! and `FeedForward`, composed of the operations of `burn`. On the CPU each layer runs as one operation (`fused`), to which
//! the composition is the oracle. An objective is a file in `objective`.

mod adapter;
mod allocator;
mod characters;
mod device;
mod dropout;
mod fused;
mod layer;
mod layout;
mod learner;
mod name_pattern;
mod network;
mod objective;
mod optimizer;
mod parameter;
mod pooling;
mod transformer;

pub use device::Device;
pub use learner::{Learner, LearnerOptions, Step, untrained_characters};
pub use name_pattern::NamePattern;
pub use objective::{
    Classify, ClassifyTexts, Cloze, DebiasedLoss, Distance, Distillation, DistillationOptions, EntityVector, GoldSpan,
    Joint, JointBatch, LabelledSpans, LabelledTexts, MarkedEntities, MaskedLanguageModelling, MaskedTokens, Metric,
    MetricLoss, Mining, MultiSimilarity, Objective, Pair, Pairs, Prompts, Retrieval, RetrievalBatch, SoftLabels,
    SoftSpans, SoftVectors, SpanLabels, SpanTeacher, SpanThreshold, Spans, SpansOptions, Synonyms, TaggedTokens, Tags,
    Targets, TeacherAnswers, TeacherThresholds, TextPairs,
};
pub use optimizer::{AdamWOptions, OptimizerState};

#[cfg(test)]
mod tests;
