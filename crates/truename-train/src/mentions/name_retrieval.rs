//! Retrieval of names for mentions in context: what is asked, the names to choose from, and how well they are found.
//!
//! Names are read alone, each as a vector of its own; a mention's concept is the one with the nearest name.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use truename_infer::{ContextMapping, Embeddings, Encoder, EntityPrompt, InContextConfig, Input, Manifest, Tokenizer};
use truename_kb::Progress;
use truename_nn::RetrievalBatch;
use truename_text::{Sentences, Span};

use super::{LinkedExample, Mentions};
use crate::Error;
use crate::nearest::ScratchIndex;
use crate::training::Scores;

/// Texts that are encoded between two looks at the progress.
const TOGETHER: usize = 1024;

/// Mentions, and the names of all concepts to choose from.
pub(crate) struct NameRetrieval {
    pub mentions: Mentions,
    names: NameTable,
    /// Names of other concepts that a query is given before the epoch.
    hard: usize,
    /// Names whose concepts have others.
    named: Vec<u32>,
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
    pub asked: QueryText,
    /// Names of its concepts: the nearest, and another one; names that other concepts have too only where there is no other.
    right: Vec<u32>,
    /// Names of other concepts.
    negatives: Vec<u32>,
}

/// The text of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueryText {
    /// A mention in its sentence, by the number of its example.
    Mention(u32),
    /// A name alone.
    Name(u32),
}

impl QueryText {
    /// The number of a mention's example; `None` for a name.
    pub fn example(&self) -> Option<u32> {
        match self {
            Self::Mention(example) => Some(*example),
            Self::Name(_) => None,
        }
    }

    /// The number of a name; `None` for a mention.
    pub fn name(&self) -> Option<u32> {
        match self {
            Self::Mention(_) => None,
            Self::Name(name) => Some(*name),
        }
    }
}

impl NameRetrieval {
    /// Name of the score that says how often the first concept is right.
    pub const SCORE: &'static str = "acc@1";

    /// Creates the retrieval of names with `hard` hard negatives a query.
    pub fn new(mentions: Mentions, hard: usize) -> Self {
        let names = NameTable::of(&mentions);
        let has_others = |name: &u32| {
            let concepts = &names.concepts[*name as usize];
            concepts.iter().any(|concept| names.of_concept[*concept as usize].len() > 1)
        };
        let named = (0..names.texts.len() as u32).filter(has_others).collect();
        Self { mentions, names, hard, named }
    }

    /// Number of distinct names.
    pub fn names(&self) -> usize {
        self.names.texts.len()
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

    /// Returns the tokens of a mention in its sentence, or of a name.
    pub fn tokens(&self, asked: QueryText, prompt: &EntityPrompt, tokenizer: &Tokenizer) -> Result<Input, Error> {
        match asked {
            QueryText::Mention(example) => {
                let (text, span) = self.sentence(&self.mentions.train[example as usize]);
                Ok(prompt.tokens(&text, span, tokenizer)?.input)
            }
            QueryText::Name(name) => self.name_tokens(name, tokenizer),
        }
    }

    /// Returns the tokens of a name.
    pub fn name_tokens(&self, name: u32, tokenizer: &Tokenizer) -> Result<Input, Error> {
        Ok(Input::new(tokenizer.tokens(&self.names.texts[name as usize])?.ids))
    }

    /// Draws at most `count` names whose concepts have others.
    pub fn drawn_names(&self, random: &mut Rng, count: usize) -> impl Iterator<Item = QueryText> {
        let drawn =
            (0..if self.named.is_empty() { 0 } else { count }).map(|_| self.named[random.usize(..self.named.len())]);
        drawn.collect::<BTreeSet<u32>>().into_iter().map(QueryText::Name)
    }

    /// Gives each query of each batch the names that it chooses from. `mention`: the unit vector of a mention, by the number of its example.
    pub fn plan<'v>(
        &self,
        drawn: Vec<Vec<QueryText>>,
        mention: impl Fn(u32) -> &'v [f32],
        encoder: &Encoder,
        random: &mut Rng,
        progress: &Progress,
    ) -> Result<Vec<Vec<PlannedQuery>>, Error> {
        /// Names more than the negatives that are looked at, for those of the right concept stand among them.
        const MORE: usize = 24;
        let (names, width) = (self.name_vectors(encoder, progress)?, encoder.dimensions());
        let vector = |asked: QueryText| match asked {
            QueryText::Mention(example) => mention(example),
            QueryText::Name(name) => &names[name as usize * width..][..width],
        };
        let asked: Vec<f32> = drawn.iter().flatten().flat_map(|asked| vector(*asked)).copied().collect();
        let mut hits = ScratchIndex::new(&names, width)?.nearest(&asked, self.hard + MORE)?.into_iter();
        let mut planned = |asked: QueryText| {
            let hits: Vec<u32> = hits.next().into_iter().flatten().map(|hit| hit.name).collect();
            self.planned(asked, vector(asked), &hits, &names, random)
        };
        Ok(drawn.into_iter().map(|batch| batch.into_iter().map(&mut planned).collect()).collect())
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
        PlannedQuery { asked, right, negatives: negatives.take(self.hard).collect() }
    }

    /// Returns the names of a batch, and those that are right and wrong for each query; the mentions are left out.
    pub fn options(&self, queries: &[PlannedQuery], tokenizer: &Tokenizer) -> Result<RetrievalBatch, Error> {
        let pool = queries.iter().flat_map(|query| query.right.iter().chain(&query.negatives)).copied();
        let pool: Vec<u32> = pool.collect::<BTreeSet<u32>>().into_iter().collect();
        let mut batch = RetrievalBatch::default();
        for name in &pool {
            batch.options.push_input(&self.name_tokens(*name, tokenizer)?);
        }
        for query in queries {
            let concepts = self.concepts(query.asked);
            let others = || pool.iter().zip(0..).filter(|(name, _)| query.asked != QueryText::Name(**name));
            let is_right = |name: u32| query.right.contains(&name) || self.names.is_only_of(name, &concepts);
            let right = others().filter(|(name, _)| is_right(**name));
            batch.right.push(right.map(|(_, place)| place).collect());
            let negatives = others().filter(|(name, _)| !self.names.is_of(**name, &concepts));
            batch.negatives.push(negatives.map(|(_, place)| place).collect());
        }
        Ok(batch)
    }

    /// Returns the unit vectors of mentions in their sentences.
    ///
    /// # Shapes
    /// output: `[mentions, dimensions]`
    pub fn mention_vectors<'a>(
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

    /// Returns how often the right concept is among those with the nearest names, for the mentions to evaluate on.
    pub fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        /// Places of the right concept that are counted, with the names of their shares.
        const PLACES: [(usize, &str); 4] =
            [(1, NameRetrieval::SCORE), (5, "acc@5"), (6, "recall@6"), (64, "recall@64")];
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

    /// Fits the mapping of the mentions to evaluate on, and keeps it in the model folder with what was learnt.
    pub fn fit_mapping(&self, folder: &Path) -> Result<(), Error> {
        let scored = self.mentions.scored_in_context(Encoder::open(folder)?, InContextConfig::CANDIDATES)?;
        let mut manifest = Manifest::open(folder)?;
        let mut config = InContextConfig::default();
        config.mapping = ContextMapping::of_ranker().fitted(&scored);
        config.learnt = self.mentions.learnt();
        manifest.set_head(InContextConfig::HEAD, &config)?;
        manifest.save(folder)
    }
}
