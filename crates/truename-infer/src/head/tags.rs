//! Taggers: mentions of types by BIO tags of words, the baseline of recognition.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use truename_text::Span;

use super::{SpanWindow, WindowOptions};
use crate::backbone::Backbone;
use crate::layer::Linear;
use crate::{Error, Input, States, error};

/// Tags the words of texts with the types of mentions: a linear map and a softmax over the tags of the BIO scheme, the baseline
/// of recognition.
///
/// A word is read by its first token. Mentions cannot overlap.
pub struct Tagger {
    backbone: Backbone,
    map: Linear,
    config: TagConfig,
}

/// Configuration of a [`Tagger`], kept in the model folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TagConfig {
    /// Names of the types.
    pub types: Vec<String>,
    /// Largest number of tokens of a window, with those that mark its ends.
    pub window: usize,
    /// Tokens that two windows share.
    pub overlap: usize,
}

impl TagConfig {
    /// Name of the head in the manifest.
    pub const HEAD: &'static str = "tags";
    /// Name of the map in the folder: `tags.weight: [1 + 2 × types, hidden]` and `tags.bias`. Tag 0 is that of words outside
    /// mentions, `1 + 2 × type` that of a mention's first word, the next that of its other words.
    pub const MAP: &'static str = "tags";

    /// Creates the configuration for some types.
    pub fn new(types: Vec<String>, window: usize, overlap: usize) -> Self {
        Self { types, window, overlap }
    }

    /// Returns the number of tags.
    pub fn tags(&self) -> usize {
        1 + 2 * self.types.len()
    }
}

/// A mention found by tags.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaggedSpan {
    /// Place in the text.
    pub span: Span,
    /// Number of the type.
    pub type_number: u32,
    /// Lowest probability of a tag of its words.
    pub probability: f32,
}

/// A word with its tag.
#[derive(Clone, Copy)]
struct TaggedWord {
    end: usize,
    tag: u32,
    probability: f32,
    /// Tokens to the nearer border of the window within the text.
    distance: u32,
}

impl SpanWindow {
    /// Returns the first and last token of each word.
    pub fn words(&self) -> impl Iterator<Item = (u32, u32)> {
        let next = self.starts.iter().skip(1).copied().chain([u32::MAX]);
        self.starts.iter().zip(next).filter_map(|(first, next)| {
            let last = self.ends.partition_point(|last| *last < next);
            self.ends[..last].last().filter(|last| *last >= first).map(|last| (*first, *last))
        })
    }
}

impl Tagger {
    /// Opens a folder with a map to tags.
    ///
    /// # Errors
    /// Where the folder has none, a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let backbone = Backbone::open(folder)?;
        let config: Option<TagConfig> = backbone.manifest().head(TagConfig::HEAD)?;
        let config = config.ok_or_else(|| error::no_head(folder, TagConfig::HEAD, "recognizer", "recognize"))?;
        let map = Linear::load(&backbone.tensors().at(TagConfig::MAP), backbone.info().hidden, config.tags())?;
        Ok(Self { backbone, map, config })
    }

    /// Configuration of the model.
    pub fn config(&self) -> &TagConfig {
        &self.config
    }

    /// The network that reads texts.
    pub fn backbone(&self) -> &Backbone {
        &self.backbone
    }

    /// Finds the mentions in texts, in the order of each text.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    #[tracing::instrument(name = "tag", level = "debug", skip_all, fields(texts = texts.len()))]
    pub fn find<S: AsRef<str> + Sync>(&self, texts: &[S]) -> Result<Vec<Vec<TaggedSpan>>, Error> {
        let TagConfig { window, overlap, .. } = self.config;
        let tokenizer = self.backbone.tokenizer();
        let options = WindowOptions { tokens: window, overlap, capitals: false };
        let windows = |text: &S| SpanWindow::of(text.as_ref(), tokenizer, options);
        let windows: Vec<Vec<SpanWindow>> = texts.par_iter().map(windows).collect::<Result<_, _>>()?;
        windows.par_chunks(64).map(|chunk| self.of_texts(chunk)).collect::<Result<Vec<_>, _>>().map(|all| all.concat())
    }

    fn of_texts(&self, texts: &[Vec<SpanWindow>]) -> Result<Vec<Vec<TaggedSpan>>, Error> {
        let inputs: Vec<Input> = texts.iter().flatten().map(|window| window.sequence.input.clone()).collect();
        let mut states = self.backbone.states(&inputs, &[self.backbone.info().layers])?.into_iter();
        let spans = |windows: &Vec<SpanWindow>| {
            let mut words = BTreeMap::<usize, TaggedWord>::new();
            for (number, (window, states)) in windows.iter().zip(states.by_ref()).enumerate() {
                for (start, word) in self.words(window, &states, (number == 0, number + 1 == windows.len())) {
                    let known = words.get(&start);
                    if known.is_none_or(|known| known.distance < word.distance) {
                        words.insert(start, word);
                    }
                }
            }
            spans_of(&words)
        };
        Ok(texts.iter().map(spans).collect())
    }

    /// Returns the words of a window, by the byte at which they start.
    fn words(
        &self,
        window: &SpanWindow,
        states: &States,
        (is_first, is_last): (bool, bool),
    ) -> Vec<(usize, TaggedWord)> {
        let tokens = states.tokens() as u32;
        let mut scores = vec![0.0; self.config.tags()];
        let tagged = |(first, last): (u32, u32)| {
            self.map.apply(states.row(0, first as usize), &mut scores);
            let (tag, highest) = scores
                .iter()
                .enumerate()
                .fold((0, f32::MIN), |best, (tag, score)| if *score > best.1 { (tag, *score) } else { best });
            let sum: f32 = scores.iter().map(|score| (score - highest).exp()).sum();
            let span = window.span(first, last);
            let before = if is_first { u32::MAX } else { first };
            let after = if is_last { u32::MAX } else { tokens - 1 - last };
            let distance = before.min(after);
            (span.start, TaggedWord { end: span.end, tag: tag as u32, probability: 1.0 / sum, distance })
        };
        window.words().map(tagged).collect()
    }
}

/// Returns the mentions of tagged words. A word inside a mention that no such mention stands before begins one.
fn spans_of(words: &BTreeMap<usize, TaggedWord>) -> Vec<TaggedSpan> {
    let mut spans: Vec<TaggedSpan> = Vec::new();
    let mut is_open = false;
    for (start, word) in words {
        let Some(tag) = word.tag.checked_sub(1) else {
            is_open = false;
            continue;
        };
        let (type_number, is_inside) = (tag / 2, tag % 2 == 1);
        match spans.last_mut().filter(|span| is_open && is_inside && span.type_number == type_number) {
            Some(span) => {
                span.span.end = word.end;
                span.probability = span.probability.min(word.probability);
            }
            None => {
                spans.push(TaggedSpan { span: Span::new(*start, word.end), type_number, probability: word.probability })
            }
        }
        is_open = true;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_mentions() {
        let tags = [(0, 1), (2, 2), (4, 0), (6, 4), (8, 4), (10, 2), (12, 1), (14, 1)];
        let word = |(start, tag): (usize, u32)| {
            (start, TaggedWord { end: start + 1, tag, probability: 1.0 / (1.0 + start as f32), distance: 0 })
        };
        let spans = spans_of(&tags.into_iter().map(word).collect());
        let found: Vec<(usize, usize, u32)> =
            spans.iter().map(|span| (span.span.start, span.span.end, span.type_number)).collect();
        assert_eq!(found, [(0, 3, 0), (6, 9, 1), (10, 11, 0), (12, 13, 0), (14, 15, 0)]);
        assert_eq!(spans[0].probability, 1.0 / 3.0);
    }
}
