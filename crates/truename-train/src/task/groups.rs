use std::path::Path;

use truename_infer::{Checkpoint, Encoder, Tokenizer};
use truename_kb::Progress;
use truename_nn::{Labelled, Metric, MetricLoss, Mining};

use super::{Epoch, Planned, Scores, Task};
use crate::augmentation::Augmenter;
use crate::recipe::Evaluation;
use crate::sampler::{Group, Item, batch_count, batches, group_count, groups};
use crate::vectors::scale_to_unit;
use crate::{Accuracy, Dataset, Error, Recipe};

/// Metric learning from groups of names, each of one concept (CoSiNES, section 3.3.3).
pub struct Groups {
    recipe: Recipe,
    dataset: Dataset,
    augmenter: Augmenter,
}

impl Groups {
    pub(super) fn new(recipe: &Recipe, dataset: Dataset) -> Result<Self, Error> {
        let augmenter = Augmenter::new(&recipe.augmentation, dataset.concepts());
        Ok(Self { recipe: recipe.clone(), dataset, augmenter })
    }

    /// The mean direction of some names of each group.
    fn centres(&self, groups: &[Group], epoch: &Epoch<'_, Metric>) -> Result<Vec<Vec<f32>>, Error> {
        /// Names of a group that are looked at.
        const NAMES: usize = 2;
        let names = groups.iter().flat_map(|group| group.iter().take(NAMES).map(|item| item.text.as_str()));
        let (vectors, width) = epoch.unit_vectors(&names.collect::<Vec<_>>())?;
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
}

impl Task for Groups {
    type Objective = Metric;
    /// The batches.
    type Plan = Vec<Vec<Item>>;

    const SCORE: &'static str = Accuracy::AT_1;

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        Ok(vec![self.recipe.start()?])
    }

    fn objective(&self) -> Metric {
        Metric { loss: self.recipe.metric_loss() }
    }

    fn adjust(&self, objective: &mut Metric, step: u64, steps: u64) {
        if let MetricLoss::Triplet { mining, .. } = &mut objective.loss
            && self.recipe.objective.is_hybrid()
        {
            *mining = if step < steps / 2 { Mining::BatchAll } else { Mining::BatchHard };
        }
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

    fn expected_batches(&self, _: &Self::Plan) -> usize {
        batch_count(group_count(self.dataset.concepts(), self.recipe.sampler.group), &self.recipe.sampler)
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Metric>) -> Result<(), Error> {
        let mut random = epoch.random();
        let keys = &self.recipe.sampler;
        let mut groups = groups(self.dataset.concepts(), keys.group, &self.augmenter, &mut random);
        if batch_count(groups.len(), keys) > epoch.max_batches {
            groups.truncate(epoch.max_batches * keys.groups);
        }
        let centres = if keys.hard > 0.0 { self.centres(&groups, epoch)? } else { Vec::new() };
        *plan = batches(groups, &centres, keys, &mut random);
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<Planned<Self>, Error> {
        let mut batch = Labelled::default();
        for item in &plan[number] {
            batch.push(&tokenizers[0].tokens(&item.text)?.ids, item.concept);
        }
        let texts = batch.texts().len();
        Ok((batch, texts))
    }

    fn end_epoch(&self, plan: &mut Self::Plan, _: &Epoch<'_, Metric>) -> Result<(), Error> {
        plan.clear();
        Ok(())
    }

    fn has_evaluation(&self) -> bool {
        !self.dataset.queries().is_empty()
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        evaluate(&self.dataset, &self.recipe.evaluation, folder, progress)
    }
}

/// Asks the encoder of a folder for the names of a data set.
pub(super) fn evaluate(
    dataset: &Dataset,
    keys: &Evaluation,
    folder: &Path,
    progress: &Progress,
) -> Result<Scores, Error> {
    let encoder = Encoder::open(folder)?;
    let accuracy = Accuracy::of(&encoder, dataset, keys.most_names, keys.vote, progress)?;
    Ok(accuracy.map(Accuracy::scores).unwrap_or_default())
}
