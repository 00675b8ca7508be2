//! Span heads: mentions of types of entities in texts (BINDER).
//!
//! The vector of a span is a sum of parts for its first token, its last token and its width. The span is a mention
//! of a type where its cosine to the type's description is above the cosine of the window's first token.

mod config;
mod maps;
mod merge;
mod window;

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use truename_error::ErrorKind;
use truename_text::Span;

use crate::backbone::Backbone;
use crate::checkpoint::network_folder;
use crate::kernels::dot;
use crate::{Error, Input, States, error};

pub use config::{Descriptions, EntityType, SpanConfig, Thresholds};
use maps::Maps;
pub use maps::SpanTensors;
pub use window::SpanWindow;

/// Finds the mentions of types of entities in texts by the similarity of spans to descriptions of the types (BINDER, section
/// 3).
///
/// Two networks: one reads texts, the other descriptions, once a model. The vector of a span is a map of the states of its
/// first and last token and of its width; the similarity is a cosine, divided by a temperature. A span is a mention of a type
/// where the similarity is above a threshold, by default the similarity of the type to the window's first token.
///
/// Shared by reference between threads; each call uses the threads of the current rayon pool.
pub struct SpanScorer {
    text: Backbone,
    descriptions: Backbone,
    maps: Maps,
    config: SpanConfig,
    /// The types that are looked for.
    types: Vec<EntityType>,
    anchors: Anchors,
}

/// The vectors of the types, of unit length, and their thresholds where they are not dynamic.
struct Anchors {
    /// `[types, dimensions]`
    spans: Vec<f32>,
    /// `[types, dimensions]`
    starts: Vec<f32>,
    /// `[types, dimensions]`
    ends: Vec<f32>,
    /// Of starts, ends and spans, for each type.
    thresholds: Option<[Vec<f32>; 3]>,
}

/// Options of [`SpanScorer::find`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanOptions {
    /// Inference strategy.
    pub strategy: SpanStrategy,
    /// Removes mentions that overlap one with a higher score, greedily; `None` where the model says so.
    pub is_flat: Option<bool>,
    /// Smallest difference of score and threshold; below 0 for more spans than the model takes for mentions.
    pub min_margin: f32,
}

/// Inference strategies (BINDER, section 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanStrategy {
    /// A span is a mention where its score is above the threshold of spans.
    #[default]
    Span,
    /// Its first and last token must be above the thresholds of starts and ends too.
    Joint,
}

impl Default for SpanOptions {
    fn default() -> Self {
        Self { strategy: SpanStrategy::Span, is_flat: None, min_margin: 0.0 }
    }
}

/// A span of a text that is similar to a type.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScoredSpan {
    /// Place in the text.
    pub span: Span,
    /// Number of the type, among those of the scorer.
    pub type_number: u32,
    /// Similarity to the type, higher is closer.
    pub score: f32,
    /// Threshold of the type in the window around the span.
    pub threshold: f32,
}

/// A span by its tokens in a window.
#[derive(Clone, Copy)]
struct TokenSpan {
    first: u32,
    last: u32,
    type_number: u32,
    score: f32,
    threshold: f32,
}

impl SpanScorer {
    /// Opens a folder with span heads.
    ///
    /// # Errors
    /// Where the folder has none, a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let text = Backbone::open(folder)?;
        let config: Option<SpanConfig> = text.manifest().head(SpanConfig::HEAD)?;
        let config = config.ok_or_else(|| error::no_head(folder, SpanConfig::HEAD, "recognizer", "recognize"))?;
        let descriptions = Backbone::open(&folder.join(network_folder(1)))?;
        let maps = Maps::load(&text.tensors(), text.info().hidden, descriptions.info().hidden, config.max_span)?;
        let types = config.types.clone();
        let empty = || Anchors { spans: vec![], starts: vec![], ends: vec![], thresholds: None };
        let scorer = Self { text, descriptions, maps, config, types: Vec::new(), anchors: empty() };
        scorer.with_types(types)
    }

    /// Looks for other types than those that the model was trained on, by their descriptions alone.
    ///
    /// Thresholds that are not dynamic are the mean of those of the trained types.
    ///
    /// # Errors
    /// Where a type has no description, or one that is longer than the window.
    pub fn with_types(self, types: Vec<EntityType>) -> Result<Self, Error> {
        let anchors = self.anchors_of(&types)?;
        Ok(Self { types, anchors, ..self })
    }

    /// Uses other thresholds.
    ///
    /// # Errors
    /// Where the model has none that are learned.
    pub fn with_thresholds(mut self, thresholds: Thresholds) -> Result<Self, Error> {
        self.config.thresholds = thresholds;
        self.anchors.thresholds = self.thresholds_of(&self.types)?;
        Ok(self)
    }

    /// The types that are looked for.
    pub fn types(&self) -> &[EntityType] {
        &self.types
    }

    /// Returns whether the model was not trained on a type with this name and these descriptions.
    pub fn is_zero_shot(&self, type_number: u32) -> bool {
        !self.config.types.contains(&self.types[type_number as usize])
    }

    /// Configuration of the model.
    pub fn config(&self) -> &SpanConfig {
        &self.config
    }

    /// Returns a hash of both networks, in hexadecimal.
    pub fn hash(&self) -> String {
        const HALF: usize = 16;
        [&self.text, &self.descriptions].map(|network| &network.hash()[..HALF]).concat()
    }

    /// The network that reads texts.
    pub fn backbone(&self) -> &Backbone {
        &self.text
    }

    /// Finds the mentions in texts, in the order of each text; a text longer than a window is read in windows that overlap
    /// by the longest span, and a span is judged in the window where it is farthest from the borders.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    #[tracing::instrument(name = "find spans", level = "debug", skip_all, fields(texts = texts.len()))]
    pub fn find<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        options: &SpanOptions,
    ) -> Result<Vec<Vec<ScoredSpan>>, Error> {
        let SpanConfig { window, max_span, is_flat, .. } = self.config;
        let tokenizer = self.text.tokenizer();
        let windows = |text: &S| SpanWindow::of(text.as_ref(), tokenizer, window, max_span);
        let windows: Vec<Vec<SpanWindow>> = texts.par_iter().map(windows).collect::<Result<_, _>>()?;
        let found = self.score(&windows.iter().flatten().collect::<Vec<_>>(), options)?;
        let mut found = found.into_iter();
        let is_flat = options.is_flat.unwrap_or(is_flat);
        let of_text = |windows: &Vec<SpanWindow>| {
            let spans: Vec<Vec<TokenSpan>> = found.by_ref().take(windows.len()).collect();
            let spans = merge::merged(windows, &spans);
            if is_flat { merge::flat(spans) } else { spans }
        };
        Ok(windows.iter().map(of_text).collect())
    }

    /// Scores the spans of windows, a list for each.
    fn score(&self, windows: &[&SpanWindow], options: &SpanOptions) -> Result<Vec<Vec<TokenSpan>>, Error> {
        /// Windows whose states are held at a time.
        const TOGETHER: usize = 256;
        let mut found = Vec::with_capacity(windows.len());
        for windows in windows.chunks(TOGETHER) {
            let inputs: Vec<Input> = windows.iter().map(|window| window.sequence.input.clone()).collect();
            let states = self.text.states(&inputs, &[self.text.info().layers])?;
            let pairs = windows.par_iter().zip(&states);
            found.par_extend(pairs.map(|(window, states)| self.score_window(window, states, options)));
        }
        Ok(found)
    }

    fn score_window(&self, window: &SpanWindow, states: &States, options: &SpanOptions) -> Vec<TokenSpan> {
        let maps = &self.maps;
        let rows = |tokens: &[u32]| -> Vec<f32> {
            tokens.iter().flat_map(|token| states.row(0, *token as usize).iter().copied()).collect()
        };
        let is_joint = options.strategy == SpanStrategy::Joint;
        let bounds = is_joint.then(|| Bounds::of(self, window, states, options.min_margin));
        let (starts, ends) = match &bounds {
            Some(bounds) => (bounds.starts.any(), bounds.ends.any()),
            None => (window.starts.clone(), window.ends.clone()),
        };
        let firsts = maps.rows(&maps.first, &rows(&starts), starts.len());
        let lasts = maps.rows(&maps.last, &rows(&ends), ends.len());
        let mut scores = Scores::new(self, states);
        let mut found = Vec::new();
        let mut from = 0;
        for (first, first_part) in starts.iter().zip(firsts.chunks_exact(maps.dimensions)) {
            from += ends[from..].partition_point(|last| last < first);
            for (last, last_part) in
                ends[from..].iter().zip(lasts[from * maps.dimensions..].chunks_exact(maps.dimensions))
            {
                let width = (last - first) as usize;
                if width >= self.config.max_span {
                    break;
                }
                scores.of_span(first_part, last_part, width);
                let above = scores.above(options.min_margin);
                found.extend(above.map(|(type_number, score, threshold)| TokenSpan {
                    first: *first,
                    last: *last,
                    type_number,
                    score,
                    threshold,
                }));
            }
        }
        if let Some(Bounds { starts, ends }) = &bounds {
            found.retain(|span| starts.is_of(span.first, span.type_number) && ends.is_of(span.last, span.type_number));
        }
        found
    }

    /// Returns the difference of the score of each token as start or end of each type and the threshold.
    ///
    /// # Shapes
    /// output: `[tokens, types]`
    fn position_margins(&self, states: &States, tokens: &[u32], part: Part) -> Vec<f32> {
        let maps = &self.maps;
        let (map, anchors, scale) = match part {
            Part::Start => (&maps.start, &self.anchors.starts, maps.scales[0]),
            Part::End => (&maps.end, &self.anchors.ends, maps.scales[1]),
        };
        let rows: Vec<f32> = std::iter::once(&0)
            .chain(tokens)
            .flat_map(|token| states.row(0, *token as usize).iter().copied())
            .collect();
        let vectors = maps.unit_rows(map, &rows, tokens.len() + 1);
        let scores = |vector: &[f32]| -> Vec<f32> {
            anchors.chunks_exact(maps.dimensions).map(|anchor| scale * dot::<16>(vector, anchor)).collect()
        };
        let mut vectors = vectors.chunks_exact(maps.dimensions);
        let first = vectors.next().map(scores).unwrap_or_default();
        let thresholds = self.anchors.thresholds.as_ref().map_or(&first, |all| &all[part as usize]);
        vectors
            .flat_map(|vector| {
                let scores = scores(vector);
                scores.into_iter().zip(thresholds).map(|(score, threshold)| score - threshold).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Computes the vectors of types by their descriptions.
    fn anchors_of(&self, types: &[EntityType]) -> Result<Anchors, Error> {
        let tokenizer = self.descriptions.tokenizer();
        let mut inputs = Vec::new();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for entity_type in types {
            let first = inputs.len();
            for description in &entity_type.descriptions {
                let tokens = tokenizer.tokens(description)?;
                if tokens.is_truncated {
                    let (name, window) = (&entity_type.name, self.descriptions.info().window);
                    let message = format!(
                        "a description of the type {name} is longer than the {window} tokens that the model reads"
                    );
                    return Err(Error::new(ErrorKind::TooLong, message)
                        .with_hint("shorten it, or split it into several descriptions"));
                }
                inputs.push(Input::new(tokens.ids));
            }
            if entity_type.descriptions.iter().all(|description| description.trim().is_empty()) {
                return Err(Error::new(ErrorKind::Choice, format!("the type {} has no description", entity_type.name))
                    .with_hint("describe in a sentence what mentions of the type stand for"));
            }
            ranges.push(first..inputs.len());
        }
        let states = self.descriptions.states(&inputs, &[self.descriptions.info().layers])?;
        let means: Vec<f32> = ranges.iter().flat_map(|range| mean(&states[range.clone()])).collect();
        let maps = &self.maps;
        let [spans, starts, ends] =
            [&maps.type_span, &maps.type_start, &maps.type_end].map(|map| maps.unit_rows(map, &means, types.len()));
        Ok(Anchors { spans, starts, ends, thresholds: self.thresholds_of(types)? })
    }

    /// Returns the thresholds of starts, ends and spans of types, where they are not dynamic.
    fn thresholds_of(&self, types: &[EntityType]) -> Result<Option<[Vec<f32>; 3]>, Error> {
        let known = self.config.types.len();
        let trained: [Vec<f32>; 3] = match &self.config.thresholds {
            Thresholds::Dynamic => return Ok(None),
            Thresholds::Learned => {
                let all = self.text.tensors().values(SpanTensors::THRESHOLDS, &[3, known])?;
                [0, 1, 2].map(|part| all[part * known..][..known].to_vec())
            }
            Thresholds::Tuned(spans) => {
                let none = vec![f32::NEG_INFINITY; known];
                [none.clone(), none, spans.clone()]
            }
        };
        Ok(Some(trained.map(|trained| {
            let mean = trained.iter().sum::<f32>() / trained.len().max(1) as f32;
            let place = |entity_type: &EntityType| self.config.types.iter().position(|other| other == entity_type);
            types.iter().map(|entity_type| place(entity_type).map_or(mean, |place| trained[place])).collect()
        })))
    }
}

#[derive(Clone, Copy)]
enum Part {
    Start = 0,
    End = 1,
}

/// Tokens at which mentions of each type may begin and end by joint inference.
struct Bounds<'a> {
    starts: TokenBounds<'a>,
    ends: TokenBounds<'a>,
}

impl<'a> Bounds<'a> {
    fn of(scorer: &SpanScorer, window: &'a SpanWindow, states: &States, min_margin: f32) -> Self {
        let bounds = |tokens: &'a [u32], part| {
            let margins = scorer.position_margins(states, tokens, part);
            TokenBounds {
                tokens,
                types: scorer.types.len(),
                is_above: margins.iter().map(|margin| *margin >= min_margin).collect(),
            }
        };
        Self { starts: bounds(&window.starts, Part::Start), ends: bounds(&window.ends, Part::End) }
    }
}

/// Tokens with the types whose threshold they are above.
struct TokenBounds<'a> {
    tokens: &'a [u32],
    types: usize,
    /// `[tokens, types]`
    is_above: Vec<bool>,
}

impl TokenBounds<'_> {
    /// Returns the tokens that are above the threshold of any type.
    fn any(&self) -> Vec<u32> {
        let rows = self.tokens.iter().zip(self.is_above.chunks_exact(self.types));
        rows.filter(|(_, types)| types.contains(&true)).map(|(token, _)| *token).collect()
    }

    /// Returns whether a token is above the threshold of a type.
    fn is_of(&self, token: u32, type_number: u32) -> bool {
        self.is_above[self.tokens.partition_point(|other| *other < token) * self.types + type_number as usize]
    }
}

/// The scores of one span at a time.
struct Scores<'a> {
    scorer: &'a SpanScorer,
    vector: Vec<f32>,
    scores: Vec<f32>,
    thresholds: Vec<f32>,
}

impl<'a> Scores<'a> {
    fn new(scorer: &'a SpanScorer, states: &States) -> Self {
        let maps = &scorer.maps;
        let mut scores = Self {
            scorer,
            vector: vec![0.0; maps.dimensions],
            scores: vec![0.0; scorer.types.len()],
            thresholds: Vec::new(),
        };
        scores.thresholds = match &scorer.anchors.thresholds {
            Some([_, _, spans]) => spans.clone(),
            None if states.tokens() == 0 => vec![f32::INFINITY; scorer.types.len()],
            None => {
                let first = states.row(0, 0);
                scores.of_span(&maps.rows(&maps.first, first, 1), &maps.rows(&maps.last, first, 1), 0);
                scores.scores.clone()
            }
        };
        scores
    }

    /// Computes the scores of a span from the parts of its vector.
    fn of_span(&mut self, first: &[f32], last: &[f32], width: usize) {
        let maps = &self.scorer.maps;
        let width = &maps.widths[width * maps.dimensions..][..maps.dimensions];
        for ((value, first), (last, width)) in self.vector.iter_mut().zip(first).zip(last.iter().zip(width)) {
            *value = first + last + width;
        }
        let length = dot::<16>(&self.vector, &self.vector).sqrt().max(f32::MIN_POSITIVE);
        let factor = maps.scales[2] / length;
        for (score, anchor) in self.scores.iter_mut().zip(self.scorer.anchors.spans.chunks_exact(maps.dimensions)) {
            *score = factor * dot::<16>(&self.vector, anchor);
        }
    }

    /// Returns the types that the span is similar to, each with score and threshold.
    fn above(&self, min_margin: f32) -> impl Iterator<Item = (u32, f32, f32)> {
        let pairs = (0..).zip(self.scores.iter().zip(&self.thresholds));
        pairs
            .filter(move |(_, (score, threshold))| **score > **threshold + min_margin)
            .map(|(type_number, (score, threshold))| (type_number, *score, *threshold))
    }
}

/// Returns the mean of the states of the first tokens.
fn mean(states: &[States]) -> Vec<f32> {
    let mut mean = vec![0.0; states.first().map_or(0, |states| states.width(0))];
    for states in states {
        mean.iter_mut().zip(states.row(0, 0)).for_each(|(sum, value)| *sum += value);
    }
    mean.iter_mut().for_each(|value| *value /= states.len() as f32);
    mean
}
