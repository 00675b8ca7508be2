//! The kind `groups`: an encoder of names by groups of synonyms (CoSiNES, section 3.3.3).
//!
//! Batches are planned as a list from the seed and, for hard groups, the weights.

use std::path::Path;

use serde::{Deserialize, Serialize};
use truename_infer::{Checkpoint, Tokenizer, scale_to_unit};
use truename_kb::Progress;
use truename_nn::{Distance, LabelledTexts, LearnerOptions, Metric, MetricLoss, Mining, MultiSimilarity};

use super::kind::{Kind, run};
use crate::augmentation::{Augmentation, Augmenter};
use crate::names::{NameKeys, Names};
use crate::recipe::{Condition, Keys, Part, Range, Schema};
use crate::sampler::{Group, Item, SamplerKeys, batch_count, batches, choose_misspellings, group_count, groups};
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData};
use crate::{Accuracy, Dataset, Error, Recipe};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "groups",
        summary: "an encoder from groups of names of one concept, by a metric loss (CoSiNES)",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: an encoder learns from groups of names of one concept, by a metric loss (CoSiNES).\n",
            "kind = \"groups\"\n\n",
            include_str!("../names/data.toml"),
            include_str!("groups.toml"),
            include_str!("../recipe/schedule.toml"),
            include_str!("../names/evaluation.toml"),
        ),
        parts: &[Part::of::<NameKeys>(), Part::of::<GroupKeys>()],
    },
    begin: |recipe, out, start| run(Groups::new(recipe, Dataset::read(recipe)?)?, recipe, out, start),
    begin_on: Some(|recipe, dataset, out, start| run(Groups::new(recipe, dataset)?, recipe, out, start)),
};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct GroupKeys {
    objective: ObjectiveKeys,
    sampler: SamplerKeys,
    augmentation: Augmentation,
}

/// The training objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ObjectiveKeys {
    loss: LossKind,
    mining: MiningKind,
    distance: DistanceKind,
    margin: f64,
    temperature: f64,
    alpha: f64,
    beta: f64,
    base: f64,
    epsilon: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LossKind {
    Triplet,
    SupervisedContrastive,
    MultiSimilarity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MiningKind {
    BatchAll,
    BatchHard,
    Hybrid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DistanceKind {
    Cosine,
    Euclidean,
    SquaredEuclidean,
}

impl Default for ObjectiveKeys {
    fn default() -> Self {
        let MultiSimilarity { alpha, beta, base, epsilon } = MultiSimilarity::default();
        Self {
            loss: LossKind::SupervisedContrastive,
            mining: MiningKind::Hybrid,
            distance: DistanceKind::Cosine,
            margin: 0.3,
            temperature: 0.05,
            alpha,
            beta,
            base,
            epsilon,
        }
    }
}

impl Keys for GroupKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("objective.margin", Range::of(-1000.0, 1000.0)),
        ("objective.temperature", Range::positive(1000.0)),
        ("objective.alpha", Range::positive(1e6)),
        ("objective.beta", Range::positive(1e6)),
        ("objective.base", Range::of(-1000.0, 1000.0)),
        ("objective.epsilon", Range::of(0.0, 1000.0)),
        ("sampler.group", Range::of(2.0, 10_000.0)),
        ("sampler.groups", Range::of(2.0, 10_000.0)),
        ("sampler.hard", Range::SHARE),
        ("augmentation.misspelling", Range::SHARE),
        ("augmentation.adversarial", Range::of(1.0, 100.0)),
        ("augmentation.acronym", Range::SHARE),
        ("augmentation.part", Range::SHARE),
        ("augmentation.spacing", Range::SHARE),
        ("augmentation.punctuation", Range::SHARE),
        ("augmentation.version", Range::SHARE),
    ];
    const CONDITIONS: &'static [Condition] = &[
        Condition {
            keys: &["objective.mining", "objective.distance", "objective.margin"],
            on: "objective.loss",
            values: &["triplet"],
        },
        Condition { keys: &["objective.temperature"], on: "objective.loss", values: &["supervised-contrastive"] },
        Condition {
            keys: &["objective.alpha", "objective.beta", "objective.base", "objective.epsilon"],
            on: "objective.loss",
            values: &["multi-similarity"],
        },
    ];

    fn check(&self) -> Result<(), Error> {
        self.sampler.check()?;
        self.augmentation.check()
    }
}

impl ObjectiveKeys {
    fn metric_loss(&self) -> MetricLoss {
        let Self { loss, mining, distance, margin, temperature, alpha, beta, base, epsilon } = *self;
        let distance = match distance {
            DistanceKind::Cosine => Distance::Cosine,
            DistanceKind::Euclidean => Distance::Euclidean,
            DistanceKind::SquaredEuclidean => Distance::SquaredEuclidean,
        };
        let mining = if mining == MiningKind::BatchHard { Mining::BatchHard } else { Mining::BatchAll };
        match loss {
            LossKind::Triplet => MetricLoss::Triplet { mining, distance, margin },
            LossKind::SupervisedContrastive => MetricLoss::SupervisedContrastive { temperature },
            LossKind::MultiSimilarity => MetricLoss::MultiSimilarity(MultiSimilarity { alpha, beta, base, epsilon }),
        }
    }
}

/// Metric learning from groups of names, each of one concept (CoSiNES, section 3.3.3).
pub struct Groups {
    names: Names,
    keys: GroupKeys,
    augmenter: Augmenter,
}

impl Groups {
    fn new(recipe: &Recipe, dataset: Dataset) -> Result<Self, Error> {
        let keys: GroupKeys = recipe.keys()?;
        let augmenter = Augmenter::new(&keys.augmentation, dataset.concepts());
        Ok(Self { names: Names::new(recipe, dataset)?, keys, augmenter })
    }

    /// Returns the mean direction of some names of each group.
    fn centres(&self, groups: &[Group], epoch: &Epoch<'_, Metric>) -> Result<Vec<Vec<f32>>, Error> {
        /// Names of a group that count.
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

    fn data(&self) -> &dyn TaskData {
        &self.names
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        self.names.networks()
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.names.configure(options)
    }

    fn objective(&self, _: &[Checkpoint]) -> Result<Metric, Error> {
        Ok(Metric { loss: self.keys.objective.metric_loss() })
    }

    fn adjust(&self, objective: &mut Metric, step: u64, steps: u64) {
        if let MetricLoss::Triplet { mining, .. } = &mut objective.loss
            && self.keys.objective.mining == MiningKind::Hybrid
        {
            *mining = if step < steps / 2 { Mining::BatchAll } else { Mining::BatchHard };
        }
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        let concepts = self.names.dataset().concepts();
        let groups = group_count(concepts, &self.keys.sampler);
        let single = concepts.iter().filter(|concept| concept.names.len() == 1).count();
        let named = concepts.iter().filter(|concept| !concept.names.is_empty()).count();
        let repeated = if self.keys.sampler.anchor { groups - named } else { 0 };
        let texts = self.names.dataset().name_count() + single + repeated;
        EpochSize { batches: batch_count(groups, &self.keys.sampler), texts }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Metric>) -> Result<(), Error> {
        let mut random = epoch.random();
        let keys = &self.keys.sampler;
        let mut groups = groups(self.names.dataset().concepts(), keys, &self.augmenter, &mut random);
        if batch_count(groups.len(), keys) > epoch.max_batches {
            groups.truncate(epoch.max_batches * keys.groups);
        }
        if self.keys.augmentation.adversarial > 1 {
            choose_misspellings(&mut groups, |texts| epoch.unit_vectors(texts))?;
        }
        let centres = if keys.hard > 0.0 { self.centres(&groups, epoch)? } else { Vec::new() };
        *plan = batches(groups, &centres, keys, &mut random);
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let mut batch = LabelledTexts::default();
        for item in &plan[number] {
            batch.push(&tokenizers[0].tokens(&item.text)?.ids, item.concept);
        }
        let texts = batch.texts().len();
        Ok((batch, texts))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        self.names.describe(tokenizers)
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        self.names.evaluate(folder, progress)
    }
}
