//! Sentence encoders on the CPU: strings in, unit vectors out.
//!
//! [`Encoder`] opens a Hugging Face folder (a family of [`Architecture`]; mean, CLS or max pooling), or one of an encoder of
//! characters that Truename trained, and turns texts into [`Embeddings`]; [`Info`] has the kind and sizes of the model. Weights
//! stay in the mapped file or are packed once for the [`kernels`]; a batch is its tokens one after another, without padding.
//!
//! A text gets the same vector, to the bit, alone and in any batch, on one thread and on many.
//! Results are plain numbers (a [`Tensor`] is a shape and its values), and nothing is downloaded.
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
//! The parts in the order of the work: a [`Tokenizer`] makes [`Sequence`]s of texts, each an [`Input`] with the place of every
//! token in its text; a [`Backbone`] makes [`States`] of them; a head makes an answer of the states in plain numbers.
//! [`Encoder`] is the first head. A [`Checkpoint`] is a model folder that is read, changed and saved.
//!
//! Inside, the code follows the papers: a `Transformer` is a `TokenEmbedding` and layers of `Attention` and
//! `FeedForward`, each with a `Norm` before or after it. A family of models is one file in `architecture`, which puts the layers
//! together; a head is one file in `head`.

mod adapter;
mod architecture;
mod backbone;
mod batch;
mod character_config;
mod characters;
mod checkpoint;
mod config;
mod embedding_table;
mod error;
mod hash;
mod head;
mod info;
mod input;
pub mod kernels;
mod layer;
mod logistic;
pub mod lstm;
mod manifest;
mod nibbles;
mod quantize;
mod special_token;
mod states;
mod student;
mod tensor;
mod tokenizer;
mod transformer;
mod visibility;
mod weights;

pub use adapter::{AdapterChoice, AdapterConfig, AdapterFeatures, AdaptersConfig, InitialWeights};
pub use architecture::{DisentangledForm, LayerForm, RotaryPositions, TensorNames};
pub use backbone::Backbone;
pub use batch::Batch;
pub use character_config::{CharacterConfig, Network};
pub use checkpoint::{
    CharacterCheckpoint, Checkpoint, SETTINGS_FILES, TransformerCheckpoint, network_folder, network_folders,
};
pub use config::ModelConfig;
pub use error::Error;
pub use head::{
    CandidateScore, Classification, Classifier, ClassifyConfig, ClassifyText, ClozeCandidate, ClozeConfig, ClozePrompt,
    ClozeQuery, ClozeScorer, ClozeTokens, ContextMapping, ContextScores, Descriptions, Embeddings, Encoder,
    EntityPrompt, EntityType, InContextConfig, LikelySpans, MarginCalibration, Marking, MaskedLanguageModel,
    MaskedPlace, MaskedWord, MentionEncoder, MentionOutcome, Question, RetrieverConfig, RetrieverPrompt, ScoredMention,
    ScoredSpan, SpanConfig, SpanOptions, SpanScorer, SpanStrategy, SpanTensors, SpanWindow, TagConfig, TaggedSpan,
    Tagger, Thresholds, TypeVectors, ValueScale, WindowMargins, WindowOptions, scale_to_unit,
};
pub use info::{Architecture, Info, Pooling, Precision};
pub use input::Input;
pub use layer::{Activation, position_bucket};
pub use logistic::{LogisticRegression, LogisticRow, logistic, softplus};
pub use manifest::Manifest;
pub use special_token::SpecialToken;
pub use states::States;
pub use student::StudentSize;
pub use tensor::{Tensor, Tensors};
pub use tokenizer::{Keep, Part, Place, Sequence, Slot, Template, Tokenizer, Tokens};
pub use visibility::Visibility;
pub use weights::{Scope, read_weights};
