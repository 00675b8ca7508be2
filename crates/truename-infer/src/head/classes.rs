//! Classifiers of texts and pairs of texts, and regression.

use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::marking::{Marking, mark};
use crate::layer::Linear;
use crate::{AdaptersConfig, Backbone, Error, Input, Pooling, Sequence, States, Tokenizer, error};

/// Classifies texts and pairs of texts, or predicts a value for them: a linear map of the pooled states.
///
/// ```no_run
/// use truename_infer::{Classifier, ClassifyText};
///
/// # fn main() -> Result<(), truename_infer::Error> {
/// let classifier = Classifier::open("model".as_ref())?;
/// let pair = ClassifyText { first: "A cat sleeps.", second: Some("An animal is asleep.") };
/// for (label, probability) in classifier.labels().iter().zip(&classifier.scores(&[pair])?[0]) {
///     println!("{label}: {probability:.3}");
/// }
/// # Ok(())
/// # }
/// ```
pub struct Classifier {
    backbone: Backbone,
    map: Linear,
    config: ClassifyConfig,
}

/// Configuration of a [`Classifier`], kept in the model folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassifyConfig {
    /// Labels in the order of the scores; none for a regression.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Label that F1 is of, where it is of one label.
    #[serde(default)]
    pub positive: Option<String>,
    /// Unit of a regression: a value is `mean + deviation × output`.
    #[serde(default)]
    pub scale: ValueScale,
    /// Most tokens of a text or pair, with those that mark its ends.
    pub window: usize,
    /// Pooling of the states of all tokens.
    pub pooling: Pooling,
    /// Words that are marked as entities for the adapters of the network.
    #[serde(default)]
    pub marking: Marking,
    /// True where it learnt from pairs of texts.
    #[serde(default)]
    pub is_pair: bool,
    /// Columns of the texts in the data that it learnt from: one for single texts, two for pairs, none where they had no names.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Column of the label.
    #[serde(default)]
    pub label_column: Option<String>,
}

/// Maps the output of a regression to values: `mean + deviation × output`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueScale {
    /// Mean of the values that it learnt from.
    pub mean: f32,
    /// Standard deviation of the values that it learnt from.
    pub deviation: f32,
}

impl Default for ValueScale {
    /// The outputs as they are.
    fn default() -> Self {
        Self { mean: 0.0, deviation: 1.0 }
    }
}

impl ValueScale {
    /// Returns the value of an output.
    pub fn value(&self, output: f32) -> f32 {
        self.mean + self.deviation * output
    }

    /// Returns the output of a value.
    pub fn output(&self, value: f32) -> f32 {
        (value - self.mean) / self.deviation
    }
}

impl ClassifyConfig {
    /// Name of the head in the manifest.
    pub const HEAD: &'static str = "classes";
    /// Name of the map in the folder: `classes.weight: [outputs, hidden]` and `classes.bias`.
    pub const MAP: &'static str = "classes";

    /// Creates the configuration for some labels, or for a regression where there are none.
    pub fn new(labels: Vec<String>, window: usize, pooling: Pooling) -> Self {
        let (scale, columns) = (ValueScale::default(), Vec::new());
        let marking = Marking::None;
        Self { labels, positive: None, scale, window, pooling, marking, is_pair: false, columns, label_column: None }
    }

    /// Returns the number of outputs: one a label, or one for a regression.
    pub fn outputs(&self) -> usize {
        self.labels.len().max(1)
    }

    /// Returns whether it predicts values.
    pub fn is_regression(&self) -> bool {
        self.labels.is_empty()
    }

    /// Returns the label with the highest probability, the first of equal ones, with its probability.
    ///
    /// # Panics
    /// Where it has no labels, or there is not a score for each.
    pub fn best(&self, scores: &[f32]) -> (&str, f32) {
        assert_eq!(scores.len(), self.labels.len(), "a score for each label");
        let higher = |best: usize, label: usize| if scores[label] > scores[best] { label } else { best };
        let best = (1..scores.len()).fold(0, higher);
        (&self.labels[best], scores[best])
    }

    /// Returns the tokens of a text, `[CLS] first [SEP]`, or of a pair, `[CLS] first [SEP] second [SEP]`, with the markers of adapters around the
    /// words of [`marking`](Self::marking). Of a pair that does not fit into the window the longer text is cut first.
    ///
    /// # Errors
    /// Where the tokenizer fails or reads characters, or the window has no room for the texts.
    pub fn tokens(&self, text: ClassifyText<'_>, tokenizer: &Tokenizer) -> Result<Sequence, Error> {
        let text = ClassifyText { first: text.first.trim(), second: text.second.map(str::trim) };
        let read = |window: usize| match text.second {
            Some(second) => tokenizer.pair_within(text.first, second, window),
            None => tokenizer.beginning(text.first, window),
        };
        let entities = self.marking.entities(text.first, text.second);
        let is_marked = entities.iter().any(Option::is_some);
        match is_marked.then(|| AdaptersConfig::markers(tokenizer)).flatten() {
            Some(markers) => {
                let marked = markers.len() * entities.iter().flatten().count();
                Ok(mark(read(self.window.saturating_sub(marked))?, entities, markers))
            }
            None => read(self.window),
        }
    }
}

/// A text or a pair of texts to classify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassifyText<'a> {
    /// The text, or the first of a pair.
    pub first: &'a str,
    /// The second text of a pair.
    pub second: Option<&'a str>,
}

/// Scores of texts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Classification {
    /// Of each text a probability for each label, or the value of a regression.
    pub scores: Vec<Vec<f32>>,
    /// Numbers of the texts that are longer than the window, of which only the beginning was read.
    pub truncated: Vec<usize>,
}

impl Classifier {
    /// Opens a folder with a classifier.
    ///
    /// # Errors
    /// Where the folder has none, a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let backbone = Backbone::open(folder)?;
        let config: Option<ClassifyConfig> = backbone.manifest().head(ClassifyConfig::HEAD)?;
        let config = config.ok_or_else(|| error::no_head(folder, ClassifyConfig::HEAD, "classifier", "classify"))?;
        let map = Linear::load(&backbone.tensors().at(ClassifyConfig::MAP), backbone.info().hidden, config.outputs())?;
        Ok(Self { backbone, map, config })
    }

    /// Configuration of the model.
    pub fn config(&self) -> &ClassifyConfig {
        &self.config
    }

    /// The network that reads texts.
    pub fn backbone(&self) -> &Backbone {
        &self.backbone
    }

    /// Labels in the order of the scores; none for a regression.
    pub fn labels(&self) -> &[String] {
        &self.config.labels
    }

    /// Returns a probability for each label of each text, or the value of a regression.
    ///
    /// # Errors
    /// As [`Classifier::classify`].
    pub fn scores(&self, texts: &[ClassifyText<'_>]) -> Result<Vec<Vec<f32>>, Error> {
        self.classify(texts).map(|classified| classified.scores)
    }

    /// Returns the scores of texts, and which texts were cut to the window.
    ///
    /// # Errors
    /// Where the tokenizer fails, or makes a token that the model has no vector for.
    #[tracing::instrument(name = "classify", level = "debug", skip_all, fields(texts = texts.len()))]
    pub fn classify(&self, texts: &[ClassifyText<'_>]) -> Result<Classification, Error> {
        /// Texts whose states are held together.
        const TOGETHER: usize = 64;
        let pieces = texts.par_chunks(TOGETHER).map(|texts| self.classify_piece(texts));
        let mut all = Classification { scores: Vec::with_capacity(texts.len()), truncated: Vec::new() };
        for piece in pieces.collect::<Result<Vec<_>, _>>()? {
            let first = all.scores.len();
            all.truncated.extend(piece.truncated.into_iter().map(|text| first + text));
            all.scores.extend(piece.scores);
        }
        Ok(all)
    }

    fn classify_piece(&self, texts: &[ClassifyText<'_>]) -> Result<Classification, Error> {
        let tokens = |text: &ClassifyText<'_>| self.config.tokens(*text, self.backbone.tokenizer());
        let sequences: Vec<Sequence> = texts.iter().map(tokens).collect::<Result<_, _>>()?;
        let inputs: Vec<Input> = sequences.iter().map(|sequence| sequence.input.clone()).collect();
        let states = self.backbone.states(&inputs, &[self.backbone.info().layers])?;
        let is_cut = |text: &usize| !sequences[*text].truncated.is_empty();
        let truncated = (0..texts.len()).filter(is_cut).collect();
        Ok(Classification { scores: states.iter().map(|states| self.scores_of(states)).collect(), truncated })
    }

    fn scores_of(&self, states: &States) -> Vec<f32> {
        let mut outputs = vec![0.0; self.config.outputs()];
        self.map.apply(&states.pooled(0, self.config.pooling), &mut outputs);
        match self.config.is_regression() {
            true => vec![self.config.scale.value(outputs[0])],
            false => softmax(&outputs),
        }
    }
}

/// Returns the probabilities of logits.
fn softmax(logits: &[f32]) -> Vec<f32> {
    let highest = f64::from(logits.iter().copied().fold(f32::MIN, f32::max));
    let shares: Vec<f64> = logits.iter().map(|logit| (f64::from(*logit) - highest).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|share| (share / sum) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_of_large_logits_are_finite() {
        // scipy.special.softmax([100, 98, -100]).
        let expected = [0.880_797_1, 0.119_202_92, 0.0];
        for (found, expected) in softmax(&[100.0, 98.0, -100.0]).into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        assert_eq!(softmax(&[-100.0, -100.0]), [0.5, 0.5]);
    }

    #[test]
    fn the_first_of_equal_labels_is_the_best() {
        let config = ClassifyConfig::new(["a", "b", "c"].map(str::to_owned).to_vec(), 8, Pooling::Cls);
        assert_eq!(config.best(&[0.2, 0.4, 0.4]), ("b", 0.4));
        assert_eq!((config.outputs(), config.is_regression()), (3, false));
        assert!(ClassifyConfig::new(Vec::new(), 8, Pooling::Cls).is_regression());
    }

    #[test]
    fn a_scale_maps_outputs_to_values_and_back() {
        let scale = ValueScale { mean: 2.5, deviation: 1.5 };
        assert_eq!((scale.value(-1.0), scale.output(1.0), scale.output(scale.value(0.5))), (1.0, -1.0, 0.5));
    }
}
