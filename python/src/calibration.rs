//! Calibration of a knowledge base.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::FromPyObject;
use serde::Serialize;
use truename::{CalibrateOptions, ContextGain, Gain, GoldName, KnowledgeBase, LearntNames, Progress};
use truename_corpus::{ReadOptions, read_all};
use truename_error::{Error, ErrorKind};
use truename_eval::read_gold;

/// Right answers of names.
#[derive(FromPyObject)]
pub enum Gold {
    /// A table.
    File(PathBuf),
    /// Names with their ids.
    Pairs(Vec<(String, Option<String>)>),
}

impl Gold {
    /// Returns the names.
    pub fn read(self) -> Result<Vec<GoldName>, Error> {
        let of = |(name, id): (String, Option<String>)| GoldName {
            name,
            ids: id.into_iter().collect(),
            ..GoldName::default()
        };
        match self {
            Self::File(path) => read_gold(&path),
            Self::Pairs(pairs) => Ok(pairs.into_iter().map(of).collect()),
        }
    }
}

/// Gains of a calibration; pairs are the value before and after.
#[derive(Serialize)]
pub struct Gains {
    #[serde(flatten)]
    names: Gain,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<ContextGain>,
}

/// Fits the ranker of a knowledge base, and the mapping of its re-ranker where there are documents.
pub fn calibrate(
    kb: &KnowledgeBase,
    gold: Option<Gold>,
    documents: Option<PathBuf>,
    names: Option<usize>,
    progress: Arc<Progress>,
) -> Result<Gains, Error> {
    let mut gold = gold.map_or_else(|| Ok(Vec::new()), Gold::read)?;
    let mut in_context = Vec::new();
    if let Some(path) = documents {
        let [of_names, of_context] = kb.divide_documents(annotated(&path)?)?;
        gold.extend(kb.gold_names(&of_names)?);
        in_context = of_context;
    }
    let standard = CalibrateOptions::default();
    let options = CalibrateOptions { names: names.unwrap_or(standard.names), progress, ..standard };
    let folds = kb.encoder()?.map_or_else(|| Ok(Vec::new()), LearntNames::fold_encoders)?;
    let names = match folds.is_empty() {
        true => kb.calibrate(&gold, &options),
        false => kb.calibrate_out_of_fold(&folds, &gold, &options),
    }?;
    let context = if in_context.is_empty() { None } else { Some(kb.calibrate_context(in_context)?) };
    Ok(Gains { names, context })
}

fn annotated(path: &Path) -> Result<Vec<truename::Document>, Error> {
    let documents = read_all(path, &ReadOptions::default())?;
    let mut mentions = documents.iter().flat_map(|document| &document.mentions);
    match mentions.any(|mention| mention.id.is_some()) {
        true => Ok(documents),
        false => Err(Error::new(ErrorKind::TooFew, format!("{} has no mention with an id", path.display()))),
    }
}
