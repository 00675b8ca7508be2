//! Training: one recipe, one loop.
//!
//! A [`Recipe`] states a run; a [`Dataset`] holds the names of concepts and those asked for; [`Training`] makes steps and
//! evaluations one at a time and leaves a Hugging Face folder, from which it can also go on. [`Accuracy`] is what an
//! encoder finds by itself.

mod accuracy;
mod augmentation;
mod dataset;
mod error;
mod metrics;
mod nearest;
mod pairs;
mod recipe;
mod run_folder;
mod sampler;
mod schedule;
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
pub use training::{Event, Training};
pub use tuning::{Axis, Setting, Trial, Tuning, draw, grid};
