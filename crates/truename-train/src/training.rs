use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;
use rayon::prelude::*;
use serde::Serialize;
use truename_infer::{Checkpoint, Encoder, Tokenizer};
use truename_kb::Progress;
use truename_nn::{Batch, Learner, Objective, Pair, Step};
use truename_text::stable_hash;

use crate::augmentation::Augmenter;
use crate::dataset::DataFile;
use crate::metrics::{Metric, plot};
use crate::nearest::nearest;
use crate::pairs::Pairs;
use crate::recipe::{Evaluation, LossKind, PairKeys, Schedule};
use crate::run_folder::{RunFolder, State};
use crate::sampler::{Group, Item, batch_count, batches, group_count, groups};
use crate::schedule::learning_rate;
use crate::vectors::{scale_to_unit, unit_vectors};
use crate::{Accuracy, Dataset, Error, Recipe};

/// One run, step by step.
///
/// [`Training::advance`] makes one step at a time, so that whoever runs it can draw, stop and save between any two.
pub struct Training {
    recipe: Recipe,
    dataset: Dataset,
    tokenizer: Tokenizer,
    learner: Learner,
    augmenter: Augmenter,
    /// Where the loss is of pairs, they and those of the epoch under way.
    pairs: Option<(Pairs, Vec<Pair>)>,
    folder: RunFolder,
    state: State,
    metrics: Vec<Metric>,
    /// Metrics that are not in the file yet.
    unwritten: usize,
    steps_of_epoch: u64,
    truncated: usize,
    started: Instant,
    is_over: bool,
    progress: Arc<Progress>,
}

/// What came of [`Training::advance`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A step was made.
    Step {
        /// Which, from 1.
        step: u64,
        /// Its mean loss.
        loss: f64,
        /// Its learning rate.
        learning_rate: f64,
        /// Names that it learnt from.
        names: usize,
    },
    /// An epoch ended that is one to evaluate after; a checkpoint was written.
    Evaluation {
        /// Epochs done.
        epoch: usize,
        /// The accuracy, where names are asked for.
        accuracy: Option<Accuracy>,
        /// Whether it is the best so far, or nothing is asked for: these weights are now the result.
        is_best: bool,
    },
}

/// What `run.json` holds.
#[derive(Serialize)]
struct Run<'a> {
    version: &'static str,
    encoder: String,
    concepts: usize,
    names: usize,
    data_hash: &'a str,
    files: &'a [DataFile],
    steps: u64,
    seconds: f64,
    threads: usize,
    processor: String,
    system: String,
}

impl Training {
    /// A new run, whose folder must not hold one.
    ///
    /// # Errors
    /// Where no encoder is named, or it or the folder cannot be used.
    pub fn begin(recipe: Recipe, dataset: Dataset, out: &Path) -> Result<Self, Error> {
        let checkpoint = recipe.start()?;
        let folder = RunFolder::begin(out)?;
        folder.write_recipe(&recipe)?;
        let state = State {
            data_hash: dataset.hash(),
            epoch: 0,
            plan: Vec::new(),
            mined: BTreeSet::new(),
            batch: 0,
            step: 0,
            best: None,
            since_best: 0,
            evaluated: 0,
            seconds: 0.0,
        };
        Self::new(recipe, dataset, checkpoint, folder, state)
    }

    /// Goes on from the last checkpoint of a run, to the weights that it would have reached unbroken. A folder without a
    /// checkpoint begins a new run.
    ///
    /// # Errors
    /// Where the folder holds a run with another recipe or other data, or an encoder that no run made.
    pub fn resume(recipe: Recipe, dataset: Dataset, out: &Path) -> Result<Self, Error> {
        if !RunFolder::has_checkpoint(out) {
            return Self::begin(recipe, dataset, out);
        }
        let (folder, state, optimizer) = RunFolder::resume(out)?;
        let begun = Recipe::read(&out.join("recipe.toml"), &[])?;
        if !begun.is_same_run(&recipe) {
            return Err(Error::other_run(out, "another recipe"));
        }
        if state.data_hash != dataset.hash() {
            return Err(Error::other_run(out, "other data"));
        }
        let checkpoint = Checkpoint::open(&folder.checkpoint())?;
        let metrics = folder.metrics_up_to(&state)?;
        let mut training = Self::new(recipe, dataset, checkpoint, folder, state)?;
        training.learner.restore(optimizer);
        training.metrics = metrics;
        training.unwritten = training.metrics.len();
        training.is_over = training.has_evaluated() && training.is_to_end();
        Ok(training)
    }

    fn new(
        recipe: Recipe,
        dataset: Dataset,
        mut checkpoint: Checkpoint,
        folder: RunFolder,
        state: State,
    ) -> Result<Self, Error> {
        let tokenizer = checkpoint.tokenizer()?;
        let learner = Learner::new(checkpoint, recipe.learner()?)?;
        let augmenter = Augmenter::new(&recipe.augmentation, dataset.concepts());
        let batches = batch_count(group_count(dataset.concepts(), recipe.sampler.group), &recipe.sampler);
        let steps_of_epoch = batches.div_ceil(recipe.schedule.accumulate) as u64;
        let names: Vec<&String> = dataset.concepts().iter().flat_map(|concept| &concept.names).collect();
        let is_truncated = |name: &&String| Ok(usize::from(tokenizer.tokens(name)?.is_truncated));
        let truncated = names.par_iter().map(is_truncated).sum::<Result<usize, Error>>()?;
        let is_of_pairs = recipe.objective.loss == LossKind::Contrastive;
        let pairs = is_of_pairs.then(|| Pairs::of(dataset.concepts(), &recipe.pairs, recipe.seed));
        let mut training = Self {
            recipe,
            dataset,
            tokenizer,
            learner,
            augmenter,
            pairs: pairs.map(|pairs| (pairs, Vec::new())),
            folder,
            state,
            metrics: Vec::new(),
            unwritten: 0,
            steps_of_epoch,
            truncated,
            started: Instant::now(),
            is_over: false,
            progress: Arc::default(),
        };
        training.draw_pairs();
        Ok(training)
    }

    /// Watches a switch during what takes longer than a step: evaluations and the search for near names. Stopped there,
    /// [`Training::advance`] fails by [`Error::is_interrupted`], and the run goes on from where [`Training::save`] saves it.
    pub fn stop_by(&mut self, progress: Arc<Progress>) {
        self.progress = progress;
    }

    /// How many steps the whole run has, if it does not end early; of pairs, as many as there are by now.
    pub fn steps(&self) -> u64 {
        let Schedule { epochs, accumulate, most_steps, .. } = self.recipe.schedule;
        let steps = match &self.pairs {
            None => self.steps_of_epoch * epochs as u64,
            Some(_) => {
                let (batches, epochs_left) = (self.batches(), epochs.saturating_sub(self.state.epoch + 1));
                let left =
                    (batches - self.state.batch).div_ceil(accumulate) + epochs_left * batches.div_ceil(accumulate);
                self.state.step + left as u64
            }
        };
        if most_steps == 0 { steps } else { steps.min(most_steps) }
    }

    /// How many were made.
    pub fn step(&self) -> u64 {
        self.state.step
    }

    /// Whether nothing is left to do.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Names that are longer than the encoder's window, of which it learns the beginning alone.
    pub fn truncated(&self) -> usize {
        self.truncated
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The data.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// What the last evaluation found; nothing before the first, or where no name is asked for.
    pub fn last_accuracy(&self) -> Option<Accuracy> {
        self.metrics.iter().rev().find_map(Metric::accuracy)
    }

    /// Seconds that the run took up to now, its pauses aside.
    pub fn seconds(&self) -> f64 {
        self.state.seconds + self.started.elapsed().as_secs_f64()
    }

    /// Makes the next step or evaluation; nothing where the run is over.
    ///
    /// # Errors
    /// Where a loss or gradient is not finite, or a file cannot be written.
    pub fn advance(&mut self) -> Result<Option<Event>, Error> {
        if self.is_over {
            return Ok(None);
        }
        if self.is_evaluation_due() {
            let event = self.evaluate()?;
            self.is_over = self.is_to_end();
            return Ok(Some(event));
        }
        if self.pairs.is_none() && self.state.plan.is_empty() {
            self.state.plan = self.plan()?;
        }
        if self.state.batch < self.batches() && self.state.step < self.steps() {
            return self.make_step().map(Some);
        }
        self.end_epoch()?;
        self.advance()
    }

    /// Writes a checkpoint from which [`Training::resume`] goes on.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn save(&mut self) -> Result<(), Error> {
        self.state.seconds = self.seconds();
        self.started = Instant::now();
        // The metrics first: those of after the checkpoint are dropped when a run goes on, and none are missing.
        self.folder.append(&self.metrics[self.unwritten..])?;
        self.unwritten = self.metrics.len();
        self.folder.save(&mut self.learner, &self.state)?;
        self.folder.write_plot(&plot(&self.metrics))?;
        self.folder.write_run(&self.run())
    }

    /// Batches of the epoch under way.
    fn batches(&self) -> usize {
        match &self.pairs {
            None => self.state.plan.len(),
            Some((_, drawn)) => drawn.len().div_ceil(self.recipe.pairs.batch),
        }
    }

    /// Goes on to the next epoch, with pairs that are found too near where a round ends.
    fn end_epoch(&mut self) -> Result<(), Error> {
        let is_last = self.state.epoch + 1 == self.recipe.schedule.epochs || self.state.step == self.steps();
        let (plan, batch) = (std::mem::take(&mut self.state.plan), std::mem::take(&mut self.state.batch));
        self.state.epoch += 1;
        let PairKeys { round, nearest, .. } = self.recipe.pairs;
        if !is_last && nearest > 0 && self.state.epoch.is_multiple_of(round) {
            // Interrupted, it is made anew from the end of the epoch.
            if let Err(error) = self.mine() {
                (self.state.epoch, self.state.plan, self.state.batch) = (self.state.epoch - 1, plan, batch);
                return Err(error);
            }
        }
        self.draw_pairs();
        Ok(())
    }

    /// What the epoch under way is drawn from.
    fn random(&self) -> Rng {
        Rng::with_seed(stable_hash(&format!("{} {}", self.recipe.seed, self.state.epoch)))
    }

    fn draw_pairs(&mut self) {
        let mut random = self.random();
        if let Some((pairs, drawn)) = &mut self.pairs {
            *drawn = pairs.epoch(&self.state.mined, &mut random);
        }
    }

    /// Looks for names of other concepts among the nearest of each (NSEEN, algorithm 1).
    fn mine(&mut self) -> Result<(), Error> {
        let Some((pairs, _)) = &self.pairs else { return Ok(()) };
        let names: Vec<&str> = (0..pairs.names() as u32).map(|name| pairs.text(name)).collect();
        let (vectors, width) = unit_vectors(&self.learner, &self.tokenizer, &names, &self.progress)?;
        let PairKeys { nearest: count, keep, .. } = self.recipe.pairs;
        // Each name is the nearest to itself.
        let found = nearest(&vectors, width, count + 1)?;
        if !keep {
            self.state.mined.clear();
        }
        for (left, near) in (0..).zip(found) {
            // A name that two concepts share cannot be far from itself.
            let is_mined = |right: &u32| !pairs.is_one_concept(left, *right) && pairs.text(left) != pairs.text(*right);
            self.state.mined.extend(near.into_iter().filter(is_mined).map(|right| (left.min(right), left.max(right))));
        }
        Ok(())
    }

    /// Whether every epoch was learnt, or as many steps were made as there may be.
    fn is_at_end(&self) -> bool {
        self.state.epoch == self.recipe.schedule.epochs || self.state.step == self.steps()
    }

    /// Whether the last thing done was an evaluation.
    fn has_evaluated(&self) -> bool {
        let is_between_epochs = self.state.plan.is_empty() && self.state.batch == 0;
        is_between_epochs && self.state.evaluated == self.state.epoch
    }

    /// Whether an epoch ended whose evaluation is still to come, also one that a process before could not finish.
    fn is_evaluation_due(&self) -> bool {
        let is_between_epochs = self.state.plan.is_empty() && self.state.batch == 0;
        let is_asked_for = self.is_at_end() || self.state.epoch.is_multiple_of(self.recipe.evaluation.every);
        is_between_epochs && self.state.evaluated < self.state.epoch && is_asked_for
    }

    /// Whether the evaluation just made was the last.
    fn is_to_end(&self) -> bool {
        let patience = self.recipe.evaluation.patience;
        self.is_at_end() || patience > 0 && self.state.since_best >= patience
    }

    /// The batches of the epoch under way, no more than there are steps left for.
    fn plan(&self) -> Result<Vec<Vec<Item>>, Error> {
        let mut random = self.random();
        let keys = &self.recipe.sampler;
        let mut groups = groups(self.dataset.concepts(), keys.group, &self.augmenter, &mut random);
        let batches_left = (self.steps() - self.state.step) as usize * self.recipe.schedule.accumulate;
        if batch_count(groups.len(), keys) > batches_left {
            groups.truncate(batches_left * keys.groups);
        }
        let centres = if keys.hard > 0.0 { self.centres(&groups)? } else { Vec::new() };
        Ok(batches(groups, &centres, keys, &mut random))
    }

    /// Where each group lies: the mean direction of some of its names.
    fn centres(&self, groups: &[Group]) -> Result<Vec<Vec<f32>>, Error> {
        /// Names of a group that are looked at.
        const NAMES: usize = 2;
        let names = groups.iter().flat_map(|group| group.iter().take(NAMES).map(|item| item.text.as_str()));
        let (vectors, width) =
            unit_vectors(&self.learner, &self.tokenizer, &names.collect::<Vec<_>>(), &self.progress)?;
        let mut vectors = vectors.chunks_exact(width);
        let centre = |group: &Group| {
            let mut centre = vec![0.0; width];
            for vector in vectors.by_ref().take(group.len().min(NAMES)) {
                centre.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
            }
            scale_to_unit(&mut centre);
            centre
        };
        Ok(groups.iter().map(centre).collect())
    }

    /// A batch of the epoch under way.
    fn planned(&self, number: usize) -> Result<Batch, Error> {
        match &self.pairs {
            None => self.batch(&self.state.plan[number].iter().collect::<Vec<_>>()),
            Some((pairs, drawn)) => {
                let size = self.recipe.pairs.batch;
                pairs.batch(&drawn[number * size..((number + 1) * size).min(drawn.len())], &self.tokenizer)
            }
        }
    }

    fn batch(&self, items: &[&Item]) -> Result<Batch, Error> {
        let mut batch = Batch::default();
        for item in items {
            batch.push(&self.tokenizer.tokens(&item.text)?.ids, item.concept);
        }
        Ok(batch)
    }

    fn make_step(&mut self) -> Result<Event, Error> {
        let first = self.state.batch;
        let taken = first..(first + self.recipe.schedule.accumulate).min(self.batches());
        let learnt: Vec<Batch> = taken.map(|number| self.planned(number)).collect::<Result<_, Error>>()?;
        let names = learnt.iter().map(Batch::len).sum();
        let rate = learning_rate(&self.recipe.schedule, self.state.step, self.steps());
        let objective: Objective = self.recipe.objective(self.state.step, self.steps());
        let Step { loss, gradient_norm } = self.learner.step(&learnt, objective, rate);
        if !loss.is_finite() || !gradient_norm.is_finite() {
            return Err(Error::not_finite(self.state.step + 1, loss));
        }
        self.state.batch += learnt.len();
        self.state.step += 1;
        let (step, epoch, seconds) = (self.state.step, self.state.epoch, self.seconds());
        self.metrics.push(Metric::Step { step, epoch, loss, gradient_norm, learning_rate: rate, seconds });
        Ok(Event::Step { step, loss, learning_rate: rate, names })
    }

    fn evaluate(&mut self) -> Result<Event, Error> {
        let accuracy = if self.dataset.queries().is_empty() {
            None
        } else {
            self.save()?;
            let encoder = Encoder::open(&self.folder.checkpoint())?;
            let Evaluation { most_names, vote, .. } = self.recipe.evaluation;
            Accuracy::of(&encoder, &self.dataset, most_names, vote, &self.progress)?
        };
        let score = accuracy.map(|accuracy| accuracy.at_1);
        let is_best = score.is_none() || score > self.state.best;
        self.state.since_best = if is_best { 0 } else { self.state.since_best + 1 };
        if is_best {
            self.state.best = score;
            self.learner.save(self.folder.path())?;
        }
        self.state.evaluated = self.state.epoch;
        let (step, epoch, seconds) = (self.state.step, self.state.epoch, self.seconds());
        self.metrics.extend(accuracy.map(|accuracy| Metric::Evaluation { step, epoch, accuracy, is_best, seconds }));
        self.save()?;
        Ok(Event::Evaluation { epoch, accuracy, is_best })
    }

    fn run(&self) -> Run<'_> {
        let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Run {
            version: env!("CARGO_PKG_VERSION"),
            encoder: self.recipe.encoder.from.display().to_string(),
            concepts: self.dataset.concepts().len(),
            names: self.dataset.name_count(),
            data_hash: &self.state.data_hash,
            files: self.dataset.files(),
            steps: self.state.step,
            seconds: self.state.seconds,
            threads: rayon::current_num_threads(),
            processor: model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, model)| model.to_owned()),
            system: std::env::consts::OS.to_owned(),
        }
    }
}
