//! The evaluation of a classifier, or of a regression, by texts with labels.

use serde::Serialize;
use truename::Progress;
use truename_error::{ErrorKind, HintPart, hint};
use truename_infer::{Classifier, ClassifyConfig, ClassifyText};

use crate::{ClassScores, Error, LabelledText, TextLayout, ValueScores, malformed_text};

/// Number of texts classified between two looks at the progress.
const PIECE: usize = 256;

/// Scores of a classifier or a regression.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ClassReport {
    /// The scores.
    #[serde(flatten)]
    pub scores: TextScores,
    /// Number of texts that were cut to the window.
    pub truncated: usize,
}

/// Scores of labels or of values.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum TextScores {
    /// Scores of labels.
    Classes(ClassScores),
    /// Scores of values.
    Values(ValueScores),
}

/// Refuses single texts for a classifier of pairs, and pairs for one of single texts.
///
/// # Errors
/// If the texts do not fit.
pub fn check_pair(is_pair: bool, config: &ClassifyConfig) -> Result<(), Error> {
    let message = match (is_pair, config.is_pair) {
        (false, true) => "the model classifies pairs of texts",
        (true, false) => "the model classifies single texts, and these are pairs",
        _ => return Ok(()),
    };
    let advice = hint!["name the column of the second text, where there is one, by ", HintPart::setting("second")];
    Err(Error::new(ErrorKind::NoColumn, message).with_hint(advice))
}

impl TextLayout {
    /// Returns the layout of the data that a classifier learnt from; other columns where they are named.
    pub fn of_model(
        config: &ClassifyConfig,
        first: Option<String>,
        second: Option<String>,
        label: Option<String>,
    ) -> Self {
        let standard = Self::default();
        let known = |at: usize| config.columns.get(at).cloned();
        Self {
            first: first.or_else(|| known(0)).unwrap_or(standard.first),
            second: second.or_else(|| known(1)),
            label: label.or_else(|| config.label_column.clone()).unwrap_or(standard.label),
            ..standard
        }
    }
}

impl ClassReport {
    /// Classifies texts and scores the answers. Precision, recall and F1 are of the label `positive`; without one, of that of the model.
    ///
    /// # Errors
    /// If a label is none of the model, or no number where it predicts values; if the model fails, or the work is stopped.
    pub fn of(
        classifier: &Classifier,
        gold: &[LabelledText],
        positive: Option<&str>,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let (config, labels) = (classifier.config(), classifier.labels());
        check_pair(gold.first().is_some_and(|text| text.second.is_some()), config)?;
        let malformed = |text: &LabelledText, message| malformed_text(&text.file, text.line, message);
        let mut values = Vec::new();
        if config.is_regression() {
            for text in gold {
                let value = text.label.parse().ok().filter(|value: &f64| value.is_finite());
                let refused = || malformed(text, format!("the value \"{}\" is not a number", text.label));
                values.push(value.ok_or_else(refused)?);
            }
        } else if let Some(unknown) = gold.iter().find(|text| !labels.contains(&text.label)) {
            let message = format!("the model has no label \"{}\", only {}", unknown.label, labels.join(", "));
            return Err(malformed(unknown, message));
        } else if let Some(positive) = positive.filter(|positive| !labels.iter().any(|label| label == positive)) {
            let message = format!("the model has no label \"{positive}\", only {}", labels.join(", "));
            let advice = hint!["give one of them as ", HintPart::setting("positive")];
            return Err(Error::new(ErrorKind::Choice, message).with_hint(advice));
        }
        let (mut found, mut truncated) = (Vec::with_capacity(gold.len()), 0);
        progress.begin("classifying", gold.len() as u64);
        for piece in gold.chunks(PIECE) {
            progress.check()?;
            let texts = piece.iter().map(|text| ClassifyText { first: &text.first, second: text.second.as_deref() });
            let classified = classifier.classify(&texts.collect::<Vec<_>>())?;
            found.extend(classified.scores);
            truncated += classified.truncated.len();
            progress.advance(piece.len() as u64);
        }
        let scores = if config.is_regression() {
            let found: Vec<f64> = found.iter().map(|value| f64::from(value[0])).collect();
            TextScores::Values(ValueScores::of(&values, &found))
        } else {
            let gold: Vec<&str> = gold.iter().map(|text| text.label.as_str()).collect();
            let found: Vec<&str> = found.iter().map(|scores| config.best(scores).0).collect();
            TextScores::Classes(ClassScores::of(&gold, &found, positive.or(config.positive.as_deref())))
        };
        Ok(Self { scores, truncated })
    }
}
