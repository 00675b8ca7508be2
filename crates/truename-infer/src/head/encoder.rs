use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use crate::backbone::{Backbone, Network, Plan};
use crate::tokenizer::Tokens;
use crate::{Embeddings, Error, Info, Pooling};

/// A sentence encoder: texts in, unit vectors out.
///
/// Shared by reference between threads; each call uses the threads of the current rayon pool.
pub struct Encoder {
    backbone: Backbone,
    /// Pooling of a transformer's states.
    pooling: Pooling,
}

impl Encoder {
    /// Opens a model folder: as [`Backbone::open`], with the pooling of sentence-transformers' files, or the mean of the
    /// states without them.
    ///
    /// # Errors
    /// As [`Backbone::open`].
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Backbone::open(folder).map(Self::new)
    }

    /// Creates an encoder that pools the states of a backbone.
    pub fn new(backbone: Backbone) -> Self {
        let pooling = backbone.info().pooling.unwrap_or(Pooling::Mean);
        Self { backbone, pooling }
    }

    /// The network whose states are pooled.
    pub fn backbone(&self) -> &Backbone {
        &self.backbone
    }

    /// Returns the vectors of `texts`, in their order.
    ///
    /// White space around a text does not count. Of a text that is longer than the window its beginning is encoded, and
    /// [`Embeddings::truncated`] says so. Equal texts are encoded once. All tokens and vectors are held at a time: millions
    /// of texts are better given some ten thousand at a time.
    ///
    /// # Errors
    /// Where the tokenizer fails, or makes a token that the model has no vector for.
    #[tracing::instrument(name = "encode", level = "debug", skip_all, fields(texts = texts.len()))]
    pub fn encode<S: AsRef<str> + Sync>(&self, texts: &[S]) -> Result<Embeddings, Error> {
        // From inside the pool, or each matrix product would be handed to it anew.
        rayon::scope(|_| self.encode_distinct(&Distinct::of(texts)))
    }

    /// Numbers of a vector.
    pub fn dimensions(&self) -> usize {
        self.info().hidden
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

    fn encode_distinct(&self, texts: &Distinct) -> Result<Embeddings, Error> {
        let tokenizer = self.backbone.tokenizer();
        let tokens = texts.distinct.par_iter().map(|text| tokenizer.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        let plan = self.backbone.plan(tokens.iter().map(|tokens| tokens.ids.len()));
        let sorted = self.encode_in_order(&tokens, &plan)?;
        Ok(self.in_order_of_texts(texts, &tokens, &plan.order, &sorted))
    }

    /// The vectors of the texts in the order of the plan, one row each.
    fn encode_in_order(&self, tokens: &[Tokens], plan: &Plan) -> Result<Vec<f32>, Error> {
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
            self.encode_batch(plan.order[batch].iter().map(|text| tokens[*text].ids.as_slice()), rows)
        })?;
        Ok(vectors)
    }

    fn encode_batch<'a>(&self, texts: impl Iterator<Item = &'a [u32]>, vectors: &mut [f32]) -> Result<(), Error> {
        self.backbone.with_batch(
            |batch| texts.for_each(|text| batch.push(text)),
            |network, workspace| {
                if workspace.batch.tokens().is_empty() {
                    vectors.fill(0.0);
                    return Ok(());
                }
                match network {
                    Network::Transformer(transformer) => {
                        let (batch, states) = transformer.run(workspace, |_, _| ())?;
                        self.pooling.write_all(batch, states, vectors);
                        Ok(())
                    }
                    Network::Characters(network) => network.write(&workspace.batch, vectors),
                }
            },
        )
    }

    fn in_order_of_texts(&self, texts: &Distinct, tokens: &[Tokens], order: &[usize], sorted: &[f32]) -> Embeddings {
        let dimensions = self.dimensions();
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, text)| places[*text] = place);
        let mut vectors = Vec::with_capacity(texts.numbers.len() * dimensions);
        for number in &texts.numbers {
            vectors.extend_from_slice(&sorted[places[*number] * dimensions..][..dimensions]);
        }
        let is_truncated = |(_, number): &(usize, &usize)| tokens[**number].is_truncated;
        let truncated = texts.numbers.iter().enumerate().filter(is_truncated).map(|(text, _)| text).collect();
        Embeddings::new(vectors, dimensions, truncated)
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
