//! Record of the labelled names that an encoder learnt, so that calibration refuses them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use truename_error::{ErrorKind, Hint, HintPart};
use truename_infer::Encoder;
use truename_text::{GoldName, NormalizedName, stable_hash};

use crate::{Error, error};

/// Record of an encoder that was trained on names, in its folder: the labelled names that it learnt, and the encoders trained
/// beside it without a part of the names each (`ranker.folds`). It tells whether all of these are finished and unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearntNames {
    /// Number of encoders to train beside it.
    folds: usize,
    /// Hash of the encoder when all were trained.
    encoder: Option<String>,
    /// Hash of each encoder beside it; empty before all are trained.
    encoders: Vec<String>,
    /// Hashes of the labelled names with their ids.
    labelled: BTreeSet<u64>,
}

impl LearntNames {
    /// File of the record in the encoder's folder.
    pub(super) const FILE: &'static str = "learnt-names.json";

    /// Creates the record of a training that is not finished.
    pub fn new<'a>(folds: usize, labelled: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let labelled = labelled.into_iter().map(|(name, id)| labelled_hash(name, id)).collect();
        Self { folds, labelled, ..Self::default() }
    }

    /// Reads the record of an encoder; `None` if it was not trained on names by this version.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn read(encoder: &Path) -> Result<Option<Self>, Error> {
        let path = encoder.join(Self::FILE);
        match std::fs::read(&path) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map(Some).map_err(|source| error::io("read", &path, source.into()))
            }
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(error::io("read", &path, source)),
        }
    }

    /// Writes the record of an encoder whose training begins or goes on.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, encoder: &Path) -> Result<(), Error> {
        let path = encoder.join(Self::FILE);
        let json = serde_json::to_vec(self).map_err(Error::other)?;
        truename_files::write(&path, json).map_err(|source| error::io("write", &path, source))
    }

    /// Writes the record of an encoder that is trained, as are those beside it.
    ///
    /// # Errors
    /// If an encoder cannot be read or the file cannot be written.
    pub fn finish(mut self, encoder: &Path) -> Result<(), Error> {
        let hash = |folder: &Path| -> Result<String, Error> { Ok(Encoder::open(folder)?.hash().to_owned()) };
        self.encoders =
            (0..self.folds).map(|fold| hash(&Self::fold_folder(encoder, fold))).collect::<Result<_, Error>>()?;
        self.encoder = Some(hash(encoder)?);
        self.write(encoder)
    }

    /// Returns the folder of the encoder that was trained without part `fold` of the names, in the folder of the encoder that was
    /// trained with all names.
    pub fn fold_folder(encoder: &Path, fold: usize) -> PathBuf {
        encoder.join(FOLDS).join(fold.to_string())
    }

    /// Opens the encoders that were trained beside one, in the order of the parts of the names that they did not see; none if there
    /// are none. [`KnowledgeBase::calibrate_out_of_fold`](super::KnowledgeBase::calibrate_out_of_fold) takes them.
    ///
    /// # Errors
    /// If one is missing, not finished or changed, or cannot be read.
    pub fn fold_encoders(encoder: &Encoder) -> Result<Vec<Arc<Encoder>>, Error> {
        let folder = encoder.folder();
        let broken = |reason: String| {
            let message = format!("the encoders of ranker.folds in {} are not whole: {reason}", folder.display());
            Error::new(ErrorKind::Other, message)
        };
        let resume = || [HintPart::action("train"), " with the same recipe and ".into(), HintPart::setting("resume")];
        let unfinished = |reason: String| {
            Err(broken(reason).with_hint(Hint::from_iter(std::iter::once("finish them: ".into()).chain(resume()))))
        };
        let damaged = |place: &Path, state: &str| {
            let place = place.display();
            let again = format!("train it again: delete {place}, then ").into();
            broken(format!("{place} {state}")).with_hint(Hint::from_iter(std::iter::once(again).chain(resume())))
        };
        let Some(Self { folds, encoder: hash, encoders, .. }) = Self::read(folder)? else {
            let has_folds = folder.join(FOLDS).exists();
            return if has_folds { unfinished("their number is not recorded".into()) } else { Ok(Vec::new()) };
        };
        if folds == 0 {
            return Ok(Vec::new());
        }
        if encoders.len() != folds {
            return unfinished(format!("not all {folds} are trained"));
        }
        if hash.as_deref() != Some(encoder.hash()) {
            return unfinished("they were trained beside another encoder than the one there".into());
        }
        let open = |(fold, hash): (usize, &String)| {
            let place = Self::fold_folder(folder, fold);
            let opened = Encoder::open(&place).map_err(|source| match source.is_not_found() {
                true => damaged(&place, "is missing"),
                false => source,
            })?;
            if opened.hash() == hash { Ok(Arc::new(opened)) } else { Err(damaged(&place, "was changed")) }
        };
        encoders.iter().enumerate().map(open).collect()
    }

    /// Returns the number of gold names that the encoder learnt.
    pub(crate) fn count(&self, gold: &[GoldName]) -> usize {
        let is_learnt =
            |gold: &&GoldName| gold.ids.iter().any(|id| self.labelled.contains(&labelled_hash(&gold.name, id)));
        gold.iter().filter(is_learnt).count()
    }
}

/// Returns the same hash for all spellings of a name.
fn labelled_hash(name: &str, id: &str) -> u64 {
    stable_hash(&format!("{}\0{id}", NormalizedName::new(name).squeezed()))
}

/// Folder of the encoders trained beside one.
const FOLDS: &str = "folds";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_labelled_name_is_known_in_any_spelling_with_its_id() {
        let record = LearntNames::new(0, [("heart attack", "D1")]);
        let gold = |name: &str, id: &str| GoldName { name: name.into(), ids: vec![id.into()], ..GoldName::default() };
        assert_eq!(record.count(&[gold("Heart-Attack", "D1"), gold("heart attack", "D2"), gold("attack", "D1")]), 1);
    }
}
