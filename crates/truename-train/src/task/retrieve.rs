//! The kind `retrieve`: a retriever of concepts for mentions in context (Prompt-BioEL, section 3.1).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use truename_infer::{Batch, Checkpoint, Manifest, MentionEncoder, RetrieverConfig, RetrieverPrompt, Tokenizer};
use truename_kb::Progress;
use truename_nn::{LearnerOptions, Retrieval, RetrievalBatch};

use super::kind::{Kind, run};
use crate::mentions::{LinkedExample, MentionKeys, Mentions};
use crate::names::pooling_of;
use crate::recipe::{Keys, Part, Range, Schema};
use crate::retrieval::ConceptVectors;
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData};
use crate::{Error, Recipe};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "retrieve",
        summary: "a retriever that finds concepts for a mention in its context (Prompt-BioEL)",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: a retriever learns to place mentions in their contexts near their concepts (Prompt-BioEL).\n",
            "kind = \"retrieve\"\n\n",
            include_str!("../mentions/data.toml"),
            include_str!("retrieve.toml"),
            include_str!("../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<MentionKeys>(), Part::of::<RetrieveKeys>()],
    },
    begin: |recipe, out, start| run(Retrieve::new(recipe)?, recipe, out, start),
    begin_on: None,
};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct RetrieveKeys {
    retriever: RetrieverKeys,
    negatives: NegativeKeys,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct RetrieverKeys {
    window: usize,
    concept_tokens: usize,
    pooling: String,
    batch: usize,
}

impl Default for RetrieverKeys {
    fn default() -> Self {
        let RetrieverConfig { window, concept_tokens, .. } = RetrieverConfig::new();
        Self { window, concept_tokens, pooling: "cls".to_owned(), batch: 8 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct NegativeKeys {
    count: usize,
    hard: f64,
    shared: bool,
}

impl Default for NegativeKeys {
    fn default() -> Self {
        Self { count: 15, hard: 0.1, shared: false }
    }
}

impl Keys for RetrieveKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("retriever.window", Range::of(8.0, 100_000.0)),
        ("retriever.concept_tokens", Range::of(4.0, 100_000.0)),
        ("retriever.batch", Range::of(1.0, 10_000.0)),
        ("negatives.count", Range::of(1.0, 10_000.0)),
        ("negatives.hard", Range::SHARE),
    ];
}

/// Retrieval of concepts for mentions in their contexts (Prompt-BioEL, section 3.1).
pub struct Retrieve {
    mentions: Mentions,
    config: RetrieverConfig,
    keys: MentionKeys,
    retrieve: RetrieveKeys,
    seed: u64,
}

/// A batch to learn from.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct PlannedBatch {
    mentions: Vec<PlannedMention>,
    /// Random concepts that are negatives of all mentions.
    random: Vec<u32>,
}

/// A mention with the concepts to choose from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedMention {
    /// Number of the example.
    example: u32,
    /// The right concept.
    right: u32,
    /// Its own negatives.
    negatives: Vec<u32>,
}

impl Retrieve {
    fn new(recipe: &Recipe) -> Result<Self, Error> {
        let retrieve: RetrieveKeys = recipe.keys()?;
        let mut config = RetrieverConfig::new();
        (config.window, config.concept_tokens) = (retrieve.retriever.window, retrieve.retriever.concept_tokens);
        let keys: MentionKeys = recipe.keys()?;
        let mentions = Mentions::read(recipe, &keys.data, None)?;
        pooling_of("retriever.pooling", &retrieve.retriever.pooling)?;
        Ok(Self { mentions, config, keys, retrieve, seed: recipe.seed })
    }

    /// Number of hard negatives of a mention, rounded.
    fn hard(&self) -> usize {
        let NegativeKeys { count, hard, .. } = self.retrieve.negatives;
        (count as f64 * hard).round() as usize
    }

    /// Returns the hard negatives of every example, likeliest first, by the network as it is now.
    fn hard_negatives(&self, epoch: &Epoch<'_, Retrieval>) -> Result<Vec<Vec<u32>>, Error> {
        let (count, examples) = (self.hard(), &self.mentions.train);
        if count == 0 {
            return Ok(vec![Vec::new(); examples.len()]);
        }
        let prompt = RetrieverPrompt::new(self.config.clone(), epoch.tokenizer())?;
        let concepts: Vec<u32> = (0..self.mentions.concepts() as u32).collect();
        let concepts =
            vectors(epoch, &concepts, |concept| prompt.concept(&self.mentions.names(*concept), epoch.tokenizer()))?;
        let mentions = vectors(epoch, examples, |example| {
            let (text, span) = self.mentions.context(example);
            prompt.mention(&text, span, epoch.tokenizer())
        })?;
        let hidden = concepts.len() / self.mentions.concepts();
        let length = |state: &[f32]| state.iter().map(|value| value * value).sum::<f32>().sqrt();
        let longest = concepts.chunks_exact(hidden).map(length).fold(0.0, f32::max);
        let most = examples.iter().map(|example| example.right.len()).max().unwrap_or_default();
        let found = ConceptVectors::of_states(&concepts, hidden, longest)?.nearest_to(&mentions, count + most)?;
        let wrong = |(example, hits): (&LinkedExample, Vec<truename_index::Hit>)| {
            let wrong = hits.iter().map(|hit| hit.name).filter(|concept| !example.right.contains(concept));
            wrong.take(count).collect()
        };
        Ok(examples.iter().zip(found).map(wrong).collect())
    }

    /// Draws `count` different concepts that are not right.
    fn random_negatives(&self, count: usize, right: &BTreeSet<u32>, random: &mut Rng) -> Vec<u32> {
        let concepts = self.mentions.concepts();
        let mut drawn = BTreeSet::new();
        let room = concepts.saturating_sub(right.len());
        while drawn.len() < count.min(room) {
            let concept = random.u32(..concepts as u32);
            if !right.contains(&concept) {
                drawn.insert(concept);
            }
        }
        drawn.into_iter().collect()
    }
}

/// Returns the vectors of texts by the network as it is now, not of unit length.
fn vectors<T>(
    epoch: &Epoch<'_, Retrieval>,
    texts: &[T],
    tokens: impl Fn(&T) -> Result<truename_infer::Sequence, truename_infer::Error>,
) -> Result<Vec<f32>, Error> {
    /// Texts encoded together.
    const TOGETHER: usize = 64;
    let mut vectors = Vec::new();
    for texts in texts.chunks(TOGETHER) {
        epoch.check()?;
        let mut batch = Batch::default();
        for text in texts {
            batch.push_input(&tokens(text)?.input);
        }
        vectors.extend(epoch.vectors(&batch));
    }
    Ok(vectors)
}

impl Task for Retrieve {
    type Objective = Retrieval;
    type Plan = Vec<PlannedBatch>;

    const SCORE: &'static str = "acc@1";

    fn data(&self) -> &dyn TaskData {
        &self.mentions
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        let mut transformer = self.keys.encoder.open_transformer()?;
        transformer.add_special_tokens(&RetrieverConfig::special_tokens(), self.seed)?;
        let RetrieverConfig { window, concept_tokens, .. } = self.config;
        transformer.set_window(window.max(concept_tokens).max(transformer.window()))?;
        Ok(vec![Checkpoint::Transformer(transformer)])
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.keys.encoder.configure(options);
        options.pooling = pooling_of("retriever.pooling", &self.retrieve.retriever.pooling)?;
        Ok(())
    }

    fn objective(&self, _: &[Checkpoint]) -> Result<Retrieval, Error> {
        Ok(Retrieval::default())
    }

    fn describe(&self, manifest: &mut Manifest) -> Result<(), Error> {
        manifest.set_head(RetrieverConfig::HEAD, &self.config)
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        let (mentions, batch) = (self.mentions.train.len(), self.retrieve.retriever.batch);
        let batches = mentions.div_ceil(batch);
        let NegativeKeys { count, shared, .. } = self.retrieve.negatives;
        let concepts = match shared {
            true => mentions * (1 + self.hard()) + batches * (count - self.hard()),
            false => mentions * (1 + count),
        };
        EpochSize { batches, texts: mentions + concepts }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Retrieval>) -> Result<(), Error> {
        let mut hard = self.hard_negatives(epoch)?;
        let mut random = epoch.random();
        let NegativeKeys { count, shared, .. } = self.retrieve.negatives;
        let drawn = count - self.hard();
        let mut order: Vec<u32> = (0..self.mentions.train.len() as u32).collect();
        random.shuffle(&mut order);
        for examples in order.chunks(self.retrieve.retriever.batch) {
            let mut batch = PlannedBatch::default();
            for example in examples {
                let rights = &self.mentions.train[*example as usize].right;
                let right = rights.iter().nth(random.usize(..rights.len())).copied().unwrap_or_default();
                let mut negatives = std::mem::take(&mut hard[*example as usize]);
                if !shared {
                    negatives.extend(self.random_negatives(drawn, rights, &mut random));
                }
                batch.mentions.push(PlannedMention { example: *example, right, negatives });
            }
            if shared {
                batch.random = self.random_negatives(drawn, &BTreeSet::new(), &mut random);
            }
            plan.push(batch);
        }
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let (mentions, tokenizer) = (&self.mentions, &tokenizers[0]);
        let prompt = RetrieverPrompt::new(self.config.clone(), tokenizer)?;
        let PlannedBatch { mentions: planned, random } = &plan[number];
        let own = planned.iter().flat_map(|mention| mention.negatives.iter().chain([&mention.right]));
        let pool: Vec<u32> = own.chain(random).copied().collect::<BTreeSet<u32>>().into_iter().collect();
        let mut batch = RetrievalBatch::default();
        for concept in &pool {
            batch.options.push_input(&prompt.concept(&mentions.names(*concept), tokenizer)?.input);
        }
        let place = |concept: u32| pool.binary_search(&concept).expect("it is in the pool") as u32;
        for PlannedMention { example, right, negatives } in planned {
            let example = &mentions.train[*example as usize];
            let (text, span) = mentions.context(example);
            batch.mentions.push_input(&prompt.mention(&text, span, tokenizer)?.input);
            batch.right.push(vec![place(*right)]);
            let is_negative = |concept: &&u32| !example.right.contains(concept);
            let all = if self.retrieve.negatives.shared { &pool } else { negatives };
            batch.negatives.push(all.iter().filter(is_negative).map(|concept| place(*concept)).collect());
        }
        let texts = pool.len() + planned.len();
        Ok((batch, texts))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        let prompt = RetrieverPrompt::new(self.config.clone(), &tokenizers[0])?;
        let length = |example: &LinkedExample| {
            let (text, span) = self.mentions.context(example);
            let tokens = prompt.mention(&text, span, &tokenizers[0])?;
            Ok(tokens.input.len() as u32)
        };
        /// Mentions whose lengths stand for all.
        const SAMPLED: usize = 200;
        let step = self.mentions.train.len().div_ceil(SAMPLED).max(1);
        let lengths = self.mentions.train.iter().step_by(step).map(length).collect::<Result<_, Error>>()?;
        Ok(Description { lines: self.mentions.describe(), lengths })
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        /// Places of the right concept that are counted, with the names of their shares.
        const PLACES: [(usize, &str); 4] = [(1, Retrieve::SCORE), (5, "acc@5"), (6, "recall@6"), (64, "recall@64")];
        let encoder = MentionEncoder::open(folder)?;
        let vectors = self.concept_vectors(&encoder, progress)?;
        let dev = &self.mentions.dev;
        let contexts: Vec<_> = dev.iter().map(|example| self.mentions.context(example)).collect();
        let asked: Vec<_> = contexts.iter().map(|(text, span)| (text.as_ref(), *span)).collect();
        let found = vectors.nearest(&encoder, &asked, 64, progress)?;
        let place = |(example, hits): (&LinkedExample, Vec<truename_index::Hit>)| {
            hits.iter().position(|hit| example.right.contains(&hit.name)).unwrap_or(usize::MAX)
        };
        let places: Vec<usize> = dev.iter().zip(found).map(place).collect();
        let share = |most: usize| places.iter().filter(|place| **place < most).count() as f64 / dev.len().max(1) as f64;
        let values = PLACES.map(|(most, name)| (name.to_owned(), share(most)));
        Ok(Scores { names: dev.len(), values: BTreeMap::from(values) })
    }

    fn finish(&self, folder: &Path, progress: &Progress) -> Result<(), Error> {
        let encoder = MentionEncoder::open(folder)?;
        let mut config = encoder.config().clone();
        config.longest = self.concept_vectors(&encoder, progress)?.longest;
        config.learnt = self.mentions.learnt();
        let mut manifest = Manifest::open(folder)?;
        manifest.set_head(RetrieverConfig::HEAD, &config)?;
        manifest.save(folder)
    }
}

impl Retrieve {
    fn concept_vectors(&self, encoder: &MentionEncoder, progress: &Progress) -> Result<ConceptVectors, Error> {
        let names = |concept| self.mentions.names(concept);
        let concepts: Vec<Vec<&str>> = (0..self.mentions.concepts() as u32).map(names).collect();
        ConceptVectors::new(encoder, &concepts, progress)
    }
}
