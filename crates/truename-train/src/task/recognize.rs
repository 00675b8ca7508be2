//! The kind `recognize`: a recognizer by spans and descriptions of types (BINDER, section 3).

use std::path::Path;

use serde::{Deserialize, Serialize};
use truename_infer::{
    Batch, Checkpoint, Manifest, MarginCalibration, ScoredSpan, SpanConfig, SpanOptions, SpanScorer, Thresholds,
    Tokenizer,
};
use truename_kb::Progress;
use truename_nn::{LabelledSpans, LearnerOptions, SpanThreshold, Spans, SpansOptions};

use super::kind::{Kind, run};
use crate::documents::{DocumentKeys, Documents, SpanShape, tokenizer};
use crate::recipe::{Keys, Part, Range, Schema};
use crate::training::{Description, Epoch, EpochSize, Scores, Task, TaskBatch, TaskData, checkpoint_of};
use crate::{Error, Recipe, error};

/// The row of the kind.
pub(super) const KIND: Kind = Kind {
    schema: Schema {
        name: "recognize",
        summary: "a recognizer of mentions of types that are described in words (BINDER)",
        explained: concat!(
            include_str!("../recipe/run.toml"),
            "[task]\n# Kind of task: a recognizer learns to find the mentions of types that are described in words (BINDER).\n",
            "kind = \"recognize\"\n\n[data]\n",
            include_str!("../documents/data.toml"),
            include_str!("recognize.toml"),
            include_str!("../recipe/schedule.toml"),
        ),
        parts: &[Part::of::<DocumentKeys>(), Part::of::<RecognizeKeys>()],
    },
    begin: |recipe, out, start| {
        let task = Recognize::new(recipe, checkpoint_of(out, start).as_deref())?;
        run(task, recipe, out, start)
    },
    begin_on: None,
};

/// The sections of the kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RecognizeKeys {
    spans: SpanKeys,
    objective: ObjectiveKeys,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SpanKeys {
    max_span: usize,
    dimensions: usize,
    width: usize,
    shared_maps: bool,
    dropout: bool,
    capitals: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ObjectiveKeys {
    alpha: f64,
    gamma: f64,
    lambda: f64,
    beta: f64,
    temperature: f64,
    thresholds: ThresholdKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ThresholdKind {
    Dynamic,
    Learned,
    Tuned,
}

impl Default for SpanKeys {
    fn default() -> Self {
        let SpansOptions { max_span, dimensions, width, shares_maps, .. } = SpansOptions::default();
        Self { max_span, dimensions, width, shared_maps: shares_maps, dropout: false, capitals: false }
    }
}

impl Default for ObjectiveKeys {
    fn default() -> Self {
        let SpansOptions { weights: [alpha, gamma, lambda], beta, temperature, .. } = SpansOptions::default();
        Self { alpha, gamma, lambda, beta, temperature, thresholds: ThresholdKind::Dynamic }
    }
}

impl Keys for RecognizeKeys {
    const RANGES: &'static [(&'static str, Range)] = &[
        ("spans.max_span", Range::of(1.0, 10_000.0)),
        ("spans.dimensions", Range::of(1.0, 16_384.0)),
        ("spans.width", Range::of(1.0, 16_384.0)),
        ("objective.alpha", Range::of(0.0, 1000.0)),
        ("objective.gamma", Range::of(0.0, 1000.0)),
        ("objective.lambda", Range::positive(1000.0)),
        ("objective.beta", Range::SHARE),
        ("objective.temperature", Range::positive(1000.0)),
    ];
}

/// Recognition of mentions as metric learning (BINDER, section 3).
pub struct Recognize {
    pub(super) documents: Documents,
    keys: DocumentKeys,
    own: RecognizeKeys,
    seed: u64,
    descriptions: Batch,
    types: Vec<u32>,
    /// Thresholds are chosen on the data to evaluate on.
    tunes_thresholds: bool,
}

impl Recognize {
    pub(super) fn new(recipe: &Recipe, checkpoint: Option<&Path>) -> Result<Self, Error> {
        let (keys, own): (DocumentKeys, RecognizeKeys) = (recipe.keys()?, recipe.keys()?);
        if own.spans.max_span + 3 > keys.text.window {
            return Err(error::value("spans.max_span", own.spans.max_span, "less than text.window by 3 or more"));
        }
        let tokenizer = tokenizer(&keys.encoder, checkpoint)?;
        let spans = SpanShape { max_span: own.spans.max_span, capitals: own.spans.capitals };
        let documents = Documents::read(recipe, &tokenizer, spans)?;
        let tunes_thresholds = own.objective.thresholds == ThresholdKind::Tuned;
        if tunes_thresholds && !documents.has_evaluation() {
            return Err(error::nothing_to_evaluate());
        }
        let (descriptions, types) = described(&documents, &tokenizer)?;
        Ok(Self { documents, tunes_thresholds, keys, own, seed: recipe.seed, descriptions, types })
    }

    fn config(&self) -> SpanConfig {
        let types = &self.documents.types;
        let mut config = SpanConfig::new(types.to_vec());
        config.max_span = self.own.spans.max_span;
        config.window = self.keys.text.window;
        config.is_flat = self.keys.text.flat;
        config.capitals = self.own.spans.capitals;
        config.has_bounds = self.own.objective.alpha > 0.0 && self.own.objective.gamma > 0.0;
        config.thresholds = match self.own.objective.thresholds {
            ThresholdKind::Dynamic => Thresholds::Dynamic,
            ThresholdKind::Learned => Thresholds::Learned,
            ThresholdKind::Tuned => Thresholds::Tuned(vec![0.0; types.len()]),
        };
        config
    }
}

/// Returns the tokens of all descriptions, and the type of each.
fn described(documents: &Documents, tokenizer: &Tokenizer) -> Result<(Batch, Vec<u32>), Error> {
    let (mut batch, mut types) = (Batch::default(), Vec::new());
    for (number, entity_type) in (0..).zip(&documents.types) {
        for description in &entity_type.descriptions {
            let tokens = tokenizer.tokens(description)?;
            if tokens.is_truncated {
                let (name, tokens) = (&entity_type.name, tokens.ids.len());
                let message = format!("types.{name} is longer than the {tokens} tokens that the encoder reads");
                return Err(error::key(message, "shorten it, or split it into several descriptions"));
            }
            batch.push(&tokens.ids);
            types.push(number);
        }
    }
    Ok((batch, types))
}

impl Task for Recognize {
    type Objective = Spans;
    /// The windows of each batch.
    type Plan = Vec<Vec<u32>>;

    const SCORE: &'static str = "f1";

    fn data(&self) -> &dyn TaskData {
        &self.documents
    }

    fn networks(&self) -> Result<Vec<Checkpoint>, Error> {
        let networks = vec![self.keys.encoder.open()?, self.keys.encoder.open()?];
        let has_segments = |network: &Checkpoint| matches!(network, Checkpoint::Transformer(one) if one.segments() > 1);
        if self.own.spans.capitals && !has_segments(&networks[0]) {
            let needed = "an encoder with two segments, as BERT has";
            return Err(error::value("spans.capitals", true, format!("false without {needed}")));
        }
        Ok(networks)
    }

    fn configure(&self, options: &mut LearnerOptions) -> Result<(), Error> {
        self.keys.encoder.configure(options);
        Ok(())
    }

    fn objective(&self, networks: &[Checkpoint]) -> Result<Spans, Error> {
        let SpanKeys { max_span, dimensions, width, shared_maps, dropout, capitals: _ } = self.own.spans;
        let ObjectiveKeys { alpha, gamma, lambda, beta, temperature, thresholds } = self.own.objective;
        let threshold = match thresholds {
            ThresholdKind::Dynamic => SpanThreshold::Dynamic,
            ThresholdKind::Learned => SpanThreshold::Learned,
            ThresholdKind::Tuned => SpanThreshold::None,
        };
        let options = SpansOptions {
            types: self.documents.types.len(),
            max_span,
            dimensions,
            width,
            threshold,
            weights: [alpha, gamma, lambda],
            temperature,
            beta,
            shares_maps: shared_maps,
            drops_vectors: dropout,
            seed: self.seed,
        };
        Ok(Spans::new(networks[0].hidden(), networks[1].hidden(), options))
    }

    fn describe(&self, manifest: &mut Manifest) -> Result<(), Error> {
        manifest.set_head(SpanConfig::HEAD, &self.config())
    }

    fn expected_epoch(&self, _: &Self::Plan) -> EpochSize {
        self.documents.expected_epoch(self.keys.text.batch)
    }

    fn plan_epoch(&self, plan: &mut Self::Plan, epoch: &Epoch<'_, Spans>) -> Result<(), Error> {
        *plan = self.documents.plan(self.keys.text.batch, &mut epoch.random());
        Ok(())
    }

    fn batches(&self, plan: &Self::Plan) -> usize {
        plan.len()
    }

    fn batch(&self, plan: &Self::Plan, number: usize, _: &[Tokenizer]) -> Result<TaskBatch<Self>, Error> {
        Ok((self.labelled(&plan[number]), plan[number].len()))
    }

    fn describe_data(&self, _: &[Tokenizer]) -> Result<Description, Error> {
        Ok(self.documents.describe())
    }

    fn evaluate(&self, folder: &Path, progress: &Progress) -> Result<Scores, Error> {
        progress.check()?;
        let texts: Vec<&str> = self.documents.dev().collect();
        let mut scorer = SpanScorer::open(folder)?;
        if self.tunes_thresholds {
            let thresholds = self.best_thresholds(&scorer, progress)?;
            scorer = scorer.with_thresholds(thresholds)?;
        }
        let found = scorer.find(&texts, &SpanOptions::default())?;
        let mention = |span: &ScoredSpan| (span.span, span.type_number);
        let found: Vec<Vec<_>> = found.iter().map(|spans| spans.iter().map(mention).collect()).collect();
        Ok(self.documents.score(&found))
    }

    fn finish(&self, folder: &Path, progress: &Progress) -> Result<(), Error> {
        let scorer = SpanScorer::open(folder)?;
        let mut config = scorer.config().clone();
        if self.tunes_thresholds {
            config.thresholds = self.best_thresholds(&scorer, progress)?;
        }
        config.vectors = Some(scorer.vectors().clone());
        config.calibration =
            MarginCalibration::fit(&self.documents.margins(&scorer.with_thresholds(config.thresholds.clone())?)?);
        let mut manifest = Manifest::open(folder)?;
        manifest.set_head(SpanConfig::HEAD, &config)?;
        manifest.save(folder)
    }
}

impl Recognize {
    /// Returns windows, given by their numbers, with what is to be recognized in them.
    pub(super) fn labelled(&self, windows: &[u32]) -> LabelledSpans {
        let mut batch = LabelledSpans {
            descriptions: self.descriptions.clone(),
            types: self.types.clone(),
            ..LabelledSpans::default()
        };
        for window in windows.iter().map(|window| &self.documents.windows[*window as usize]) {
            batch.texts.push_input(&window.input);
            batch.labels.push(window.labels.clone());
        }
        batch
    }

    /// Returns the threshold of each type with the best F1 on the data to evaluate on (BINDER, section 4.5), after overlaps are removed where
    /// the model removes them.
    fn best_thresholds(&self, scorer: &SpanScorer, progress: &Progress) -> Result<Thresholds, Error> {
        /// Passages that are scored at a time.
        const TOGETHER: usize = 64;
        let texts: Vec<&str> = self.documents.dev().collect();
        let all = SpanOptions { min_margin: f32::NEG_INFINITY, ..SpanOptions::default() };
        let mut best: Vec<TopSpans> =
            self.documents.dev_mentions().iter().map(|mentions| TopSpans::new(*mentions)).collect();
        for (chunk, texts) in texts.chunks(TOGETHER).enumerate() {
            progress.check()?;
            for (number, spans) in scorer.find(texts, &all)?.into_iter().enumerate() {
                for span in spans {
                    if let Some(is_right) =
                        self.documents.is_gold(chunk * TOGETHER + number, span.span, span.type_number)
                    {
                        best[span.type_number as usize].add(span.score, is_right);
                    }
                }
            }
        }
        Ok(Thresholds::Tuned(best.into_iter().map(TopSpans::threshold).collect()))
    }
}

/// The spans of one type with the highest scores.
struct TopSpans {
    mentions: usize,
    /// Scores, and whether they are of mentions.
    spans: Vec<(f32, bool)>,
}

impl TopSpans {
    fn new(mentions: usize) -> Self {
        Self { mentions, spans: Vec::new() }
    }

    /// More found spans than this have a precision below a quarter, and no best F1.
    fn most(&self) -> usize {
        4 * self.mentions + 1000
    }

    fn add(&mut self, score: f32, is_right: bool) {
        self.spans.push((score, is_right));
        if self.spans.len() > 4 * self.most() {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.spans.sort_by(|left, right| right.0.total_cmp(&left.0));
        self.spans.truncate(self.most());
    }

    fn threshold(mut self) -> f32 {
        self.sort();
        let (mut right, mut best, mut threshold) = (0, 0.0, f32::MAX);
        for (number, (score, is_right)) in self.spans.iter().enumerate() {
            right += usize::from(*is_right);
            let next = self.spans.get(number + 1).map_or(score - 1.0, |next| next.0);
            let f1 = 2.0 * right as f64 / (number + 1 + self.mentions) as f64;
            if f1 > best && next < *score {
                (best, threshold) = (f1, f32::midpoint(*score, next));
            }
        }
        threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_with_the_best_f1_is_chosen() {
        let mut spans = TopSpans::new(3);
        for (score, is_right) in [(1.0, false), (5.0, true), (3.0, true), (2.0, false), (4.0, false), (-1.0, true)] {
            spans.add(score, is_right);
        }
        assert_eq!(spans.threshold(), 2.5);
        assert_eq!(TopSpans::new(0).threshold(), f32::MAX);
    }
}
