//! The one loop of all training runs.
//!
//! The loop has checkpoints, the schedule, metrics, patience and the time limit; a [`Task`] plans an epoch and
//! makes batches, describes its data and evaluates; its [`TaskData`] is hashed whole; an objective computes the loss of a
//! batch. A task never sees a tensor, an objective never sees a string. The plan of an epoch is part of a
//! checkpoint, and dropout is a function of seed, step and place, so that a resumed run ends with the weights of an
//! unbroken one.

mod forecast;
mod metrics;
mod run_folder;
mod state;
mod task;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use truename_error::ErrorKind;
use truename_infer::{Checkpoint, Tokenizer};
use truename_kb::Progress;
use truename_nn::{Learner, Objective, Step};

use self::forecast::{NetworkSize, Pace, describe_memory, describe_size, free_memory};
use self::metrics::{Metric, plot};
use self::run_folder::RunFolder;
use self::state::State;
use crate::recipe::{Keep, Recipe, Schedule};
use crate::{Error, error};

pub(crate) use run_folder::{checkpoint_of, write};
pub(crate) use task::temporary_folder;
pub use task::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData};

/// One run of a task, step by step.
///
/// [`Run::advance`] makes one step at a time, so that the caller can draw, stop and save between any two.
pub struct Training<T: Task> {
    recipe: Recipe,
    task: T,
    tokenizers: Vec<Tokenizer>,
    learner: Learner<T::Objective>,
    folder: RunFolder,
    state: State<T::Plan>,
    metrics: Vec<Metric>,
    /// Metrics that are not in the file yet.
    unwritten: usize,
    started: Instant,
    pace: Pace,
    size: NetworkSize,
    /// The time of the recipe is over.
    is_timed_out: bool,
    is_over: bool,
    progress: Arc<Progress>,
}

/// Where a run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the first step; the folder must not hold a run.
    Anew,
    /// At the last checkpoint of the folder, to the weights of an unbroken run; at the first step where there is no
    /// checkpoint.
    Resumed,
}

/// A training run of any task.
pub trait Run {
    /// Makes the next step or evaluation; nothing where the run is over.
    ///
    /// # Errors
    /// Where a loss or gradient is not finite, or a file cannot be written.
    fn advance(&mut self) -> Result<Option<Event>, Error>;

    /// Writes a checkpoint from which the run goes on.
    ///
    /// # Errors
    /// Where a file cannot be written.
    fn save(&mut self) -> Result<(), Error>;

    /// Makes all steps that are left.
    ///
    /// # Errors
    /// As [`Run::advance`].
    fn finish(&mut self) -> Result<(), Error> {
        while self.advance()?.is_some() {}
        Ok(())
    }

    /// Watches a switch during work that takes longer than a step: evaluations and the search for hard negatives. Stopped there,
    /// [`Run::advance`] fails with [`Error::is_interrupted`], and the run goes on from where [`Run::save`] saves it.
    fn stop_by(&mut self, progress: Arc<Progress>);

    /// Number of steps of the whole run, if it does not end early; an estimate where the task finds more to learn on the way.
    fn steps(&self) -> u64;

    /// Number of steps made.
    fn step(&self) -> u64;

    /// Returns whether nothing is left to do.
    fn is_over(&self) -> bool;

    /// Seconds that the run took up to now, its pauses aside.
    fn seconds(&self) -> f64;

    /// Returns an estimate of the seconds that are left, by the pace of the steps and without evaluations; `None` before
    /// enough steps are made.
    fn seconds_left(&self) -> Option<f64>;

    /// The scores of the last evaluation; nothing before the first, or where there is nothing to evaluate.
    fn last_scores(&self) -> Option<Scores>;

    /// Describes the data and the expected size of the run for the user, a line each.
    ///
    /// # Errors
    /// Where a text cannot be turned into tokens.
    fn describe(&self) -> Result<Vec<String>, Error>;
}

/// The outcome of [`Run::advance`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A step was made.
    Step {
        /// Number of the step, from 1.
        step: u64,
        /// Mean loss.
        loss: f64,
        /// Learning rate.
        learning_rate: f64,
        /// Number of texts in its batches.
        texts: usize,
    },
    /// The time of the recipe is over; an evaluation follows, where one is due, and the run ends.
    OutOfTime,
    /// An evaluation was made, and a checkpoint written.
    Evaluation {
        /// Epochs done.
        epoch: usize,
        /// The step, where the evaluation is within an epoch.
        step: Option<u64>,
        /// The scores, where there is something to evaluate.
        scores: Option<Scores>,
        /// The score is the best so far, or there is none. These weights are now the result, as all are by
        /// [`Keep::Last`].
        is_best: bool,
    },
}

/// The content of `run.json`.
#[derive(Serialize)]
struct RunFile<'a> {
    version: &'static str,
    encoder: &'a str,
    #[serde(flatten)]
    data: serde_json::Value,
    data_hash: &'a str,
    steps: u64,
    seconds: f64,
    threads: usize,
    processor: String,
    system: String,
}

impl<T: Task> Training<T> {
    /// Starts a run in a folder.
    ///
    /// # Errors
    /// Where no encoder is named, or the encoder or the folder cannot be used; where the folder holds a run with another recipe
    /// or other data.
    pub fn new(recipe: &Recipe, task: T, out: &Path, start: Start) -> Result<Self, Error> {
        if start == Start::Resumed && RunFolder::has_checkpoint(out) {
            Self::resume(recipe, task, out)
        } else {
            Self::begin(recipe, task, out)
        }
    }

    fn begin(recipe: &Recipe, task: T, out: &Path) -> Result<Self, Error> {
        let checkpoints = task.networks()?;
        let folder = RunFolder::begin(out)?;
        folder.write_recipe(recipe)?;
        let state = State::new(task.data().hash());
        Self::with_state(recipe.clone(), task, checkpoints, folder, state)
    }

    fn resume(recipe: &Recipe, task: T, out: &Path) -> Result<Self, Error> {
        if !recipe.read_stored(&out.join("recipe.toml"))?.is_same_run(recipe)? {
            return Err(error::other_run(out, "another recipe"));
        }
        let (folder, state, optimizer) = RunFolder::resume::<T::Plan>(out)?;
        if state.data_hash != task.data().hash() {
            return Err(error::other_run(out, "other data"));
        }
        let checkpoints = Checkpoint::open_all(&folder.checkpoint())?;
        let metrics = folder.metrics_up_to(&state)?;
        let mut training = Self::with_state(recipe.clone(), task, checkpoints, folder, state)?;
        training.learner.restore(optimizer);
        training.unwritten = metrics.len();
        training.metrics = metrics;
        training.is_over = training.has_evaluated() && training.is_to_end();
        training.finish_result()?;
        Ok(training)
    }

    fn with_state(
        recipe: Recipe,
        task: T,
        mut checkpoints: Vec<Checkpoint>,
        folder: RunFolder,
        state: State<T::Plan>,
    ) -> Result<Self, Error> {
        let tokenizers = checkpoints.iter_mut().map(Checkpoint::tokenizer).collect::<Result<_, _>>()?;
        let size = NetworkSize::of(&checkpoints);
        let mut options = recipe.learner()?;
        task.configure(&mut options)?;
        let objective = task.objective(&checkpoints)?;
        task.describe(checkpoints[0].manifest_mut())?;
        let learner = Learner::new(checkpoints, objective, options)?;
        Ok(Self {
            recipe,
            task,
            tokenizers,
            learner,
            folder,
            state,
            metrics: Vec::new(),
            unwritten: 0,
            started: Instant::now(),
            pace: Pace::default(),
            size,
            is_timed_out: false,
            is_over: false,
            progress: Arc::default(),
        })
    }

    /// The batches of the epoch under way, planned or expected.
    fn batches(&self) -> usize {
        match self.task.batches(&self.state.plan) {
            0 => self.task.expected_epoch(&self.state.plan).batches,
            planned => planned,
        }
    }

    fn epoch(&self, is_last: bool) -> Epoch<'_, T::Objective> {
        let steps_left = self.steps().saturating_sub(self.state.step) as usize;
        Epoch {
            number: self.state.epoch,
            seed: self.recipe.seed,
            max_batches: steps_left * self.recipe.schedule.accumulate,
            is_last,
            learner: &self.learner,
            tokenizers: &self.tokenizers,
            progress: &self.progress,
        }
    }

    fn plan_epoch(&mut self) -> Result<(), Error> {
        let mut plan = std::mem::take(&mut self.state.plan);
        let planned = self.task.plan_epoch(&mut plan, &self.epoch(false));
        self.state.plan = plan;
        planned
    }

    /// Goes on to the next epoch. An interrupted call leaves the run at the end of this epoch.
    fn end_epoch(&mut self) -> Result<(), Error> {
        let is_last = self.state.epoch + 1 == self.recipe.schedule.epochs || self.state.step == self.steps();
        let mut plan = std::mem::take(&mut self.state.plan);
        let batch = std::mem::take(&mut self.state.batch);
        self.state.epoch += 1;
        let ended = self.task.end_epoch(&mut plan, &self.epoch(is_last));
        self.state.plan = plan;
        if ended.is_err() {
            (self.state.epoch, self.state.batch) = (self.state.epoch - 1, batch);
        }
        ended
    }

    fn is_between_epochs(&self) -> bool {
        self.state.batch == 0 && self.task.batches(&self.state.plan) == 0
    }

    /// Returns whether the epoch under way has batches that there are steps left for.
    fn has_batches_left(&self) -> bool {
        self.state.batch < self.task.batches(&self.state.plan) && self.state.step < self.steps()
    }

    /// Returns whether every epoch was learnt, or as many steps were made as there may be.
    fn is_at_end(&self) -> bool {
        self.state.epoch >= self.recipe.schedule.epochs || self.state.step == self.steps()
    }

    /// Returns whether the last thing done was an evaluation.
    fn has_evaluated(&self) -> bool {
        self.state.step > 0 && self.state.evaluated == self.state.step
    }

    /// Returns whether an evaluation is still to come before the next step, also one that a killed process did not finish.
    fn is_evaluation_due(&self) -> bool {
        let is_at_epoch = self.is_at_end() || self.state.epoch.is_multiple_of(self.recipe.evaluation.every);
        let steps = self.recipe.evaluation.steps;
        // The evaluation of an epoch's last step comes when the epoch has ended.
        let is_at_place = self.is_between_epochs() || self.has_batches_left();
        let is_at_step = steps > 0 && self.state.step.is_multiple_of(steps) && is_at_place;
        let is_asked_for = self.is_timed_out || is_at_step || self.is_between_epochs() && is_at_epoch;
        self.state.evaluated < self.state.step && is_asked_for
    }

    /// Returns whether no step comes after the evaluation just made.
    fn is_to_end(&self) -> bool {
        let patience = self.recipe.evaluation.patience;
        let is_out_of_patience = patience > 0 && self.state.since_best >= patience;
        self.is_timed_out || is_out_of_patience || self.is_between_epochs() && self.is_at_end()
    }

    /// Returns whether the time of the recipe is over. A run makes one step at least.
    fn is_out_of_time(&self) -> bool {
        let minutes = self.recipe.schedule.max_minutes;
        minutes > 0.0 && self.state.step > 0 && self.seconds() >= 60.0 * minutes
    }

    fn make_step(&mut self) -> Result<Event, Error> {
        let started = Instant::now();
        let first = self.state.batch;
        let taken = first..(first + self.recipe.schedule.accumulate).min(self.batches());
        let made = taken.map(|number| self.task.batch(&self.state.plan, number, &self.tokenizers));
        let made: Vec<(<T::Objective as Objective>::Batch, usize)> = made.collect::<Result<_, Error>>()?;
        let texts = made.iter().map(|(_, texts)| texts).sum();
        let batches: Vec<_> = made.into_iter().map(|(batch, _)| batch).collect();
        let steps = self.steps();
        let rate = self.recipe.schedule.learning_rate_at(self.state.step, steps);
        self.task.adjust(self.learner.objective_mut(), self.state.step, steps);
        let Step { loss, gradient_norm } = self.learner.step(&batches, rate);
        if !loss.is_finite() || !gradient_norm.is_finite() {
            let step = self.state.step + 1;
            let message = format!("the gradient of step {step} is not finite; the loss is {loss}");
            return Err(Error::new(ErrorKind::NotFinite, message)
                .with_hint("lower schedule.learning_rate, or set schedule.max_grad_norm"));
        }
        self.state.batch += batches.len();
        self.state.step += 1;
        self.pace.add(started.elapsed().as_secs_f64());
        let (step, epoch, seconds) = (self.state.step, self.state.epoch, self.seconds());
        self.metrics.push(Metric::Step { step, epoch, loss, gradient_norm, learning_rate: rate, seconds });
        Ok(Event::Step { step, loss, learning_rate: rate, texts })
    }

    fn evaluate(&mut self) -> Result<Event, Error> {
        // The folder has a checkpoint before the first file of a model: whenever the process ends, the run goes on.
        let has_evaluation = self.task.data().has_evaluation();
        if has_evaluation || !RunFolder::has_checkpoint(self.folder.path()) {
            self.save()?;
        }
        let scores =
            if has_evaluation { Some(self.task.evaluate(&self.folder.checkpoint(), &self.progress)?) } else { None };
        let score = scores.as_ref().map(|scores| scores.get(self.task.score()));
        let is_best = score.is_none() || score > self.state.best;
        if is_best || self.recipe.evaluation.keep == Keep::Last {
            self.learner.save(self.folder.path())?;
        }
        // An evaluation when the time is over changes nothing for a run that goes on with more.
        if !self.is_timed_out {
            self.state.since_best = if is_best { 0 } else { self.state.since_best + 1 };
            self.state.best = if is_best { score } else { self.state.best };
        }
        self.state.evaluated = self.state.step;
        let (step, epoch, seconds) = (self.state.step, self.state.epoch, self.seconds());
        let score = self.task.score().to_owned();
        let metric = |scores| Metric::Evaluation { step, epoch, scores, score, is_best, seconds };
        self.metrics.extend(scores.clone().map(metric));
        self.save()?;
        let step = (!self.is_between_epochs()).then_some(step);
        Ok(Event::Evaluation { epoch, step, scores, is_best })
    }

    /// Finishes the model folder of a run that is over.
    fn finish_result(&self) -> Result<(), Error> {
        match self.is_over {
            true => self.task.finish(self.folder.path(), &self.progress),
            false => Ok(()),
        }
    }

    fn run_file(&self) -> RunFile<'_> {
        let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        RunFile {
            version: env!("CARGO_PKG_VERSION"),
            encoder: self.recipe.encoder(),
            data: self.task.data().provenance(),
            data_hash: &self.state.data_hash,
            steps: self.state.step,
            seconds: self.state.seconds,
            threads: rayon::current_num_threads(),
            processor: model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, model)| model.to_owned()),
            system: std::env::consts::OS.to_owned(),
        }
    }
}

impl<T: Task> Run for Training<T> {
    fn advance(&mut self) -> Result<Option<Event>, Error> {
        if self.is_over {
            return Ok(None);
        }
        if self.is_evaluation_due() {
            let event = self.evaluate()?;
            self.is_over = self.is_to_end();
            self.finish_result()?;
            return Ok(Some(event));
        }
        if self.is_between_epochs() && self.is_at_end() {
            self.is_over = true;
            return Ok(None);
        }
        if self.task.batches(&self.state.plan) == 0 {
            self.plan_epoch()?;
        }
        if self.has_batches_left() {
            if self.is_timed_out {
                self.is_over = true;
                return Ok(None);
            }
            self.is_timed_out = self.is_out_of_time();
            return if self.is_timed_out { Ok(Some(Event::OutOfTime)) } else { self.make_step().map(Some) };
        }
        self.end_epoch()?;
        self.advance()
    }

    fn save(&mut self) -> Result<(), Error> {
        self.state.seconds = self.seconds();
        self.started = Instant::now();
        // The metrics first: later ones than the checkpoint are dropped when a run goes on, and none are missing.
        self.folder.append(&self.metrics[self.unwritten..])?;
        self.unwritten = self.metrics.len();
        self.folder.write_plot(&plot(&self.metrics))?;
        self.folder.write_run(&self.run_file())?;
        // Last: a run that is over by its checkpoint writes nothing more.
        self.folder.save(&mut self.learner, &self.state)
    }

    fn stop_by(&mut self, progress: Arc<Progress>) {
        self.progress = progress;
    }

    fn steps(&self) -> u64 {
        let Schedule { epochs, accumulate, max_steps, .. } = self.recipe.schedule;
        let batches = self.batches();
        let left = match epochs.saturating_sub(self.state.epoch) {
            0 => 0,
            left => {
                (batches - self.state.batch.min(batches)).div_ceil(accumulate)
                    + (left - 1) * batches.div_ceil(accumulate)
            }
        };
        let steps = self.state.step + left as u64;
        if max_steps == 0 { steps } else { steps.min(max_steps) }
    }

    fn step(&self) -> u64 {
        self.state.step
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn seconds(&self) -> f64 {
        self.state.seconds + self.started.elapsed().as_secs_f64()
    }

    fn last_scores(&self) -> Option<Scores> {
        self.metrics.iter().rev().find_map(Metric::scores).cloned()
    }

    fn seconds_left(&self) -> Option<f64> {
        self.pace.seconds(self.steps().saturating_sub(self.state.step))
    }

    fn describe(&self) -> Result<Vec<String>, Error> {
        let Description { mut lines, lengths } = self.task.describe_data(&self.tokenizers)?;
        let epoch = self.task.expected_epoch(&self.state.plan);
        let steps_per_epoch = epoch.batches.div_ceil(self.recipe.schedule.accumulate) as u64;
        lines.push(describe_size(epoch, &lengths, steps_per_epoch, self.steps()));
        let texts = epoch.texts.div_ceil(epoch.batches.max(1));
        let free = free_memory().filter(|_| self.recipe.device == "cpu");
        lines.push(describe_memory(self.size.bytes(&lengths, texts), texts, free));
        Ok(lines)
    }
}
