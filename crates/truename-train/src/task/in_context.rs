//! The kind `in-context`: an encoder that places mentions in their sentences near the names of their concepts.
//!
//! Names are read alone, each as a vector of its own; a mention is the mean of its tokens' states in its sentence, and its concept the one
//! with the nearest name. Names of the knowledge base are learnt beside the mentions, each near another name of its concept (SapBERT, Liu et
//! al. 2021).

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use truename_infer::{Checkpoint, EntityPrompt, InContextConfig, Manifest, Pooling, Tokenizer, TransformerCheckpoint};
use truename_kb::Progress;
use truename_nn::{LearnerOptions, Retrieval};

use super::kind::{Kind, run};
use crate::mentions::{MentionKeys, Mentions, NameRetrieval, PlannedQuery, QueryText};
use crate::recipe::{Keys, Part, Range, Schema};
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData};
use crate::{Error, Recipe, error};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "in-context",
        summary: "an encoder that places mentions in their sentences near the names of their concepts",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: an encoder learns to place mentions in their sentences near the names of their concepts.\n",
            "kind = \"in-context\"\n\n",
            include_str!("../mentions/data.toml"),
            include_str!("in_context.toml"),
            include_str!("../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<MentionKeys>(), Part::of::<InContextKeys>()],
    },
    begin: |recipe, out, start| run(InContext::new(recipe)?, recipe, out, start),
    begin_on: None,
};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct InContextKeys {
    sampler: SamplerKeys,
    negatives: NegativeKeys,
    objective: ObjectiveKeys,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SamplerKeys {
    mentions: usize,
    names: usize,
}

impl Default for SamplerKeys {
    fn default() -> Self {
        Self { mentions: 32, names: 16 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct NegativeKeys {
    hard: usize,
}

impl Default for NegativeKeys {
    fn default() -> Self {
        Self { hard: 2 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ObjectiveKeys {
    temperature: f64,
}

impl Default for ObjectiveKeys {
    fn default() -> Self {
        Self { temperature: 0.05 }
    }
}

impl Keys for InContextKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("sampler.mentions", Range::of(1.0, 10_000.0)),
        ("sampler.names", Range::of(0.0, 10_000.0)),
        ("negatives.hard", Range::of(0.0, 1000.0)),
        ("objective.temperature", Range::positive(1000.0)),
    ];
}

/// Placement of mentions in their sentences near the names of their concepts.
pub struct InContext {
    retrieval: NameRetrieval,
    encoder: MentionKeys,
    keys: InContextKeys,
}

impl InContext {
    fn new(recipe: &Recipe) -> Result<Self, Error> {
        let (encoder, keys): (MentionKeys, InContextKeys) = (recipe.keys()?, recipe.keys()?);
        let mentions = Mentions::read(recipe, &encoder.data, None)?;
        Ok(Self { retrieval: NameRetrieval::new(mentions, keys.negatives.hard), encoder, keys })
    }

    /// Draws the mentions and names of an epoch: all mentions, and names with another name of their concept, batch after batch.
    fn drawn(&self, random: &mut Rng, batches: usize) -> Vec<Vec<QueryText>> {
        let SamplerKeys { mentions, names } = self.keys.sampler;
        let mut order: Vec<u32> = (0..self.retrieval.mentions.train.len() as u32).collect();
        random.shuffle(&mut order);
        let batch = |examples: &[u32]| {
            let asked = examples.iter().map(|example| QueryText::Mention(*example));
            asked.chain(self.retrieval.drawn_names(random, names)).collect()
        };
        order.chunks(mentions).take(batches).map(batch).collect()
    }
}

/// Refuses adapters, which read names between markers.
pub(super) fn check_names_are_plain(transformer: &TransformerCheckpoint) -> Result<(), Error> {
    match transformer.adapters().adapters.is_empty() {
        true => Ok(()),
        false => Err(error::value("encoder.adapters", "those of the folder", "none: names are not marked here")),
    }
}

impl Task for InContext {
    type Objective = Retrieval;
    /// The queries of each batch.
    type Plan = Vec<Vec<PlannedQuery>>;

    const SCORE: &'static str = NameRetrieval::SCORE;

    fn data(&self) -> &dyn TaskData {
        &self.retrieval.mentions
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        let transformer = self.encoder.encoder.open_transformer()?;
        check_names_are_plain(&transformer)?;
        Ok(vec![Checkpoint::Transformer(transformer)])
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.encoder.encoder.configure(options);
        (options.pooling, options.pool_entities) = (Some(Pooling::Mean), true);
        Ok(())
    }

    fn objective(&self, _: &[Checkpoint]) -> Result<Retrieval, Error> {
        Ok(Retrieval { temperature: Some(self.keys.objective.temperature) })
    }

    fn describe(&self, manifest: &mut Manifest) -> Result<(), Error> {
        manifest.set_head(InContextConfig::HEAD, &InContextConfig::default())
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        let (mentions, SamplerKeys { mentions: batch, names }) =
            (self.retrieval.mentions.train.len(), self.keys.sampler);
        let batches = mentions.div_ceil(batch);
        let queries = mentions + batches * names;
        EpochSize { batches, texts: queries * (3 + self.keys.negatives.hard) }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Retrieval>) -> Result<(), Error> {
        let mut random = epoch.random();
        let drawn = self.drawn(&mut random, epoch.max_batches);
        let (retrieval, encoder) = (&self.retrieval, epoch.encoder()?);
        let examples: BTreeSet<u32> = drawn.iter().flatten().filter_map(QueryText::example).collect();
        let asked = examples.iter().map(|example| &retrieval.mentions.train[*example as usize]);
        let vectors = retrieval.mention_vectors(asked, &encoder, epoch.progress())?;
        let vectors: HashMap<u32, &[f32]> =
            examples.into_iter().zip(vectors.chunks_exact(encoder.dimensions())).collect();
        *plan = retrieval.plan(drawn, |example| vectors[&example], &encoder, &mut random, epoch.progress())?;
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let (queries, tokenizer) = (&plan[number], &tokenizers[0]);
        let prompt = EntityPrompt::new(tokenizer.window(), tokenizer)?;
        let mut batch = self.retrieval.options(queries, tokenizer)?;
        for query in queries {
            batch.mentions.push_input(&self.retrieval.tokens(query.asked, &prompt, tokenizer)?);
        }
        let texts = batch.options.len() + queries.len();
        Ok((batch, texts))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        /// Mentions whose lengths stand for all.
        const SAMPLED: usize = 200;
        let prompt = EntityPrompt::new(tokenizers[0].window(), &tokenizers[0])?;
        let examples = 0..self.retrieval.mentions.train.len() as u32;
        let sampled = examples.step_by(self.retrieval.mentions.train.len().div_ceil(SAMPLED).max(1));
        let length =
            |example| Ok(self.retrieval.tokens(QueryText::Mention(example), &prompt, &tokenizers[0])?.len() as u32);
        let mut lines = self.retrieval.mentions.describe();
        lines.push(format!("{} distinct names", self.retrieval.names()));
        Ok(Description { lines, lengths: sampled.map(length).collect::<Result<_, Error>>()? })
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        self.retrieval.evaluate(folder, progress)
    }

    fn finish(&self, folder: &Path, _: &Progress) -> Result<(), Error> {
        self.retrieval.fit_mapping(folder)
    }
}
