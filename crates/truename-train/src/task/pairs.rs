//! The kind `pairs`: an encoder of names by pairs with soft labels, in rounds (NSEEN, section 3).
//!
//! Pairs are drawn from the seed alone. After each round all names are embedded and searched for in the approximate
//! index, and names of other concepts that lie near are added as pairs; those found are part of the plan.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use truename_infer::{Checkpoint, Tokenizer};
use truename_kb::Progress;
use truename_nn::{LearnerOptions, Pair, Pairs as Objective};

use super::kind::{Kind, run};
use crate::names::{NameKeys, Names};
use crate::nearest::nearest;
use crate::pair_sampler::{PairKeys, PairSampler};
use crate::recipe::{Keys, Part, Range, Schema};
use crate::sampler::MAX_BATCH;
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData};
use crate::{Accuracy, Dataset, Error, Recipe, error};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "pairs",
        summary: "an encoder from pairs of names with labels, by the contrastive loss with hard negatives (NSEEN)",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: an encoder learns from pairs of names with labels from 0 to 1, by the contrastive loss (NSEEN).\n",
            "kind = \"pairs\"\n\n",
            include_str!("../names/data.toml"),
            include_str!("pairs.toml"),
            include_str!("../recipe/schedule.toml"),
            include_str!("../names/evaluation.toml"),
        ),
        parts: &[Part::of::<NameKeys>(), Part::of::<PairTaskKeys>()],
    },
    begin: |recipe, out, start| run(Pairs::new(recipe, Dataset::read(recipe)?)?, recipe, out, start),
    begin_on: Some(|recipe, dataset, out, start| run(Pairs::new(recipe, dataset)?, recipe, out, start)),
};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct PairTaskKeys {
    objective: ObjectiveKeys,
    pairs: PairKeys,
}

/// The training objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ObjectiveKeys {
    margin: f64,
}

impl Default for ObjectiveKeys {
    fn default() -> Self {
        Self { margin: 0.3 }
    }
}

impl Keys for PairTaskKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("objective.margin", Range::of(-1000.0, 1000.0)),
        ("pairs.batch", Range::of(1.0, MAX_BATCH as f64)),
        ("pairs.max_pairs", Range::of(0.0, 1e10)),
        ("pairs.negatives", Range::of(0.0, 1000.0)),
        ("pairs.related", Range::of(0.0, 1000.0)),
        ("pairs.round", Range::of(1.0, 10_000.0)),
        ("pairs.nearest", Range::of(0.0, 1000.0)),
    ];

    fn check(&self) -> Result<(), Error> {
        let PairKeys { fold_case, variants, related, .. } = self.pairs;
        if !fold_case && !variants && related == 0.0 {
            return Err(error::value(
                "pairs.fold_case",
                false,
                "true where neither pairs.variants nor pairs.related makes pairs",
            ));
        }
        Ok(())
    }
}

/// Metric learning from pairs of names with soft labels, in rounds with hard negatives between them (NSEEN, section 3).
pub struct Pairs {
    names: Names,
    keys: PairTaskKeys,
    sampler: PairSampler,
}

/// The pairs of the epoch under way, and hard negatives of the rounds before.
#[derive(Default, Serialize, Deserialize)]
pub struct Plan {
    /// Names of different concepts that were found too near each other.
    mined: BTreeSet<(u32, u32)>,
    /// Drawn anew from the seed when a run goes on.
    #[serde(skip)]
    drawn: Vec<Pair>,
}

impl Pairs {
    fn new(recipe: &Recipe, dataset: Dataset) -> Result<Self, Error> {
        let keys: PairTaskKeys = recipe.keys()?;
        let sampler = PairSampler::of(dataset.concepts(), &keys.pairs, recipe.seed);
        Ok(Self { names: Names::new(recipe, dataset)?, keys, sampler })
    }

    /// Adds names of other concepts among the nearest of each as hard negatives (NSEEN, algorithm 1).
    fn mine(&self, mined: &mut BTreeSet<(u32, u32)>, epoch: &Epoch<'_, Objective>) -> Result<(), Error> {
        let names: Vec<&str> = (0..self.sampler.names() as u32).map(|name| self.sampler.text(name)).collect();
        let (vectors, width) = epoch.unit_vectors(&names)?;
        let PairKeys { nearest: count, keep, .. } = self.keys.pairs;
        // Each name is the nearest to itself.
        let found = nearest(&vectors, width, count + 1)?;
        if !keep {
            mined.clear();
        }
        for (left, near) in (0..).zip(found) {
            let is_mined = |right: &u32| !self.sampler.is_one_concept(left, *right);
            mined.extend(near.into_iter().filter(is_mined).map(|right| (left.min(right), left.max(right))));
        }
        Ok(())
    }
}

impl Task for Pairs {
    type Objective = Objective;
    type Plan = Plan;

    const SCORE: &'static str = Accuracy::AT_1;

    fn data(&self) -> &dyn TaskData {
        &self.names
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        self.names.networks()
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.names.configure(options)
    }

    fn objective(&self, _: &[Checkpoint]) -> Result<Objective, Error> {
        Ok(Objective { margin: self.keys.objective.margin })
    }

    fn expected_epoch(&self, plan: &Plan) -> EpochSize {
        let pairs = self.sampler.expected(&plan.mined);
        EpochSize { batches: pairs.div_ceil(self.keys.pairs.batch), texts: 2 * pairs }
    }

    fn plan_epoch(&self, plan: &mut Plan, epoch: &Epoch<'_, Objective>) -> Result<(), Error> {
        plan.drawn = self.sampler.epoch(&plan.mined, &mut epoch.random());
        Ok(())
    }

    fn batches(&self, plan: &Plan) -> usize {
        plan.drawn.len().div_ceil(self.keys.pairs.batch)
    }

    fn batch(&self, plan: &Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let size = self.keys.pairs.batch;
        let pairs = &plan.drawn[number * size..((number + 1) * size).min(plan.drawn.len())];
        let batch = self.sampler.batch(pairs, &tokenizers[0])?;
        let texts = batch.texts.len();
        Ok((batch, texts))
    }

    fn end_epoch(&self, plan: &mut Plan, epoch: &Epoch<'_, Objective>) -> Result<(), Error> {
        let PairKeys { round, nearest, .. } = self.keys.pairs;
        if !epoch.is_last && nearest > 0 && epoch.number.is_multiple_of(round) {
            self.mine(&mut plan.mined, epoch)?;
        }
        plan.drawn.clear();
        Ok(())
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        self.names.describe(tokenizers)
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        self.names.evaluate(folder, progress)
    }
}
