//! The evaluation of a scorer by labelled pairs of records.

use std::path::{Path, PathBuf};

use serde::Serialize;
use truename_error::ErrorKind;
use truename_records::{
    ColumnType, ComparedTables, FellegiSunterModel, LabelGain, PairClassifier, PairLabel, PairLabels, PairModel,
    PairTables, Progress, ScorerChoice, UnsupervisedScorer,
};

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

/// The source of a model of pairs.
pub enum PairModelSource {
    /// A model.
    Model(PairModel),
    /// The compared pairs themselves, without labels, then the labelled pairs; the scorer is chosen by the tables where it is not given.
    Unsupervised(Option<UnsupervisedScorer>, Option<LabelFile>),
}

/// Labelled pairs with their file.
pub struct LabelFile {
    path: PathBuf,
    pub(crate) pairs: Vec<LabelledPair>,
}

/// The pairs that a model is fitted to or applied to.
#[derive(Clone, Copy)]
pub enum ComparedPairs<'a> {
    /// Pairs of the records of tables.
    Tables(ComparedTables<'a>),
    /// Pairs of texts.
    Texts(&'a PairTables),
}

/// A model of pairs, with its gain if it was fitted to labels.
pub struct FittedPairModel {
    /// The model.
    pub model: PairModel,
    /// Gain of the fit.
    pub gain: Option<LabelGain>,
}

impl PairModelSource {
    /// Opens a model, a folder with a classifier of pairs or a file with a Fellegi–Sunter model, or reads labelled pairs; without both
    /// the scorer is fitted without labels.
    ///
    /// # Errors
    /// If the folder or the file holds no model, or the labelled pairs cannot be read.
    pub fn open(
        model: Option<&Path>,
        labels: Option<&Path>,
        scorer: Option<UnsupervisedScorer>,
    ) -> Result<Self, Error> {
        Ok(match (model, labels) {
            (Some(file), _) if file.is_file() => {
                Self::Model(PairModel::FellegiSunter(Box::new(FellegiSunterModel::open(file)?)))
            }
            (Some(folder), _) => Self::Model(PairModel::Classifier(Box::new(PairClassifier::open(folder)?))),
            (None, labels) => {
                let read = |path: &Path| Ok::<_, Error>(LabelFile { path: path.to_owned(), pairs: read_pairs(path)? });
                Self::Unsupervised(scorer, labels.map(read).transpose()?)
            }
        })
    }

    /// Returns the model, fitted to the compared pairs without labels ([`PairModel::unsupervised`]), then to the labelled pairs if there
    /// are any ([`PairModel::fit_labels`]).
    ///
    /// # Errors
    /// If all labels are alike, or types of columns are given for a model that has its own or none.
    pub fn fit(self, compared: ComparedPairs<'_>, threshold: f64) -> Result<FittedPairModel, Error> {
        let (scorer, labels) = match self {
            Self::Model(_) if !compared.types().is_empty() => {
                let message = "a model knows the types of its columns or has none; types are given without a model";
                return Err(Error::new(ErrorKind::Choice, message));
            }
            Self::Model(model) => return Ok(FittedPairModel { model, gain: None }),
            Self::Unsupervised(scorer, labels) => (scorer, labels),
        };
        let model = compared.unsupervised(scorer)?;
        let Some(LabelFile { path, pairs }) = labels else { return Ok(FittedPairModel { model, gain: None }) };
        let tables = match compared {
            ComparedPairs::Tables(tables) => Some(tables),
            ComparedPairs::Texts(_) => None,
        };
        let pairs: Vec<PairLabel<'_>> = pairs.iter().map(label).collect();
        let labels = PairLabels { name: &path.display().to_string(), pairs: &pairs, threshold };
        let (model, gain) = model.fit_labels(labels, tables)?;
        Ok(FittedPairModel { model, gain: Some(gain) })
    }
}

impl ComparedPairs<'_> {
    fn unsupervised(self, scorer: Option<UnsupervisedScorer>) -> Result<PairModel, Error> {
        let choice = ScorerChoice { scorer, types: self.types() };
        match self {
            Self::Tables(ComparedTables { tables, pairs }) => PairModel::unsupervised(tables.tables(), pairs, &choice),
            Self::Texts(pairs) => PairModel::unsupervised(pairs.tables(), pairs.pairs(), &choice),
        }
    }

    /// Returns the types that are given to columns.
    fn types(&self) -> &[(String, ColumnType)] {
        match self {
            Self::Tables(ComparedTables { tables, .. }) => &tables.types,
            Self::Texts(_) => &[],
        }
    }
}

/// Returns labelled pairs as pairs of records, without their labels.
pub fn pair_tables(labelled: &[LabelledPair]) -> PairTables {
    PairTables::of_texts(labelled.iter().map(|pair| (pair.left.as_str(), pair.right.as_str())))
}

fn label(pair: &LabelledPair) -> PairLabel<'_> {
    PairLabel { left: &pair.left, right: &pair.right, is_same: pair.is_same, chance: pair.chance }
}

impl PairReport {
    /// Scores labelled pairs by a model, and its decisions at a threshold; `errors` is the largest number of errors.
    ///
    /// # Errors
    /// If the model fails or needs a column that the records lack, or the work is stopped.
    pub fn of(
        model: &PairModel,
        gold: &[LabelledPair],
        threshold: f64,
        errors: usize,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let tables = pair_tables(gold);
        let scorer = model.scorer(tables.tables())?;
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
