//! The evaluation of a scorer by labelled pairs of records.

use std::path::{Path, PathBuf};

use serde::Serialize;
use truename_records::{ComparedTables, LabelGain, PairClassifier, PairLabel, PairModel, PairTables, Progress};

use crate::Error;
use crate::pairs::{LabelledPair, PairScores, read_pairs};

/// Number of pairs scored between two looks at the progress.
const PIECE: usize = 4096;

/// Scores and errors of decisions about pairs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PairReport {
    /// The scores.
    #[serde(flatten)]
    pub scores: PairScores,
    /// Pairs that were decided wrongly, the most certain first.
    pub errors: Vec<PairError>,
    /// Number of pairs that are longer than the window of the model.
    #[serde(skip)]
    pub truncated: u64,
}

/// A pair that was decided wrongly.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairError {
    /// The first text.
    pub left: String,
    /// The second text.
    pub right: String,
    /// True if both stand for the same thing.
    pub is_same: bool,
    /// Probability of the model that they do.
    pub probability: f64,
}

/// A model of pairs: whole, or the labelled pairs to fit the lexical scorer to.
pub enum PairModelSource {
    /// A model.
    Model(PairModel),
    /// Labelled pairs, with their file.
    Labels(PathBuf, Vec<LabelledPair>),
}

/// A model of pairs, with its gain if it was fitted to labels.
pub struct FittedPairModel {
    /// The model.
    pub model: PairModel,
    /// Gain of the fit.
    pub gain: Option<LabelGain>,
}

impl PairModelSource {
    /// Opens a classifier of pairs, or reads labelled pairs; without both the lexical scorer has its standard weights.
    ///
    /// # Errors
    /// If the folder holds no classifier of pairs, or the labelled pairs cannot be read.
    pub fn open(model: Option<&Path>, labels: Option<&Path>) -> Result<Self, Error> {
        Ok(match (model, labels) {
            (Some(folder), _) => Self::Model(PairModel::Classifier(Box::new(PairClassifier::open(folder)?))),
            (None, Some(labels)) => Self::Labels(labels.to_owned(), read_pairs(labels)?),
            (None, None) => Self::Model(PairModel::default()),
        })
    }

    /// Returns the model, fitted to the labelled pairs if there are any ([`LabelGain::of`]).
    ///
    /// # Errors
    /// If all labels are alike.
    pub fn fit(self, compared: Option<ComparedTables<'_>>, threshold: f64) -> Result<FittedPairModel, Error> {
        let (path, labelled) = match self {
            Self::Model(model) => return Ok(FittedPairModel { model, gain: None }),
            Self::Labels(path, labelled) => (path, labelled),
        };
        let labels: Vec<PairLabel<'_>> = labelled.iter().map(label).collect();
        let gain = LabelGain::of(&path.display().to_string(), &labels, compared, threshold)?;
        Ok(FittedPairModel { model: PairModel::Lexical(Box::new(gain.weights.clone())), gain: Some(gain) })
    }
}

fn label(pair: &LabelledPair) -> PairLabel<'_> {
    PairLabel { left: &pair.left, right: &pair.right, is_same: pair.is_same, chance: pair.chance }
}

impl PairReport {
    /// Scores pairs by a model, and its decisions at a threshold; `errors` is the largest number of errors.
    ///
    /// # Errors
    /// If the model fails, or the work is stopped.
    pub fn of(
        model: &PairModel,
        gold: &[LabelledPair],
        threshold: f64,
        errors: usize,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let tables = PairTables::of_texts(gold.iter().map(|pair| (pair.left.as_str(), pair.right.as_str())));
        let scorer = model.scorer(tables.tables());
        let mut judged = Vec::with_capacity(gold.len());
        progress.begin("comparing", gold.len() as u64);
        for (pairs, gold) in tables.pairs().chunks(PIECE).zip(gold.chunks(PIECE)) {
            progress.check()?;
            judged.extend(scorer.score(pairs)?.into_iter().zip(gold.iter().map(|pair| pair.is_same)));
            progress.advance(pairs.len() as u64);
        }
        let wrong =
            gold.iter().zip(&judged).filter(|(_, (probability, is_same))| *is_same != (*probability >= threshold));
        let mut wrong: Vec<PairError> = wrong
            .map(|(pair, (probability, is_same))| PairError {
                left: pair.left.clone(),
                right: pair.right.clone(),
                is_same: *is_same,
                probability: *probability,
            })
            .collect();
        let distance = |error: &PairError| (error.probability - threshold).abs();
        wrong.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
        wrong.truncate(errors);
        Ok(Self { scores: PairScores::of(&judged, threshold), errors: wrong, truncated: scorer.truncated() })
    }
}
