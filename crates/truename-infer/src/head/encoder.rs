//! Sentence encoders: texts in, vectors out.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use truename_text::Span;

use super::dense::Dense;
use super::entity::{EntityPrompt, mark_name};
use super::pooling::{VectorLength, scale_to_unit};
use crate::backbone::{Backbone, Network, Plan};
use crate::batch::Batch;
use crate::tokenizer::Tokens;
use crate::{AdapterChoice, AdaptersConfig, Embeddings, Error, InContextConfig, Info, Input, Pooling};

/// A sentence encoder: texts in, unit vectors out, or vectors of the length that the network gives them.
///
/// Shared by reference between threads; each call uses the threads of the current rayon pool.
pub struct Encoder {
    backbone: Backbone,
    /// Pooling of a transformer's states.
    pooling: Pooling,
    /// Markers of an entity, where the network has adapters.
    markers: Option<[u32; 2]>,
    /// `None` if it did not learn to read mentions in their sentences.
    in_context: Option<InContextConfig>,
}

impl Encoder {
    /// Opens a model folder: as [`Backbone::open`], with the pooling and the dense layers of sentence-transformers' files, or the
    /// mean of the states without them.
    ///
    /// # Errors
    /// As [`Backbone::open`].
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Self::new(Backbone::open(folder)?)
    }

    /// Opens a model folder with chosen adapters alone.
    ///
    /// # Errors
    /// As [`Backbone::open_with_adapters`].
    pub fn open_with_adapters(folder: &Path, choice: &AdapterChoice) -> Result<Self, Error> {
        Self::new(Backbone::open_with_adapters(folder, choice)?)
    }

    fn new(backbone: Backbone) -> Result<Self, Error> {
        let pooling = backbone.info().pooling.unwrap_or(Pooling::Mean);
        let has_adapters = !backbone.info().adapters.is_empty();
        let markers = has_adapters.then(|| AdaptersConfig::markers(backbone.tokenizer())).flatten();
        let in_context = backbone.manifest().head(InContextConfig::HEAD)?;
        Ok(Self { backbone, pooling, markers, in_context })
    }

    /// Returns what it learnt of mentions in their sentences; `None` if it learnt names alone.
    pub fn in_context(&self) -> Option<&InContextConfig> {
        self.in_context.as_ref()
    }

    /// The network whose states are pooled.
    pub fn backbone(&self) -> &Backbone {
        &self.backbone
    }

    /// Returns the unit vectors of `texts`, in their order.
    ///
    /// White space around a text does not count. Of a text that is longer than the window its beginning is encoded, and
    /// [`Embeddings::truncated`] says so. Equal texts are encoded once. All tokens and vectors are held at a time: millions
    /// of texts are better given some ten thousand at a time.
    ///
    /// # Errors
    /// Where the tokenizer fails, or makes a token that the model has no vector for, or a number of a vector is not finite.
    #[tracing::instrument(name = "encode", level = "debug", skip_all, fields(texts = texts.len()))]
    pub fn encode<S: AsRef<str> + Sync>(&self, texts: &[S]) -> Result<Embeddings, Error> {
        self.encode_to(VectorLength::Unit, texts)
    }

    /// Returns the pooled states of `texts`, in their order: as [`Encoder::encode`], before vectors are scaled to unit length.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    #[tracing::instrument(name = "encode", level = "debug", skip_all, fields(texts = texts.len()))]
    pub fn encode_unscaled<S: AsRef<str> + Sync>(&self, texts: &[S]) -> Result<Embeddings, Error> {
        self.encode_to(VectorLength::Pooled, texts)
    }

    fn encode_to<S: AsRef<str> + Sync>(&self, length: VectorLength, texts: &[S]) -> Result<Embeddings, Error> {
        // From inside the pool, or each matrix product would be handed to it anew.
        let vectors = rayon::scope(|_| self.encode_distinct(&Distinct::of(texts), length))?;
        vectors.finite(|at| texts[at].as_ref().to_owned())
    }

    /// Returns the vectors of entities in their sentences, in their order: the states of an entity's tokens are pooled, those of its
    /// markers among them where the network has adapters.
    ///
    /// # Errors
    /// As [`Encoder::encode`], or if the network reads characters.
    ///
    /// # Panics
    /// If a span is not of its text.
    pub fn encode_in_context(&self, entities: &[(&str, Span)]) -> Result<Embeddings, Error> {
        let tokenizer = self.backbone.tokenizer();
        let prompt = EntityPrompt::new(self.info().window, tokenizer)?;
        rayon::scope(|_| {
            let read = |(text, span): &(&str, Span)| {
                let sequence = prompt.tokens(text, *span, tokenizer)?;
                // Slot 1 is the entity; the context may be cut.
                Ok((sequence.input, sequence.truncated.contains(&1)))
            };
            let tokens = entities.par_iter().map(read).collect::<Result<Vec<_>, Error>>()?;
            let plan = self.backbone.plan(tokens.iter().map(|(tokens, _)| tokens.len()));
            let sorted = self.encode_in_order(&tokens, &plan, PooledTokens::Entity)?;
            let vectors = self.in_order_of_texts(&(0..tokens.len()).collect::<Vec<_>>(), &tokens, &plan.order, &sorted);
            vectors.finite(|at| entities[at].0[entities[at].1.range()].to_owned())
        })
    }

    /// Numbers of a vector.
    pub fn dimensions(&self) -> usize {
        self.backbone.dense().last().map_or(self.info().hidden, Dense::dimensions)
    }

    /// The folder that was opened.
    pub fn folder(&self) -> &Path {
        self.backbone.folder()
    }

    /// Kind and sizes of the model.
    pub fn info(&self) -> &Info {
        self.backbone.info()
    }

    /// As [`Backbone::hash`].
    pub fn hash(&self) -> &str {
        self.backbone.hash()
    }

    fn encode_distinct(&self, texts: &Distinct, length: VectorLength) -> Result<Embeddings, Error> {
        let tokenizer = self.backbone.tokenizer();
        let tokens = texts.distinct.par_iter().map(|text| Ok(self.read(tokenizer.tokens(text)?)));
        let tokens = tokens.collect::<Result<Vec<_>, Error>>()?;
        let plan = self.backbone.plan(tokens.iter().map(|(tokens, _)| tokens.len()));
        let sorted = self.encode_in_order(&tokens, &plan, PooledTokens::Text(length))?;
        Ok(self.in_order_of_texts(&texts.numbers, &tokens, &plan.order, &sorted))
    }

    /// Returns the sequence of a text, marked as an entity where the network has adapters, and whether it was cut.
    fn read(&self, tokens: Tokens) -> (Input, bool) {
        match self.markers {
            Some(markers) => {
                let (input, is_cut) = mark_name(&tokens.ids, markers, self.info().window);
                (input, is_cut || tokens.is_truncated)
            }
            None => (Input::new(tokens.ids), tokens.is_truncated),
        }
    }

    /// The vectors of the texts in the order of the plan, one row each.
    fn encode_in_order(&self, tokens: &[(Input, bool)], plan: &Plan, pooled: PooledTokens) -> Result<Vec<f32>, Error> {
        let dimensions = self.dimensions();
        let mut vectors = vec![0.0; plan.order.len() * dimensions];
        let mut rest = vectors.as_mut_slice();
        let mut work: Vec<(Range<usize>, &mut [f32])> = Vec::with_capacity(plan.batches.len());
        for batch in plan.batches.iter().cloned() {
            let (rows, after) = rest.split_at_mut(batch.len() * dimensions);
            work.push((batch, rows));
            rest = after;
        }
        work.into_par_iter().try_for_each(|(batch, rows)| {
            self.encode_batch(plan.order[batch].iter().map(|text| &tokens[*text].0), pooled, rows)
        })?;
        Ok(vectors)
    }

    fn encode_batch<'a>(
        &self,
        texts: impl Iterator<Item = &'a Input>,
        pooled: PooledTokens,
        vectors: &mut [f32],
    ) -> Result<(), Error> {
        self.backbone.with_batch(
            |batch| texts.for_each(|text| batch.push_input(text)),
            |network, workspace| {
                if workspace.batch.tokens().is_empty() {
                    vectors.fill(0.0);
                    return Ok(());
                }
                match network {
                    Network::Transformer(transformer) => {
                        let (batch, states) = transformer.run(workspace, |_, _| ())?;
                        self.pool(batch, states, pooled, vectors);
                        Ok(())
                    }
                    Network::Characters(network) => network.write(&workspace.batch, pooled.length(), vectors),
                }
            },
        )
    }

    /// Pools the states of a batch, and maps what is pooled where the folder has dense layers.
    fn pool(&self, batch: &Batch, states: &[f32], tokens: PooledTokens, vectors: &mut [f32]) {
        let dense = self.backbone.dense();
        if dense.is_empty() {
            return self.pool_alone(batch, states, (tokens, tokens.length()), vectors);
        }
        let mut pooled = vec![0.0; batch.len() * self.info().hidden];
        self.pool_alone(batch, states, (tokens, VectorLength::Pooled), &mut pooled);
        let mapped = dense.iter().fold(pooled, |vectors, dense| dense.forward(&vectors, batch.len()));
        vectors.copy_from_slice(&mapped);
        if let VectorLength::Unit = tokens.length() {
            vectors.chunks_exact_mut(self.dimensions()).for_each(scale_to_unit);
        }
    }

    fn pool_alone(
        &self,
        batch: &Batch,
        states: &[f32],
        (tokens, length): (PooledTokens, VectorLength),
        vectors: &mut [f32],
    ) {
        match tokens {
            PooledTokens::Text(_) => self.pooling.write_all(batch, states, length, vectors),
            PooledTokens::Entity => self.pooling.write_entities(batch, states, length, vectors),
        }
    }

    /// Returns the vectors of texts, given by their numbers among the sequences.
    fn in_order_of_texts(
        &self,
        numbers: &[usize],
        tokens: &[(Input, bool)],
        order: &[usize],
        sorted: &[f32],
    ) -> Embeddings {
        let dimensions = self.dimensions();
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, text)| places[*text] = place);
        let mut vectors = Vec::with_capacity(numbers.len() * dimensions);
        for number in numbers {
            vectors.extend_from_slice(&sorted[places[*number] * dimensions..][..dimensions]);
        }
        let is_truncated = |(_, number): &(usize, &usize)| tokens[**number].1;
        let truncated = numbers.iter().enumerate().filter(is_truncated).map(|(text, _)| text).collect();
        Embeddings::new(vectors, dimensions, truncated)
    }
}

/// Tokens whose states are pooled.
#[derive(Clone, Copy)]
enum PooledTokens {
    Text(VectorLength),
    Entity,
}

impl PooledTokens {
    fn length(self) -> VectorLength {
        match self {
            Self::Text(length) => length,
            Self::Entity => VectorLength::Unit,
        }
    }
}

/// Texts without repetition.
struct Distinct<'a> {
    distinct: Vec<&'a str>,
    /// The number of each text among the distinct ones.
    numbers: Vec<usize>,
}

impl<'a> Distinct<'a> {
    fn of<S: AsRef<str>>(texts: &'a [S]) -> Self {
        let mut distinct = Vec::new();
        let mut known = HashMap::with_capacity(texts.len());
        let mut number = |text: &'a str| {
            *known.entry(text).or_insert_with(|| {
                distinct.push(text);
                distinct.len() - 1
            })
        };
        let numbers = texts.iter().map(|text| number(text.as_ref())).collect();
        Self { distinct, numbers }
    }
}
