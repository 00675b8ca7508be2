//! Encoders of mentions in context and of concepts, into one space (Prompt-BioEL, section 3.1).

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use truename_text::Span;

use super::markers::{END, OR, START};
use super::pooling::length;
use crate::{Backbone, Embeddings, Error, Part, Pooling, Sequence, Slot, SpecialToken, Template, Tokenizer, error};

/// Encodes mentions in their contexts and concepts by their names into one space, where dot products rank the concepts (Prompt-BioEL,
/// section 3.1).
///
/// Vectors are given for an index of cosines: with one dimension more, in which the cosine of a mention and a concept grows with their
/// dot product (Bachrach et al. 2014, section 3).
pub struct MentionEncoder {
    backbone: Backbone,
    prompt: RetrieverPrompt,
}

/// Configuration of a [`MentionEncoder`], kept in the model folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RetrieverConfig {
    /// Most tokens of a mention with its context.
    pub window: usize,
    /// Most tokens of a concept's names.
    pub concept_tokens: usize,
    /// Length that no concept's vector exceeds; a longer one is cut to it.
    pub longest: f32,
    /// Hashes of the documents that it learnt from.
    #[serde(default)]
    pub learnt: BTreeSet<u64>,
}

impl RetrieverConfig {
    /// Name of the head in the manifest.
    pub const HEAD: &'static str = "retriever";

    /// Creates the configuration of the paper (section 4.2): windows of 256 and 128 tokens.
    pub fn new() -> Self {
        Self { window: 256, concept_tokens: 128, longest: 1.0, learnt: BTreeSet::new() }
    }

    /// The special tokens that it adds to a vocabulary.
    pub fn special_tokens() -> Vec<SpecialToken> {
        [START, END, OR].map(SpecialToken::new).into()
    }

    /// Numbers of a vector in the index, for states of a width.
    pub fn dimensions(hidden: usize) -> usize {
        hidden + 1
    }

    /// Writes the vector of a concept for the index: its length of the longest, and what lacks to 1.
    ///
    /// # Shapes
    /// `state: [hidden]`, `vector: [hidden + 1]`
    pub fn write_concept(&self, state: &[f32], vector: &mut [f32]) {
        let length = length(state);
        let scale = if length > self.longest { length } else { self.longest };
        vector.iter_mut().zip(state).for_each(|(value, state)| *value = state / scale);
        vector[state.len()] = (1.0 - (length / scale).powi(2)).max(0.0).sqrt();
    }

    /// Writes the vector of a mention for the index: its direction, and 0.
    ///
    /// # Shapes
    /// `state: [hidden]`, `vector: [hidden + 1]`
    pub fn write_mention(&self, state: &[f32], vector: &mut [f32]) {
        let length = length(state).max(f32::MIN_POSITIVE);
        vector.iter_mut().zip(state).for_each(|(value, state)| *value = state / length);
        vector[state.len()] = 0.0;
    }
}

impl Default for RetrieverConfig {
    fn default() -> Self {
        Self::new()
    }
}

/// Makes the tokens of mentions and concepts.
pub struct RetrieverPrompt {
    config: RetrieverConfig,
    mention: Template,
    concept: Template,
}

impl RetrieverPrompt {
    /// Creates the templates of a configuration.
    ///
    /// # Errors
    /// Where the tokenizer reads characters, or lacks a token: [`RetrieverConfig::special_tokens`] are to be added first.
    pub fn new(config: RetrieverConfig, tokenizer: &Tokenizer) -> Result<Self, Error> {
        let named =
            |names: [&'static str; 2]| names.into_iter().find(|name| tokenizer.id(name).is_some()).unwrap_or(names[0]);
        let [first, last] = [["[CLS]", "<s>"], ["[SEP]", "</s>"]].map(|names| Part::Special(named(names)));
        let [start, end] = [START, END].map(Part::Special);
        let mention = tokenizer.template(&[first, Part::Slot, start, Part::Slot, end, Part::Slot, last])?;
        let concept = tokenizer.template(&[first, Part::List(OR), last])?;
        Ok(Self { config, mention, concept })
    }

    /// Its configuration.
    pub fn config(&self) -> &RetrieverConfig {
        &self.config
    }

    /// Returns the tokens of a mention in its context, `[CLS] left [START] mention [END] right [SEP]`: the mention, of which at most
    /// half the window is read, and as much on both sides.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    ///
    /// # Panics
    /// Where the span is not of the text.
    pub fn mention(&self, text: &str, span: Span, tokenizer: &Tokenizer) -> Result<Sequence, Error> {
        let slots = [
            Slot::rest_ending(&text[..span.start]),
            Slot::new(&text[span.range()], self.config.window / 2),
            Slot::rest(&text[span.end..]),
        ];
        let mut sequence = tokenizer.fill_within(&self.mention, &slots, self.config.window)?;
        let [start, end] = [2, 4].map(|part| sequence.parts[part].clone());
        sequence.input = sequence.input.with_entity(start.start..end.end);
        Ok(sequence)
    }

    /// Returns the tokens of a concept, `[CLS] name [OR] name … [SEP]`, cut at the window.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn concept(&self, names: &[&str], tokenizer: &Tokenizer) -> Result<Sequence, Error> {
        let room = self.config.concept_tokens.saturating_sub(self.concept.fixed_tokens());
        // No name has less than a token.
        let names = names.iter().copied().take(room.max(1)).collect();
        tokenizer.fill_within(&self.concept, &[Slot::list(names, room)], self.config.concept_tokens)
    }
}

impl MentionEncoder {
    /// Opens a folder with a retriever.
    ///
    /// # Errors
    /// Where the folder has none, a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let backbone = Backbone::open(folder)?;
        let config: Option<RetrieverConfig> = backbone.manifest().head(RetrieverConfig::HEAD)?;
        let config = config.ok_or_else(|| error::no_head(folder, RetrieverConfig::HEAD, "retriever", "retrieve"))?;
        let prompt = RetrieverPrompt::new(config, backbone.tokenizer())?;
        Ok(Self { backbone, prompt })
    }

    /// Configuration of the model.
    pub fn config(&self) -> &RetrieverConfig {
        self.prompt.config()
    }

    /// The network that reads mentions and concepts.
    pub fn backbone(&self) -> &Backbone {
        &self.backbone
    }

    /// Numbers of a vector.
    pub fn dimensions(&self) -> usize {
        RetrieverConfig::dimensions(self.backbone.info().hidden)
    }

    /// Returns whether the window holds a mention, without its context.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn holds_mention(&self, mention: &str) -> Result<bool, Error> {
        let room = self.config().window.saturating_sub(self.prompt.mention.fixed_tokens());
        self.backbone.tokenizer().holds(mention, room)
    }

    /// Returns whether a concept has a name that is read whole.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn holds_name<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<bool, Error> {
        let room = self.config().concept_tokens.saturating_sub(self.prompt.concept.fixed_tokens());
        self.backbone.tokenizer().holds_any(names, room)
    }

    /// Returns the vectors of mentions, each a text and the place of the mention in it.
    ///
    /// # Errors
    /// Where the tokenizer fails, or makes a token that the model has no vector for, or a number of a vector is not finite.
    ///
    /// # Panics
    /// Where a span is not of its text.
    #[tracing::instrument(name = "mentions", level = "debug", skip_all, fields(mentions = mentions.len()))]
    pub fn mentions(&self, mentions: &[(&str, Span)]) -> Result<Embeddings, Error> {
        let tokens = |(text, span): &(&str, Span)| self.prompt.mention(text, *span, self.backbone.tokenizer());
        let write = |state: &[f32], vector: &mut [f32]| self.config().write_mention(state, vector);
        let vectors = self.encode(mentions, tokens, self.dimensions(), write)?;
        vectors.finite(|at| mentions[at].0[mentions[at].1.range()].to_owned())
    }

    /// Returns the vectors of concepts, each given by its names.
    ///
    /// # Errors
    /// As [`MentionEncoder::mentions`].
    #[tracing::instrument(name = "concepts", level = "debug", skip_all, fields(concepts = concepts.len()))]
    pub fn concepts(&self, concepts: &[Vec<&str>]) -> Result<Embeddings, Error> {
        let tokens = |names: &Vec<&str>| self.prompt.concept(names, self.backbone.tokenizer());
        let write = |state: &[f32], vector: &mut [f32]| self.config().write_concept(state, vector);
        self.encode(concepts, tokens, self.dimensions(), write)?.finite(|at| concepts[at].join("; "))
    }

    /// Returns the vectors of concepts as the network makes them, with the length of the longest.
    ///
    /// # Shapes
    /// output: `[concepts, hidden]`
    ///
    /// # Errors
    /// As [`MentionEncoder::mentions`].
    pub fn concept_states(&self, concepts: &[Vec<&str>]) -> Result<(Vec<f32>, f32), Error> {
        let hidden = self.backbone.info().hidden;
        let tokens = |names: &Vec<&str>| self.prompt.concept(names, self.backbone.tokenizer());
        let states = self.encode(concepts, tokens, hidden, |state, vector| vector.copy_from_slice(state))?;
        let longest = states.rows().map(length).fold(0.0, f32::max);
        Ok((states.into_vec(), longest))
    }

    fn encode<T: Sync>(
        &self,
        texts: &[T],
        tokens: impl Fn(&T) -> Result<Sequence, Error> + Sync,
        dimensions: usize,
        write: impl Fn(&[f32], &mut [f32]) + Sync,
    ) -> Result<Embeddings, Error> {
        /// Texts that a thread encodes at a time.
        const TOGETHER: usize = 32;
        let last = self.backbone.info().layers;
        let pooling = self.backbone.info().pooling.unwrap_or(Pooling::Mean);
        let mut vectors = vec![0.0; texts.len() * dimensions];
        let pieces = texts.par_chunks(TOGETHER).zip(vectors.par_chunks_mut(TOGETHER * dimensions)).enumerate();
        let truncated = pieces.map(|(piece, (texts, vectors))| {
            let sequences = texts.iter().map(&tokens).collect::<Result<Vec<_>, _>>()?;
            let inputs: Vec<_> = sequences.iter().map(|sequence| sequence.input.clone()).collect();
            let states = self.backbone.states(&inputs, &[last])?;
            for (states, vector) in states.iter().zip(vectors.chunks_exact_mut(dimensions)) {
                write(&states.pooled(0, pooling), vector);
            }
            let is_cut = |(_, sequence): &(usize, &Sequence)| !sequence.truncated.is_empty();
            let cut = sequences.iter().enumerate().filter(is_cut).map(|(at, _)| piece * TOGETHER + at);
            Ok(cut.collect::<Vec<_>>())
        });
        let truncated = truncated.collect::<Result<Vec<_>, Error>>()?.concat();
        Ok(Embeddings::new(vectors, dimensions, truncated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_in_the_index_rank_as_dot_products() {
        let config = RetrieverConfig { longest: 3.0, ..RetrieverConfig::new() };
        let mention = [0.8f32, -0.3];
        let concepts = [[2.0f32, 1.0], [0.1, -0.1], [-1.0, 2.0], [1.0, -2.0], [0.5, 0.0]];
        let dot = |left: &[f32], right: &[f32]| left.iter().zip(right).map(|(l, r)| l * r).sum::<f32>();
        let mut query = [0.0; 3];
        config.write_mention(&mention, &mut query);
        let cosines = concepts.map(|concept| {
            let mut vector = [0.0; 3];
            config.write_concept(&concept, &mut vector);
            assert!((length(&vector) - 1.0).abs() < 1e-6);
            dot(&query, &vector)
        });
        let scale = 3.0 * length(&mention);
        for (concept, cosine) in concepts.iter().zip(cosines) {
            assert!((dot(&mention, concept) - scale * cosine).abs() < 1e-5);
        }
        let mut vector = [0.0; 3];
        config.write_concept(&[30.0, 40.0], &mut vector);
        assert_eq!(vector, [0.6, 0.8, 0.0], "cut to the longest");
    }
}
