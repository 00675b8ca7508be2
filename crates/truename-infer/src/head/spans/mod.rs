//! Span heads: mentions of types of entities in texts (BINDER).
//!
//! The vector of a span is a sum of parts for its first token, its last token and its width. The span is a mention
//! of a type where its cosine to the type's description is above the cosine of the window's first token.

mod config;
mod maps;
mod margins;
mod merge;
mod types;
mod window;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};
use truename_text::Span;

use crate::backbone::Backbone;
use crate::kernels::dot;
use crate::{Error, InContextConfig, Input, States, error};

pub use config::{Descriptions, EntityType, MarginCalibration, SpanConfig, Thresholds, TypeVectors};
use maps::Maps;
pub use maps::SpanTensors;
pub use margins::WindowMargins;
use types::TypeReader;
pub use window::{SpanWindow, WindowOptions};

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
    /// The network of descriptions, where the model's own vectors of types do not do.
    reader: Option<TypeReader>,
    maps: Maps,
    config: SpanConfig,
    /// The types that are looked for.
    types: Vec<EntityType>,
    vectors: TypeVectors,
    /// Thresholds of starts, ends and spans for each type, where they are not dynamic.
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
    /// Gives each span the vector of its tokens' states.
    pub has_vectors: bool,
}

/// Spans with lower thresholds than others, such as names of a knowledge base.
#[derive(Clone, Copy, Debug)]
pub struct LikelySpans<'a> {
    /// The likely spans of each text.
    pub spans: &'a [Vec<Span>],
    /// Amount that is subtracted from their thresholds.
    pub slack: f32,
    /// Types whose thresholds are lowered; empty for all.
    pub types: &'a BTreeSet<String>,
}

/// A window with the first and last tokens of its likely spans, in order.
struct WindowTask {
    window: SpanWindow,
    likely: Vec<(u32, u32)>,
    /// For each type how much lower the thresholds of likely spans are.
    slacks: Arc<[f32]>,
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
        Self { strategy: SpanStrategy::Span, is_flat: None, min_margin: 0.0, has_vectors: false }
    }
}

/// A span of a text that is similar to a type.
#[derive(Clone, Debug, PartialEq)]
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
    /// Unit vector of the mean of its tokens' states, as [`Encoder::encode_in_context`](crate::Encoder::encode_in_context) gives; where it
    /// was asked for.
    pub vector: Option<Arc<[f32]>>,
}

impl WindowTask {
    /// Returns for each type how much lower the threshold of a span is; nothing where it is that of other spans.
    fn slacks(&self, first: u32, last: u32) -> &[f32] {
        if self.likely.binary_search(&(first, last)).is_ok() { &self.slacks } else { &[] }
    }
}

/// A span by its tokens in a window.
#[derive(Clone)]
struct TokenSpan {
    first: u32,
    last: u32,
    type_number: u32,
    score: f32,
    threshold: f32,
    vector: Option<Arc<[f32]>>,
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
        let maps = Maps::load(&text.tensors(), text.info().hidden, config.max_span)?;
        let size = config.types.len() * maps.dimensions;
        let (reader, vectors) = match config.vectors.clone().filter(|vectors| vectors.are_of_size(size)) {
            Some(vectors) => (None, vectors),
            None => {
                let reader = TypeReader::open(folder, &text.tensors(), maps.dimensions)?;
                let vectors = reader.vectors(&config.types)?;
                (Some(reader), vectors)
            }
        };
        let types = config.types.clone();
        let mut scorer = Self { text, reader, maps, config, types, vectors, thresholds: None };
        scorer.thresholds = scorer.thresholds_of(&scorer.types)?;
        Ok(scorer)
    }

    /// Looks for other types than those that the model was trained on, by their descriptions alone.
    ///
    /// Thresholds that are not dynamic are the mean of those of the trained types.
    ///
    /// # Errors
    /// Where a type has no description, or one that is longer than the window, or the folder has no network of descriptions.
    pub fn with_types(mut self, types: Vec<EntityType>) -> Result<Self, Error> {
        if let Some(vectors) = self.known_vectors(&types) {
            let thresholds = self.thresholds_of(&types)?;
            return Ok(Self { types, vectors, thresholds, ..self });
        }
        let reader = match self.reader.take() {
            Some(reader) => reader,
            None => TypeReader::open(self.text.folder(), &self.text.tensors(), self.maps.dimensions)?,
        };
        let (vectors, thresholds) = (reader.vectors(&types)?, self.thresholds_of(&types)?);
        Ok(Self { reader: Some(reader), types, vectors, thresholds, ..self })
    }

    /// Returns the stored vectors of types, by their descriptions; `None` where one was not trained or no vectors are stored.
    fn known_vectors(&self, types: &[EntityType]) -> Option<TypeVectors> {
        let stored = self.config.vectors.as_ref()?;
        let place = |entity_type: &EntityType| {
            self.config.types.iter().position(|known| known.descriptions == entity_type.descriptions)
        };
        let places: Vec<usize> = types.iter().map(place).collect::<Option<_>>()?;
        Some(stored.of_types(&places, self.maps.dimensions))
    }

    /// Uses other thresholds.
    ///
    /// # Errors
    /// Where the model has none that are learned.
    pub fn with_thresholds(mut self, thresholds: Thresholds) -> Result<Self, Error> {
        self.config.thresholds = thresholds;
        self.thresholds = self.thresholds_of(&self.types)?;
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

    /// The vectors of the types that are looked for.
    pub fn vectors(&self) -> &TypeVectors {
        &self.vectors
    }

    /// Returns a hash of the networks that are in use, in hexadecimal.
    pub fn hash(&self) -> String {
        const HALF: usize = 16;
        match &self.reader {
            Some(reader) => [self.text.hash(), reader.hash()].map(|hash| &hash[..HALF]).concat(),
            None => self.text.hash().to_owned(),
        }
    }

    /// Returns whether its network learnt to place mentions near names too, so that vectors of spans stand for mentions.
    ///
    /// # Errors
    /// Where the configuration in the folder cannot be read.
    pub fn reads_in_context(&self) -> Result<bool, Error> {
        Ok(self.text.manifest().head::<InContextConfig>(InContextConfig::HEAD)?.is_some())
    }

    /// The network that reads texts.
    pub fn backbone(&self) -> &Backbone {
        &self.text
    }

    /// Finds the mentions in texts, in the order of each text; a text longer than a window is read in windows that end with
    /// sentences or overlap by the longest span, and a span is judged in the window where it is farthest from the borders.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn find<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        options: &SpanOptions,
    ) -> Result<Vec<Vec<ScoredSpan>>, Error> {
        self.find_likely(texts, LikelySpans { spans: &[], slack: 0.0, types: &BTreeSet::new() }, options)
    }

    /// As [`SpanScorer::find`], with lower thresholds for spans that are likely for another reason.
    ///
    /// # Errors
    /// As [`SpanScorer::find`].
    #[tracing::instrument(name = "find spans", level = "debug", skip_all, fields(texts = texts.len()))]
    pub fn find_likely<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        likely: LikelySpans<'_>,
        options: &SpanOptions,
    ) -> Result<Vec<Vec<ScoredSpan>>, Error> {
        let is_flat = options.is_flat.unwrap_or(self.config.is_flat);
        let is_lowered = |name: &str| likely.types.is_empty() || likely.types.contains(name);
        let slacks = self.types().iter().map(|one| if is_lowered(&one.name) { likely.slack } else { 0.0 });
        let slacks: Arc<[f32]> = slacks.collect();
        let windows = |(number, text): (usize, &S)| {
            self.windows(text.as_ref(), likely.spans.get(number).map_or(&[], Vec::as_slice), &slacks)
        };
        let windows: Vec<Vec<WindowTask>> = texts.par_iter().enumerate().map(windows).collect::<Result<_, _>>()?;
        let mut found = self.score(&windows.iter().flatten().collect::<Vec<_>>(), options)?.into_iter();
        let of_text = |windows: &Vec<WindowTask>| {
            let spans: Vec<Vec<TokenSpan>> = found.by_ref().take(windows.len()).collect();
            let windows: Vec<&SpanWindow> = windows.iter().map(|task| &task.window).collect();
            let spans = merge::merged(&windows, &spans);
            if is_flat { merge::flat(spans) } else { spans }
        };
        Ok(windows.iter().map(of_text).collect())
    }

    fn windows(&self, text: &str, likely: &[Span], slacks: &Arc<[f32]>) -> Result<Vec<WindowTask>, Error> {
        let SpanConfig { window, max_span, capitals, .. } = self.config;
        let options = WindowOptions { tokens: window, overlap: max_span, capitals };
        let windows = SpanWindow::of(text, self.text.tokenizer(), options)?;
        let task = |window: SpanWindow| {
            let mut likely: Vec<(u32, u32)> = likely.iter().filter_map(|span| window.tokens(*span)).collect();
            likely.sort_unstable();
            WindowTask { window, likely, slacks: Arc::clone(slacks) }
        };
        Ok(windows.into_iter().map(task).collect())
    }

    /// Scores the spans of windows, a list for each.
    fn score(&self, windows: &[&WindowTask], options: &SpanOptions) -> Result<Vec<Vec<TokenSpan>>, Error> {
        /// Windows whose states are held at a time.
        const TOGETHER: usize = 256;
        let mut found = Vec::with_capacity(windows.len());
        for windows in windows.chunks(TOGETHER) {
            let inputs: Vec<Input> = windows.iter().map(|task| task.window.sequence.input.clone()).collect();
            let states = self.text.states(&inputs, &[self.text.info().layers])?;
            let pairs = windows.par_iter().zip(&states);
            found.par_extend(pairs.map(|(task, states)| self.score_window(task, states, options)));
        }
        Ok(found)
    }

    fn score_window(&self, task: &WindowTask, states: &States, options: &SpanOptions) -> Vec<TokenSpan> {
        let (maps, window) = (&self.maps, &task.window);
        let rows =
            |tokens: &[u32]| tokens.iter().map(|token| states.row(0, *token as usize)).collect::<Vec<_>>().concat();
        let is_joint = options.strategy == SpanStrategy::Joint;
        let bounds = is_joint.then(|| Bounds::of(self, window, states, options.min_margin));
        let (starts, ends) = match &bounds {
            Some(bounds) => (bounds.starts.any(), bounds.ends.any()),
            None => (window.starts.clone(), window.ends.clone()),
        };
        let firsts = maps.rows(&maps.first, &rows(&starts), starts.len());
        let lasts = maps.rows(&maps.last, &rows(&ends), ends.len());
        let scores = Scores::new(self, states);
        let (starts, ends) = ((&starts[..], &firsts[..]), (&ends[..], &lasts[..]));
        let mut found = Scan { task, starts, ends, scores, min_margin: options.min_margin }.dispatch();
        if let Some(Bounds { starts, ends }) = &bounds {
            found.retain(|span| starts.is_of(span.first, span.type_number) && ends.is_of(span.last, span.type_number));
        }
        if options.has_vectors {
            let vector = |span: &TokenSpan| states.mean_vector(0, span.first as usize..span.last as usize + 1);
            found.iter_mut().for_each(|span| span.vector = Some(vector(span).into()));
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
            Part::Start => (&maps.start, &self.vectors.starts, maps.scales[0]),
            Part::End => (&maps.end, &self.vectors.ends, maps.scales[1]),
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
        let thresholds = self.thresholds.as_ref().map_or(&first, |all| &all[part as usize]);
        vectors
            .flat_map(|vector| {
                let scores = scores(vector);
                scores.into_iter().zip(thresholds).map(|(score, threshold)| score - threshold).collect::<Vec<_>>()
            })
            .collect()
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

/// Scores all spans of a window, with the vector instructions of the processor.
struct Scan<'a> {
    task: &'a WindowTask,
    /// Tokens that may begin a span, and their parts of its vector: `[tokens, dimensions]`
    starts: (&'a [u32], &'a [f32]),
    /// As `starts`, of tokens that may end one.
    ends: (&'a [u32], &'a [f32]),
    scores: Scores<'a>,
    min_margin: f32,
}

impl SimdOp for Scan<'_> {
    type Output = Vec<TokenSpan>;

    #[inline(always)]
    fn eval<I: Isa>(mut self, _: I) -> Vec<TokenSpan> {
        let (dimensions, max_span) = (self.scores.scorer.maps.dimensions, self.scores.scorer.config.max_span);
        let ((starts, firsts), (ends, lasts)) = (self.starts, self.ends);
        let mut found = Vec::new();
        let mut from = 0;
        for (first, first_part) in starts.iter().zip(firsts.chunks_exact(dimensions)) {
            from += ends[from..].partition_point(|last| last < first);
            for (last, last_part) in ends[from..].iter().zip(lasts[from * dimensions..].chunks_exact(dimensions)) {
                let width = (last - first) as usize;
                if width >= max_span {
                    break;
                }
                self.scores.of_span(first_part, last_part, width);
                let above = self.scores.above(self.min_margin, self.task.slacks(*first, *last));
                found.extend(above.map(|(type_number, score, threshold)| TokenSpan {
                    first: *first,
                    last: *last,
                    type_number,
                    score,
                    threshold,
                    vector: None,
                }));
            }
        }
        found
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
        scores.thresholds = match &scorer.thresholds {
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
    #[inline(always)]
    fn of_span(&mut self, first: &[f32], last: &[f32], width: usize) {
        let maps = &self.scorer.maps;
        let width = &maps.widths[width * maps.dimensions..][..maps.dimensions];
        for ((value, first), (last, width)) in self.vector.iter_mut().zip(first).zip(last.iter().zip(width)) {
            *value = first + last + width;
        }
        let length = dot::<16>(&self.vector, &self.vector).sqrt().max(f32::MIN_POSITIVE);
        let factor = maps.scales[2] / length;
        for (score, anchor) in self.scores.iter_mut().zip(self.scorer.vectors.spans.chunks_exact(maps.dimensions)) {
            *score = factor * dot::<16>(&self.vector, anchor);
        }
    }

    /// Returns the types that the span is similar to, each with score and threshold. `slacks`: how much lower the threshold of each type is.
    fn above(&self, min_margin: f32, slacks: &[f32]) -> impl Iterator<Item = (u32, f32, f32)> {
        let lowered = self.thresholds.iter().zip(slacks.iter().copied().chain(std::iter::repeat(0.0)));
        let pairs = (0..).zip(self.scores.iter().zip(lowered));
        pairs
            .map(|(type_number, (score, (threshold, slack)))| (type_number, *score, *threshold - slack))
            .filter(move |(_, score, threshold)| *score > *threshold + min_margin)
    }
}
