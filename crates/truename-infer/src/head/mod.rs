//! Heads: answers in plain numbers made of a backbone's states. A head is a file.

mod classes;
mod cloze;
mod context_mapping;
mod dense;
mod embeddings;
mod encoder;
mod entity;
mod in_context;
mod markers;
mod marking;
mod masked;
mod masked_language;
mod pooling;
mod retriever;
mod spans;
mod tags;

pub use classes::{Classification, Classifier, ClassifyConfig, ClassifyText, ValueScale};
pub use cloze::{
    CandidateScore, ClozeCandidate, ClozeConfig, ClozePrompt, ClozeQuery, ClozeScorer, ClozeTokens, Question,
};
pub use context_mapping::{ContextMapping, ContextScores, MentionOutcome, ScoredMention};
pub(crate) use dense::Dense;
pub use embeddings::Embeddings;
pub use encoder::Encoder;
pub use entity::EntityPrompt;
pub use in_context::InContextConfig;
pub use marking::Marking;
pub(crate) use masked::MaskedHead;
pub use masked_language::{MaskedLanguageModel, MaskedPlace, MaskedWord};
pub use pooling::scale_to_unit;
pub(crate) use pooling::{VectorLength, length};
pub use retriever::{MentionEncoder, RetrieverConfig, RetrieverPrompt};
pub use spans::{
    Descriptions, EntityType, LikelySpans, MarginCalibration, ScoredSpan, SpanConfig, SpanOptions, SpanScorer,
    SpanStrategy, SpanTensors, SpanWindow, Thresholds, TypeVectors, WindowMargins, WindowOptions,
};
pub use tags::{TagConfig, TaggedSpan, Tagger};
