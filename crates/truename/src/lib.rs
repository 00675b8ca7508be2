//! Links messy names to the identifiers of your knowledge base.
//!
//! Read in this order: a [`KnowledgeBase`] is imported from the files in which it is published; a
//! [`Linker`] resolves each name to a concept, as a [`Link`] with a calibrated probability, or to NIL;
//! [`KnowledgeBase::calibrate`] fits the [`Ranker`] to a knowledge base. An [`Encoder`] encodes its names as vectors
//! ([`KnowledgeBase::embed`]); a linker then also finds names that share no letters
//! ([`KnowledgeBase::with_encoder`]).
//!
//! ```
//! use truename::{ImportOptions, KnowledgeBase, Linker};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (file, mykb) = (folder.path().join("kb.tsv"), folder.path().join("mykb"));
//! # std::fs::write(&file, "id\tname\nA:1\tmyocardial infarction\nA:1\theart attack\nA:2\theart failure\n")?;
//! KnowledgeBase::import(&[file], &mykb, &ImportOptions::default(), false)?;
//! let linker = Linker::open(&mykb)?;
//! for link in linker.link_names(&["Heart Attacks", "hart failure"])? {
//!     println!("{} is {:?}", link.name, link.id());
//! }
//! # assert_eq!(linker.link_name("Heart Attacks")?.candidates[0].id, "A:1");
//! # Ok(())
//! # }
//! ```

mod assertion;
mod bundled_models;
mod cache;
mod calibrate;
mod call;
mod document_evidence;
mod error;
mod explain;
mod feature;
mod generator;
pub mod guard;
mod indexes;
mod knowledge_base;
mod known_names;
mod link;
mod linked;
mod linker;
mod marked_documents;
mod memo;
mod name_filter;
mod name_set;
mod placeholder;
mod preferred_name;
mod proposal;
mod quantized_model;
mod query;
mod ranker;
mod recognizer;
mod reranker;
mod retrieval;
mod retriever;
mod review;
mod shards;
mod shared_names;
mod short_forms;
mod stop_names;

pub use assertion::assertion_rules;
pub use bundled_models::{ModelCard, bundled_models, bundled_recognizer};
pub use cache::cache_folder;
pub use calibrate::{CalibrateOptions, ContextGain, Gain, GoldAnswers, TrainingSet};
pub use error::Error;
pub use feature::FeatureSet;
pub use knowledge_base::{
    AttachedModel, EmbedReport, EncoderRecord, Info, KnowledgeBase, LearnReport, LearntNames, ModelHash, ModelRole,
    NameFrequencies, NearName, NextVectors, Provenance, Report, VectorInfo, WrittenIds, last_of_each,
};
pub use link::{Candidate, Link, Scores};
pub use linked::{LinkedDocument, LinkedMention, recognize_all};
pub use linker::{
    Ambiguous, DocumentBatches, LONGEST_NAME_BYTES, LinkOptions, LinkStream, Linker, SharedLinks, StreamItem,
};
pub use placeholder::Placeholders;
pub use quantized_model::{QuantizeOptions, quantize_model, with_precision};
pub use query::{Context, Query};
pub use ranker::{FitOptions, Ranker};
pub use recognizer::{
    Annotator, CompositeRecognizer, DictionaryRecognizer, FormExample, MentionExamples, MentionModel, MentionVector,
    Reading, RecognizedMention, Recognizer, RecognizerOptions, TrainedRecognizer, UnionRecognizer,
};
pub use reranker::{CandidateConcept, Reranker, Shortlist, TrainedReranker, context_scores};
pub use retriever::{AttachedRetriever, ContextRetriever, TrainedRetriever};
pub use review::{Drawn, EVEN_SHARE, doubt, doubt_at, doubt_of, review_order};
pub use shards::{gather, weigh};
pub use stop_names::StopNames;
pub use truename_error::{ErrorKind, Hint, HintPart};
pub use truename_infer::{
    AdapterChoice, Descriptions, Encoder, EntityType, MaskedLanguageModel, Precision, SpanOptions, SpanStrategy,
};
pub use truename_kb::import::{AliasReport, Columns, SynonymScopes};
pub use truename_kb::{
    Alias, Committing, Comparison, Concept, ConceptId, Date, Format, ImportOptions, Judgement, JudgementLine, Phase,
    Problem, Progress, RetiredId, SynonymScope, Verdict,
};
pub use truename_text::{
    Abbreviation, Assertion, AssertionRules, Assertions, Document, GoldName, Mention, OffsetUnit, Offsets, Passage,
    Span,
};
