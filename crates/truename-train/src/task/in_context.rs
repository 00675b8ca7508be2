//! The kind `in-context`: an encoder that places mentions in their sentences near the names of their concepts.
//!
//! Names are read alone, each as a vector of its own; a mention is the mean of its tokens' states in its sentence, and its concept the one
//! with the nearest name. Names of the knowledge base are learnt beside the mentions, each near another name of its concept (SapBERT, Liu et
//! al. 2021).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use truename_infer::{
    Checkpoint, ContextMapping, Embeddings, Encoder, EntityPrompt, InContextConfig, Input, Manifest, Pooling, Tokenizer,
};
use truename_kb::Progress;
use truename_nn::{LearnerOptions, Retrieval, RetrievalBatch};
use truename_text::{Sentences, Span};

use super::kind::{Kind, run};
use crate::mentions::{LinkedExample, MentionKeys, Mentions};
use crate::nearest::ScratchIndex;
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
    mentions: Mentions,
    names: NameTable,
    encoder: MentionKeys,
    keys: InContextKeys,
}

/// The distinct names of a knowledge base, in the order of their first concepts.
#[derive(Default)]
struct NameTable {
    texts: Vec<String>,
    /// Numbers of the concepts that have each name, ascending.
    concepts: Vec<Vec<u32>>,
    /// Numbers of the names of each concept.
    of_concept: Vec<Vec<u32>>,
}

impl NameTable {
    fn of(mentions: &Mentions) -> Self {
        let (mut table, mut known) = (Self::default(), HashMap::new());
        for concept in 0..mentions.concepts() as u32 {
            let mut own = Vec::new();
            for name in mentions.names(concept) {
                let number = *known.entry(name.to_owned()).or_insert_with(|| {
                    table.texts.push(name.to_owned());
                    table.concepts.push(Vec::new());
                    table.texts.len() as u32 - 1
                });
                if table.concepts[number as usize].last() != Some(&concept) {
                    table.concepts[number as usize].push(concept);
                    own.push(number);
                }
            }
            table.of_concept.push(own);
        }
        table
    }

    /// Returns whether a name is one of some concepts.
    fn is_of(&self, name: u32, concepts: &BTreeSet<u32>) -> bool {
        self.concepts[name as usize].iter().any(|concept| concepts.contains(concept))
    }

    /// Returns whether a name is one of some concepts and of no others.
    fn is_only_of(&self, name: u32, concepts: &BTreeSet<u32>) -> bool {
        self.concepts[name as usize].iter().all(|concept| concepts.contains(concept))
    }
}

/// A mention or a name with the names to choose from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedQuery {
    asked: QueryText,
    /// Names of its concepts: the nearest, and another one; names that other concepts have too only where there is no other.
    right: Vec<u32>,
    /// Names of other concepts.
    negatives: Vec<u32>,
}

/// The text of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum QueryText {
    /// A mention in its sentence, by the number of its example.
    Mention(u32),
    /// A name alone.
    Name(u32),
}

impl QueryText {
    /// The number of a mention's example; `None` for a name.
    fn example(&self) -> Option<u32> {
        match self {
            Self::Mention(example) => Some(*example),
            Self::Name(_) => None,
        }
    }
}

impl InContext {
    fn new(recipe: &Recipe) -> Result<Self, Error> {
        let mentions = Mentions::read(recipe, None)?;
        let names = NameTable::of(&mentions);
        Ok(Self { mentions, names, encoder: recipe.keys()?, keys: recipe.keys()? })
    }

    /// The concepts that a query stands for.
    fn concepts(&self, asked: QueryText) -> BTreeSet<u32> {
        match asked {
            QueryText::Mention(example) => self.mentions.train[example as usize].right.clone(),
            QueryText::Name(name) => self.names.concepts[name as usize].iter().copied().collect(),
        }
    }

    /// Returns the sentence of a mention with its name in its place, and the place of the name there.
    fn sentence(&self, example: &LinkedExample) -> (Cow<'_, str>, Span) {
        Sentences::of(self.mentions.text(example)).with_name(example.span, &example.name)
    }

    fn tokens(&self, asked: QueryText, prompt: &EntityPrompt, tokenizer: &Tokenizer) -> Result<Input, Error> {
        match asked {
            QueryText::Mention(example) => {
                let (text, span) = self.sentence(&self.mentions.train[example as usize]);
                Ok(prompt.tokens(&text, span, tokenizer)?.input)
            }
            QueryText::Name(name) => Ok(Input::new(tokenizer.tokens(&self.names.texts[name as usize])?.ids)),
        }
    }

    /// Draws the mentions and names of an epoch: all mentions, and names with another name of their concept, batch after batch.
    fn drawn(&self, random: &mut Rng, batches: usize) -> Vec<Vec<QueryText>> {
        let SamplerKeys { mentions, names } = self.keys.sampler;
        let mut order: Vec<u32> = (0..self.mentions.train.len() as u32).collect();
        random.shuffle(&mut order);
        let has_others = |name: &u32| {
            let concepts = &self.names.concepts[*name as usize];
            concepts.iter().any(|concept| self.names.of_concept[*concept as usize].len() > 1)
        };
        let named: Vec<u32> = (0..self.names.texts.len() as u32).filter(has_others).collect();
        let batch = |examples: &[u32]| {
            let drawn = (0..if named.is_empty() { 0 } else { names }).map(|_| named[random.usize(..named.len())]);
            let drawn: BTreeSet<u32> = drawn.collect();
            examples
                .iter()
                .map(|example| QueryText::Mention(*example))
                .chain(drawn.into_iter().map(QueryText::Name))
                .collect()
        };
        order.chunks(mentions).take(batches).map(batch).collect()
    }

    /// Returns the names that a query chooses from: those of its concepts that are nearest to its vector, with another one, and the nearest
    /// of other concepts.
    fn planned(
        &self,
        asked: QueryText,
        vector: &[f32],
        hits: &[u32],
        vectors: &[f32],
        random: &mut Rng,
    ) -> PlannedQuery {
        let concepts = self.concepts(asked);
        let own = concepts.iter().flat_map(|concept| &self.names.of_concept[*concept as usize]).copied();
        let own: Vec<u32> = own.filter(|name| asked != QueryText::Name(*name)).collect();
        let is_only_theirs = |name: &u32| self.names.is_only_of(*name, &concepts);
        let only_theirs: Vec<u32> = own.iter().copied().filter(is_only_theirs).collect();
        let own = if only_theirs.is_empty() { own } else { only_theirs };
        let cosine = |name: u32| -> f32 {
            let other = &vectors[name as usize * vector.len()..][..vector.len()];
            vector.iter().zip(other).map(|(left, right)| left * right).sum()
        };
        let nearest = own.iter().copied().max_by(|left, right| cosine(*left).total_cmp(&cosine(*right)));
        let another = own[random.usize(..own.len())];
        let mut right: Vec<u32> = nearest.into_iter().chain([another]).collect();
        right.dedup();
        let negatives = hits.iter().copied().filter(|name| !self.names.is_of(*name, &concepts));
        PlannedQuery { asked, right, negatives: negatives.take(self.keys.negatives.hard).collect() }
    }

    /// Returns the unit vectors of mentions in their sentences.
    ///
    /// # Shapes
    /// output: `[mentions, dimensions]`
    fn mention_vectors<'a>(
        &'a self,
        examples: impl Iterator<Item = &'a LinkedExample>,
        encoder: &Encoder,
        progress: &Progress,
    ) -> Result<Vec<f32>, Error> {
        let sentences: Vec<(Cow<'_, str>, Span)> = examples.map(|example| self.sentence(example)).collect();
        let mut vectors = Vec::with_capacity(sentences.len() * encoder.dimensions());
        for sentences in sentences.chunks(TOGETHER) {
            progress.check()?;
            let asked: Vec<(&str, Span)> = sentences.iter().map(|(text, span)| (text.as_ref(), *span)).collect();
            vectors.extend(encoder.encode_in_context(&asked)?.into_vec());
        }
        Ok(vectors)
    }

    /// Returns the unit vectors of all names.
    ///
    /// # Shapes
    /// output: `[names, dimensions]`
    fn name_vectors(&self, encoder: &Encoder, progress: &Progress) -> Result<Vec<f32>, Error> {
        let mut vectors = Vec::with_capacity(self.names.texts.len() * encoder.dimensions());
        for texts in self.names.texts.chunks(TOGETHER) {
            progress.check()?;
            vectors.extend(encoder.encode(texts).map(Embeddings::into_vec)?);
        }
        Ok(vectors)
    }
}

/// Texts that are encoded between two looks at the progress.
const TOGETHER: usize = 1024;

impl Task for InContext {
    type Objective = Retrieval;
    /// The queries of each batch.
    type Plan = Vec<Vec<PlannedQuery>>;

    const SCORE: &'static str = "acc@1";

    fn data(&self) -> &dyn TaskData {
        &self.mentions
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        let transformer = self.encoder.encoder.open_transformer()?;
        if !transformer.adapters().adapters.is_empty() {
            return Err(error::value("encoder.adapters", "those of the folder", "none: names are not marked here"));
        }
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
        let (mentions, SamplerKeys { mentions: batch, names }) = (self.mentions.train.len(), self.keys.sampler);
        let batches = mentions.div_ceil(batch);
        let queries = mentions + batches * names;
        EpochSize { batches, texts: queries * (3 + self.keys.negatives.hard) }
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Retrieval>) -> Result<(), Error> {
        /// Names more than the negatives that are looked at, for those of the right concept stand among them.
        const MORE: usize = 24;
        let mut random = epoch.random();
        let drawn = self.drawn(&mut random, epoch.max_batches);
        let encoder = epoch.encoder()?;
        let (names, width) = (self.name_vectors(&encoder, epoch.progress())?, encoder.dimensions());
        let examples: BTreeSet<u32> = drawn.concat().iter().filter_map(QueryText::example).collect();
        let asked = examples.iter().map(|example| &self.mentions.train[*example as usize]);
        let mentions = self.mention_vectors(asked, &encoder, epoch.progress())?;
        let places: HashMap<u32, usize> = examples.into_iter().zip(0..).collect();
        let vector = |asked: &QueryText| match asked {
            QueryText::Mention(example) => &mentions[places[example] * width..][..width],
            QueryText::Name(name) => &names[*name as usize * width..][..width],
        };
        let asked: Vec<f32> = drawn.iter().flatten().flat_map(vector).copied().collect();
        let mut hits = ScratchIndex::new(&names, width)?.nearest(&asked, self.keys.negatives.hard + MORE)?.into_iter();
        for batch in drawn {
            let planned = batch.into_iter().zip(hits.by_ref()).map(|(asked, hits)| {
                let hits: Vec<u32> = hits.iter().map(|hit| hit.name).collect();
                self.planned(asked, vector(&asked), &hits, &names, &mut random)
            });
            plan.push(planned.collect());
        }
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, tokenizers: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        let (queries, tokenizer) = (&plan[number], &tokenizers[0]);
        let prompt = EntityPrompt::new(tokenizer.window(), tokenizer)?;
        let pool = queries.iter().flat_map(|query| query.right.iter().chain(&query.negatives)).copied();
        let pool: Vec<u32> = pool.collect::<BTreeSet<u32>>().into_iter().collect();
        let mut batch = RetrievalBatch::default();
        for name in &pool {
            batch.options.push_input(&self.tokens(QueryText::Name(*name), &prompt, tokenizer)?);
        }
        for query in queries {
            batch.mentions.push_input(&self.tokens(query.asked, &prompt, tokenizer)?);
            let concepts = self.concepts(query.asked);
            let others = || pool.iter().zip(0..).filter(|(name, _)| query.asked != QueryText::Name(**name));
            let is_right = |name: u32| query.right.contains(&name) || self.names.is_only_of(name, &concepts);
            let right = others().filter(|(name, _)| is_right(**name));
            batch.right.push(right.map(|(_, place)| place).collect());
            let negatives = others().filter(|(name, _)| !self.names.is_of(**name, &concepts));
            batch.negatives.push(negatives.map(|(_, place)| place).collect());
        }
        let texts = pool.len() + queries.len();
        Ok((batch, texts))
    }

    fn describe_data(&self, tokenizers: &[Tokenizer]) -> Result<Description, Error> {
        /// Mentions whose lengths stand for all.
        const SAMPLED: usize = 200;
        let prompt = EntityPrompt::new(tokenizers[0].window(), &tokenizers[0])?;
        let examples = 0..self.mentions.train.len() as u32;
        let sampled = examples.step_by(self.mentions.train.len().div_ceil(SAMPLED).max(1));
        let length = |example| Ok(self.tokens(QueryText::Mention(example), &prompt, &tokenizers[0])?.len() as u32);
        let mut lines = self.mentions.describe();
        lines.push(format!("{} distinct names", self.names.texts.len()));
        Ok(Description { lines, lengths: sampled.map(length).collect::<Result<_, Error>>()? })
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        /// Places of the right concept that are counted, with the names of their shares.
        const PLACES: [(usize, &str); 4] = [(1, InContext::SCORE), (5, "acc@5"), (6, "recall@6"), (64, "recall@64")];
        /// Names that are looked at: a concept may have many.
        const NAMES: usize = 512;
        let (encoder, dev) = (Encoder::open(folder)?, &self.mentions.dev);
        let index = ScratchIndex::new(&self.name_vectors(&encoder, progress)?, encoder.dimensions())?;
        let hits = index.nearest(&self.mention_vectors(dev.iter(), &encoder, progress)?, NAMES)?;
        let place = |(example, hits): (&LinkedExample, Vec<truename_index::Hit>)| {
            let mut before: BTreeSet<u32> = BTreeSet::new();
            for hit in hits {
                let concepts = &self.names.concepts[hit.name as usize];
                // Of concepts that share a name any is right.
                if concepts.iter().any(|concept| example.right.contains(concept)) {
                    return before.len();
                }
                before.extend(concepts);
            }
            usize::MAX
        };
        let places: Vec<usize> = dev.iter().zip(hits).map(place).collect();
        let share = |most: usize| places.iter().filter(|place| **place < most).count() as f64 / dev.len().max(1) as f64;
        let values = PLACES.map(|(most, name)| (name.to_owned(), share(most)));
        Ok(Scores { names: dev.len(), values: BTreeMap::from(values) })
    }

    fn finish(&self, folder: &Path, _: &Progress) -> Result<(), Error> {
        let scored = self.mentions.scored_in_context(Encoder::open(folder)?, InContextConfig::CANDIDATES)?;
        let mut manifest = Manifest::open(folder)?;
        let mut config = InContextConfig::default();
        config.mapping = ContextMapping::of_ranker().fitted(&scored);
        config.learnt = self.mentions.learnt();
        manifest.set_head(InContextConfig::HEAD, &config)?;
        manifest.save(folder)
    }
}
