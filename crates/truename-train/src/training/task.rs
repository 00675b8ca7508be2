//! Tasks: the subject of a run, which plans epochs and makes batches; the loop knows nothing else of it.

use std::collections::BTreeMap;
use std::path::Path;

use fastrand::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use truename_infer::{Batch, Checkpoint, Encoder, Manifest, Tokenizer, scale_to_unit};
use truename_kb::Progress;
use truename_nn::{Learner, LearnerOptions, Objective};
use truename_text::stable_hash;

use crate::Error;

/// The subject of a training run.
pub trait Task {
    /// The training objective.
    type Objective: Objective;
    /// The epoch under way, and all that later epochs depend on; part of a checkpoint.
    type Plan: Default + Serialize + DeserializeOwned;

    /// Name of the score that decides which weights are kept; higher is better.
    const SCORE: &'static str;

    /// Returns the name of the score that decides, where it is not always the same.
    fn score(&self) -> &str {
        Self::SCORE
    }

    /// The data of the run.
    fn data(&self) -> &dyn TaskData;

    /// Opens the networks of a new run, in the order of the objective.
    ///
    /// # Errors
    /// Where a folder cannot be read.
    fn networks(&self) -> Result<Vec<Checkpoint>, Error>;

    /// Changes the options of the networks.
    ///
    /// # Errors
    /// Where the recipe has a value that they cannot have.
    fn configure(&self, _options: &mut LearnerOptions) -> Result<(), Error> {
        Ok(())
    }

    /// Creates the objective for the networks of a run.
    ///
    /// # Errors
    /// Where a network does not fit.
    fn objective(&self, networks: &[Checkpoint]) -> Result<Self::Objective, Error>;

    /// Describes the heads of the model for its folder.
    ///
    /// # Errors
    /// Where a configuration has no form in JSON.
    fn describe(&self, _manifest: &mut Manifest) -> Result<(), Error> {
        Ok(())
    }

    /// Changes the options of the objective for a step, from 0, of `steps`.
    fn adjust(&self, _objective: &mut Self::Objective, _step: u64, _steps: u64) {}

    /// Returns the size of an epoch that is not planned yet.
    fn expected_epoch(&self, plan: &Self::Plan) -> EpochSize;

    /// Plans an epoch. A resumed run plans an epoch again where [`Task::batches`] of its plan is 0.
    ///
    /// # Errors
    /// Where a network fails.
    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Self::Objective>) -> Result<(), Error>;

    /// Returns the number of batches of the epoch under way; 0 before it is planned.
    fn batches(&self, plan: &Self::Plan) -> usize;

    /// Makes a batch of the epoch under way, and returns it with the number of its texts.
    ///
    /// # Errors
    /// Where a text cannot be turned into tokens.
    fn batch(&self, plan: &Self::Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error>;

    /// Ends the epoch under way: [`Task::batches`] is 0 afterwards.
    ///
    /// # Errors
    /// Where a network fails or the work is stopped; the plan is as it was before.
    fn end_epoch(&self, plan: &mut Self::Plan, _epoch: &Epoch<'_, Self::Objective>) -> Result<(), Error> {
        *plan = Self::Plan::default();
        Ok(())
    }

    /// Describes the data for the user.
    ///
    /// # Errors
    /// Where a text cannot be turned into tokens.
    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error>;

    /// Evaluates the model folder of a checkpoint.
    ///
    /// # Errors
    /// Where the folder cannot be read, or the work is stopped.
    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error>;

    /// Adds what is chosen after the last step, such as thresholds, to the model folder of the run. Where the process ends here,
    /// a resumed run does it again.
    ///
    /// # Errors
    /// Where the folder cannot be read or written, or the work is stopped.
    fn finish(&self, _folder: &Path, _progress: &Progress) -> Result<(), Error> {
        Ok(())
    }
}

/// The data of a task: all that it learns from and is evaluated on.
pub trait TaskData {
    /// Returns the hash of all data that the run depends on.
    fn hash(&self) -> String;

    /// Returns the files and sizes of the data, for `run.json`.
    fn provenance(&self) -> serde_json::Value;

    /// Returns whether there is anything to evaluate on.
    fn has_evaluation(&self) -> bool;
}

/// The data of a task as a user is told about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// Lines to show.
    pub lines: Vec<String>,
    /// Number of tokens of each text to learn.
    pub lengths: Vec<u32>,
}

/// The size of an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EpochSize {
    /// Number of batches.
    pub batches: usize,
    /// Number of texts in all batches together; at most, where a batch has some of them once for several uses.
    pub texts: usize,
}

/// A batch of a task with the number of its texts.
pub type TaskBatch<T> = (<<T as Task>::Objective as Objective>::Batch, usize);

/// An epoch as a task sees it.
pub struct Epoch<'a, O> {
    /// The epoch, from 0; where it ends, the one that comes next.
    pub number: usize,
    /// Seed of the run.
    pub seed: u64,
    /// Batches that there are steps left for.
    pub max_batches: usize,
    /// No epoch comes after this one.
    pub is_last: bool,
    pub(crate) learner: &'a Learner<O>,
    pub(crate) tokenizers: &'a [Tokenizer],
    pub(crate) progress: &'a Progress,
}

impl<O: Objective> Epoch<'_, O> {
    /// Returns random numbers that depend on the seed and the epoch alone.
    pub fn random(&self) -> Rng {
        Rng::with_seed(stable_hash(&format!("{} {}", self.seed, self.number)))
    }

    /// Returns the tokenizer of the first network.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizers[0]
    }

    /// Returns an error if the work is stopped on request.
    ///
    /// # Errors
    /// [`Error::is_interrupted`] then.
    pub fn check(&self) -> Result<(), Error> {
        self.progress.check()
    }

    /// The request to stop.
    pub fn progress(&self) -> &Progress {
        self.progress
    }

    /// Returns the vectors of texts by the first network as it is now, not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, width]`
    pub fn vectors(&self, texts: &Batch) -> Vec<f32> {
        self.learner.encode(texts)
    }

    /// Opens the first network as it is now, in the engine that serves it: the fastest way to read many texts on a CPU.
    ///
    /// # Errors
    /// If the weights cannot be written to the folder of temporary files.
    pub fn encoder(&self) -> Result<Encoder, Error> {
        let folder = temporary_folder()?;
        self.learner.save_encoder(folder.path())?;
        Encoder::open(folder.path())
    }

    /// Returns the vectors of names by the first network as it is now, and their width.
    ///
    /// # Shapes
    /// output: `[names, width]`, each of unit length
    ///
    /// # Errors
    /// Where a name cannot be turned into tokens, or the work is stopped.
    pub fn unit_vectors(&self, names: &[&str]) -> Result<(Vec<f32>, usize), Error> {
        /// Names encoded together.
        const TOGETHER: usize = 256;
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|name| names[*name].len());
        let (mut vectors, mut width) = (Vec::new(), 1);
        for places in order.chunks(TOGETHER) {
            self.check()?;
            let mut texts = Batch::default();
            for place in places {
                texts.push(&self.tokenizer().tokens(names[*place])?.ids);
            }
            let encoded = self.vectors(&texts);
            width = encoded.len() / places.len();
            vectors.resize(names.len() * width, 0.0);
            for (place, vector) in places.iter().zip(encoded.chunks_exact(width)) {
                let unit = &mut vectors[place * width..][..width];
                unit.copy_from_slice(vector);
                scale_to_unit(unit);
            }
        }
        Ok((vectors, width))
    }
}

/// Makes a folder that is there as long as the value is.
pub(crate) fn temporary_folder() -> Result<TempDir, Error> {
    tempfile::tempdir().map_err(|source| Error::io("make", &std::env::temp_dir(), source))
}

/// The scores of an evaluation, by name; higher is better.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Number of things asked for.
    pub names: usize,
    /// Scores by name.
    #[serde(flatten)]
    pub values: BTreeMap<String, f64>,
}

impl Scores {
    /// The score with a name; 0 where there is none.
    pub fn get(&self, name: &str) -> f64 {
        self.values.get(name).copied().unwrap_or_default()
    }
}
