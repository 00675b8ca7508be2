//! Training: one recipe, one loop.
//!
//! A [`Recipe`] states a run; a [`Dataset`] holds the names of concepts and those asked for; a [`Task`] plans epochs, makes
//! batches and evaluates; [`Training`] makes steps and evaluations of any task one at a time and leaves a Hugging Face
//! folder, from which it can also go on. [`Accuracy`] measures an encoder by itself.

mod accuracy;
mod augmentation;
mod dataset;
mod error;
mod metrics;
mod nearest;
mod pair_sampler;
mod recipe;
mod run_folder;
mod sampler;
mod schedule;
mod task;
mod training;
mod tuning;
mod vectors;

pub use accuracy::Accuracy;
pub use dataset::{DataFile, Dataset, Named, Query};
pub use error::Error;
pub use recipe::{
    Augmentation, Data, Decay, DistanceKind, EXPLAINED, EncoderKeys, Evaluation, LossKind, MiningKind, ObjectiveKeys,
    PairKeys, RankerKeys, Recipe, SamplerKeys, Schedule,
};
pub use run_folder::{fold_encoders, fold_folder};
pub use sampler::Item;
pub use task::{Epoch, Groups, Pairs, Planned, Scores, Task, begin};
pub use training::{Event, Run, Start, Training};
pub use tuning::{Axis, Setting, Trial, Tuning, draw, grid};
