use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use truename_infer::{Checkpoint, Tokenizer};
use truename_kb::Progress;
use truename_nn::{Pair, Pairs as Objective};

use super::{Epoch, Planned, Scores, Task, groups};
use crate::nearest::nearest;
use crate::pair_sampler::PairSampler;
use crate::recipe::PairKeys;
use crate::{Accuracy, Dataset, Error, Recipe};

/// Metric learning from pairs of names with soft labels, in rounds with hard negatives between them (NSEEN, section 3).
pub struct Pairs {
    recipe: Recipe,
    dataset: Dataset,
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
    pub(super) fn new(recipe: &Recipe, dataset: Dataset) -> Result<Self, Error> {
        let sampler = PairSampler::of(dataset.concepts(), &recipe.pairs, recipe.seed);
        Ok(Self { recipe: recipe.clone(), dataset, sampler })
    }

    /// Adds names of other concepts among the nearest of each (NSEEN, algorithm 1).
    fn mine(&self, mined: &mut BTreeSet<(u32, u32)>, epoch: &Epoch<'_, Objective>) -> Result<(), Error> {
        let names: Vec<&str> = (0..self.sampler.names() as u32).map(|name| self.sampler.text(name)).collect();
        let (vectors, width) = epoch.unit_vectors(&names)?;
        let PairKeys { nearest: count, keep, .. } = self.recipe.pairs;
        // Each name is the nearest to itself.
        let found = nearest(&vectors, width, count + 1)?;
        if !keep {
            mined.clear();
        }
        for (left, near) in (0..).zip(found) {
            // A name that two concepts share cannot be far from itself.
            let is_mined = |right: &u32| {
                !self.sampler.is_one_concept(left, *right) && self.sampler.text(left) != self.sampler.text(*right)
            };
            mined.extend(near.into_iter().filter(is_mined).map(|right| (left.min(right), left.max(right))));
        }
        Ok(())
    }
}

impl Task for Pairs {
    type Objective = Objective;
    type Plan = Plan;

    const SCORE: &'static str = Accuracy::AT_1;

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        Ok(vec![self.recipe.start()?])
    }

    fn objective(&self) -> Objective {
        Objective { margin: self.recipe.objective.margin }
    }

    fn data_hash(&self) -> String {
        self.dataset.hash()
    }

    fn describe(&self, tokenizers: &[Tokenizer]) -> Result<Vec<String>, Error> {
        self.dataset.describe(&tokenizers[0])
    }

    fn provenance(&self) -> serde_json::Value {
        self.dataset.provenance()
    }

    fn expected_batches(&self, plan: &Plan) -> usize {
        self.sampler.expected(&plan.mined).div_ceil(self.recipe.pairs.batch)
    }

    fn plan_epoch(&self, plan: &mut Plan, epoch: &Epoch<'_, Objective>) -> Result<(), Error> {
        plan.drawn = self.sampler.epoch(&plan.mined, &mut epoch.random());
        Ok(())
    }

    fn batches(&self, plan: &Plan) -> usize {
        plan.drawn.len().div_ceil(self.recipe.pairs.batch)
    }

    fn batch(&self, plan: &Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<Planned<Self>, Error> {
        let size = self.recipe.pairs.batch;
        let pairs = &plan.drawn[number * size..((number + 1) * size).min(plan.drawn.len())];
        let batch = self.sampler.batch(pairs, &tokenizers[0])?;
        let texts = batch.texts.len();
        Ok((batch, texts))
    }

    fn end_epoch(&self, plan: &mut Plan, epoch: &Epoch<'_, Objective>) -> Result<(), Error> {
        let PairKeys { round, nearest, .. } = self.recipe.pairs;
        if !epoch.is_last && nearest > 0 && epoch.number.is_multiple_of(round) {
            self.mine(&mut plan.mined, epoch)?;
        }
        plan.drawn.clear();
        Ok(())
    }

    fn has_evaluation(&self) -> bool {
        !self.dataset.queries().is_empty()
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        groups::evaluate(&self.dataset, &self.recipe.evaluation, folder, progress)
    }
}
