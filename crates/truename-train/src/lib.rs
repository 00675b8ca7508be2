//! Training: one recipe, one loop.
//!
//! A [`Recipe`] states a run; a [`Dataset`] holds the names of concepts and those asked for; a [`Task`] plans epochs and makes
//! batches; [`Training`] makes steps and evaluations of any task one at a time and leaves a Hugging Face folder, from which it
//! can also go on. [`train`] makes the run of a recipe with those of its folds, [`TrainedEncoders`] fit a ranker by them, and
//! [`CrossValidation`] does both for each part of the names. [`Accuracy`] measures an encoder by itself.
//!
//! ```
//! use truename_train::{Dataset, NamedConcept, Recipe, Run, Start, begin_on};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let out = folder.path().join("encoder");
//! let recipe = "[task]\nkind = \"groups\"\n[encoder]\ncharacters = \"convolution\"\nhidden = 16\n";
//! let concepts = vec![NamedConcept::new("X:1", ["heart attack", "infarct"]), NamedConcept::new("X:2", ["flu", "influenza"])];
//! let dataset = Dataset::new(concepts, Vec::new(), Vec::new())?;
//! let mut run = begin_on(&recipe.parse::<Recipe>()?, dataset, &out, Start::Anew)?;
//! while let Some(event) = run.advance()? {
//!     println!("{event:?}");
//! }
//! assert!(out.join("model.safetensors").exists());
//! # Ok(())
//! # }
//! ```
//!
//! The same loop trains a task of your own: `examples/own_task.rs`.

mod augmentation;
mod chain;
mod cross_validation;
mod data_file;
mod documents;
mod error;
mod mentions;
mod names;
mod nearest;
mod pair_sampler;
mod recipe;
mod retrieval;
mod runs;
mod sampler;
mod sentences;
mod task;
mod texts;
mod trained;
mod training;
mod tuning;

pub use cross_validation::{CrossValidation, FittedFold, FoldEncoder};
pub use data_file::DataFile;
pub use error::Error;
pub use names::{Accuracy, AccuracySearch, Dataset, NamedConcept, Names, Query};
pub use recipe::{Change, Decay, Evaluation, Keep, Recipe, Schedule};
pub use runs::{Member, train, train_on};
pub use sampler::Item;
pub use sentences::{
    CorpusOptions, CorpusReport, CorpusTexts, LeftOutCounts, LinkedDocuments, MarkedSentence, ReadCounts,
    SENTENCES_FILE, WrittenCounts, build_corpus, read_sentences,
};
pub use task::{
    Classify, Distil, Groups, InContext, Joint, Kind, Pairs, Pretrain, Recognize, Rerank, Retrieve, Synonyms, Tag,
    begin, begin_on,
};
pub use trained::TrainedEncoders;
pub use training::{Description, Epoch, EpochSize, Event, Run, Scores, Start, Task, TaskBatch, TaskData, Training};
pub use tuning::{Axis, Setting, Trial, Tuning, draw, grid};
