//! Models of pairs: a trained classifier, a Fellegi–Sunter model, or the weights of the lexical scorer.

use std::str::FromStr;

use truename_error::{ErrorKind, HintPart, hint};
use truename_read::quoted;

use super::{
    ColumnType, ColumnTypes, ComparedTables, FellegiSunterModel, FellegiSunterScorer, LabelGain, LexicalScorer,
    LexicalWeights, PairClassifier, PairLabels, PairScorer, RecordPair, Tables,
};
use crate::Error;

/// Least share, among the matches of either of two scorers, of those of both by which they decide alike, and fewest matches that tell. By
/// measurement (`docs/dedupe.md`): .93 on DBLP-ACM, where the Fellegi–Sunter model is better; .72 on DBLP-Scholar and at most .13 on products.
const ALIKE: f64 = 0.85;
const FEWEST_MATCHES: usize = 100;

/// A model that makes scorers of pairs.
pub enum PairModel {
    /// A trained classifier.
    Classifier(Box<PairClassifier>),
    /// Weights of levels of agreement, by types of columns.
    FellegiSunter(Box<FellegiSunterModel>),
    /// A logistic regression over letters and words.
    Lexical(Box<LexicalWeights>),
}

/// A scorer that needs no labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupervisedScorer {
    /// The Fellegi–Sunter model.
    FellegiSunter,
    /// The lexical scorer with its standard weights.
    Lexical,
}

/// Choice of a scorer that needs no labels.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScorerChoice<'a> {
    /// The scorer; where it is none, the Fellegi–Sunter model if it suits the tables ([`FellegiSunterModel::suits`]), types are given, or both
    /// scorers decide alike.
    pub scorer: Option<UnsupervisedScorer>,
    /// Types of columns, by folded name, where those found are wrong.
    pub types: &'a [(String, ColumnType)],
}

/// Returns true if a Fellegi–Sunter model and the lexical scorer decide alike: the columns then say enough to fit the one by, and it is
/// the more precise of both.
fn agree(scorer: &FellegiSunterScorer<'_>, tables: Tables<'_>, candidates: &[RecordPair]) -> Result<bool, Error> {
    let is_match = |probability: &f64| *probability >= 0.5;
    let (one, other) = (scorer.score(candidates)?, LexicalScorer::new(tables).score(candidates)?);
    let of_either = one.iter().zip(&other).filter(|(one, other)| is_match(one) || is_match(other));
    let of_both = of_either.clone().filter(|(one, other)| is_match(one) && is_match(other)).count();
    let of_either = of_either.count();
    Ok(of_either >= FEWEST_MATCHES && of_both as f64 >= ALIKE * of_either as f64)
}

impl FromStr for UnsupervisedScorer {
    type Err = Error;

    /// Reads `fellegi-sunter` or `lexical`.
    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "fellegi-sunter" => Ok(Self::FellegiSunter),
            "lexical" => Ok(Self::Lexical),
            other => {
                let message = format!("no scorer {} among fellegi-sunter, lexical", quoted(other));
                Err(Error::new(ErrorKind::Choice, message))
            }
        }
    }
}

impl PairModel {
    /// Returns a model that is fitted without labels.
    ///
    /// # Errors
    /// If types of columns are given for the lexical scorer.
    pub fn unsupervised(
        tables: Tables<'_>,
        candidates: &[RecordPair],
        choice: &ScorerChoice<'_>,
    ) -> Result<Self, Error> {
        let types = ColumnTypes::of(tables).with(choice.types);
        let fit = || FellegiSunterModel::fit(tables, candidates, &types);
        if choice.scorer.is_none() && choice.types.is_empty() && !FellegiSunterModel::suits(&types) {
            if types.iter().len() > 1 {
                let model = fit();
                if agree(&model.scorer(tables)?, tables, candidates)? {
                    return Ok(Self::FellegiSunter(Box::new(model)));
                }
            }
            return Ok(Self::Lexical(Box::default()));
        }
        let is_lexical = choice.scorer == Some(UnsupervisedScorer::Lexical);
        if is_lexical && !choice.types.is_empty() {
            let message = "the lexical scorer compares columns without types";
            return Err(Error::new(ErrorKind::Choice, message)
                .with_hint(hint![HintPart::setting("scorer").value("fellegi-sunter")]));
        }
        Ok(match is_lexical {
            true => Self::Lexical(Box::default()),
            false => Self::FellegiSunter(Box::new(fit())),
        })
    }

    /// Returns the model with weights that labelled pairs changed, if these are better on labels that they were not fitted to.
    ///
    /// # Errors
    /// If all labels are alike, labelled records lack a column of a Fellegi–Sunter model, or the model is a classifier.
    pub fn fit_labels(
        &self,
        labels: PairLabels<'_>,
        compared: Option<ComparedTables<'_>>,
    ) -> Result<(Self, LabelGain), Error> {
        match self {
            Self::Classifier(_) => {
                Err(Error::new(ErrorKind::Choice, "a classifier learns from labelled pairs by training alone"))
            }
            Self::FellegiSunter(model) => {
                let (model, gain) = model.fit_labels(labels, compared)?;
                Ok((Self::FellegiSunter(Box::new(model)), gain))
            }
            Self::Lexical(weights) => {
                let (weights, gain) = weights.fit_labels(labels, compared)?;
                Ok((Self::Lexical(Box::new(weights)), gain))
            }
        }
    }

    /// Returns the Fellegi–Sunter model, whose weights can be explained and saved.
    ///
    /// # Errors
    /// If the model is another one.
    pub fn fellegi_sunter(&self) -> Result<&FellegiSunterModel, Error> {
        match self {
            Self::FellegiSunter(model) => Ok(model),
            _ => {
                let message = "only the weights of a Fellegi–Sunter model are explained and saved";
                Err(Error::new(ErrorKind::Choice, message)
                    .with_hint(hint![HintPart::setting("scorer").value("fellegi-sunter")]))
            }
        }
    }

    /// Returns a scorer of pairs of the tables.
    ///
    /// # Errors
    /// If the tables lack a column of a Fellegi–Sunter model.
    pub fn scorer<'a>(&'a self, tables: Tables<'a>) -> Result<Box<dyn PairScorer + 'a>, Error> {
        Ok(match self {
            Self::Classifier(classifier) => Box::new(classifier.scorer(tables)),
            Self::FellegiSunter(model) => Box::new(model.scorer(tables)?),
            Self::Lexical(weights) => Box::new(LexicalScorer::new(tables).with_weights((**weights).clone())),
        })
    }
}
