//! Models in the folder of a knowledge base.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use truename_files::Partial;
use truename_infer::{ClozeMapping, Encoder, SETTINGS_FILES, network_folders};

use super::KnowledgeBase;
use super::learnt_names::{LearntNames, fold_encoders, fold_folder};
use super::vector_sets::{ENCODER, EncoderRecord, RETRIEVER, VectorSet, VectorSets, Versions};
use crate::{AttachedRetriever, Error, TrainedRecognizer, TrainedReranker, TrainedRetriever};

/// Folder of the models in the knowledge base's folder.
const MODELS: &str = "models";
/// Number of hash digits in the name of a model's folder.
const HASH_DIGITS: usize = 12;
/// Files of a model beside those of its settings. Checkpoints, plots and other files in its folder affect no answer.
const FILES: [&str; 3] = ["model.safetensors", "truename.json", LearntNames::FILE];

/// Role of recognizers, and meta key of the one in the folder.
const RECOGNIZER: &str = "recognizer";
/// Role of re-rankers, and meta key of the one in the folder.
const RERANKER: &str = "reranker";

/// A model without vectors in the folder of a knowledge base.
#[derive(Serialize, Deserialize)]
struct ModelRecord {
    hash: String,
    /// Folder from which it was copied.
    folder: String,
    /// Of a re-ranker that was calibrated to documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibrated: Option<Calibrated>,
}

/// Calibration of a re-ranker, in place of that of its training.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Calibrated {
    mapping: ClozeMapping,
    certain: Option<f64>,
}

/// Role of an attached model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ModelRole {
    /// Encodes names as vectors.
    Encoder,
    /// Finds mentions in documents.
    Recognizer,
    /// Finds concepts for mentions by their context.
    Retriever,
    /// Chooses among the candidates of a mention by its context.
    Reranker,
}

impl ModelRole {
    /// Returns the name of the role, the argument of `kb models remove`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Encoder => ENCODER,
            Self::Recognizer => RECOGNIZER,
            Self::Retriever => RETRIEVER,
            Self::Reranker => RERANKER,
        }
    }
}

impl std::str::FromStr for ModelRole {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            ENCODER => Ok(Self::Encoder),
            RECOGNIZER => Ok(Self::Recognizer),
            RETRIEVER => Ok(Self::Retriever),
            RERANKER => Ok(Self::Reranker),
            _ => Err(Error::unknown_role(name)),
        }
    }
}

/// A model in a knowledge base's folder.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttachedModel {
    /// Role of the model.
    pub role: ModelRole,
    /// Hash of its weights, tokenizer and configuration.
    pub hash: String,
    /// Folder of the model in the knowledge base.
    pub folder: PathBuf,
    /// Folder from which it was copied.
    pub source: String,
    /// Size in bytes.
    pub bytes: u64,
    /// True if the model is in use; otherwise its vectors are unfinished.
    pub is_in_use: bool,
}

impl KnowledgeBase {
    /// Loads the models in the knowledge base's folder and links with them.
    ///
    /// # Errors
    /// If a model is missing or was changed ([`Error::is_model_changed`]), or cannot be read.
    pub fn with_models(self) -> Result<Self, Error> {
        match self.attached_encoder()? {
            Some(encoder) => self.with_encoder(encoder),
            None => Ok(self),
        }
    }

    /// Opens the encoder in the knowledge base's folder; `None` if it has none.
    ///
    /// # Errors
    /// As [`KnowledgeBase::with_models`].
    pub fn attached_encoder(&self) -> Result<Option<Arc<Encoder>>, Error> {
        let current = VectorSets::read(&self.store.snapshot()?)?.named(ENCODER).current;
        let Some(set) = current.filter(|set| set.is_attached) else { return Ok(None) };
        Ok(Some(Arc::new(self.open_attached(ENCODER, &set.encoder)?)))
    }

    /// Lists the models in the knowledge base's folder.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn models(&self) -> Result<Vec<AttachedModel>, Error> {
        let sets = VectorSets::read(&self.store.snapshot()?)?;
        let mut models = Vec::new();
        for role in [ModelRole::Encoder, ModelRole::Retriever] {
            let attached = |(set, is_in_use): (VectorSet, bool)| {
                let folder = self.model_folder(role.as_str(), &set.encoder.hash);
                let bytes = size(&folder);
                let EncoderRecord { hash, folder: source, .. } = set.encoder;
                AttachedModel { role, hash, folder, source, bytes, is_in_use }
            };
            let versions = sets.named(role.as_str());
            let sets = versions.current.map(|set| (set, true)).into_iter().chain(versions.next.map(|set| (set, false)));
            models.extend(sets.filter(|(set, _)| set.is_attached).map(attached));
        }
        for role in [ModelRole::Recognizer, ModelRole::Reranker] {
            if let Some(ModelRecord { hash, folder: source, .. }) = self.model_record(role)? {
                let folder = self.model_folder(role.as_str(), &hash);
                let (bytes, is_in_use) = (size(&folder), true);
                models.push(AttachedModel { role, hash, folder, source, bytes, is_in_use });
            }
        }
        Ok(models)
    }

    /// Copies a recognizer into the knowledge base's folder, in place of the one there.
    ///
    /// # Errors
    /// If a file cannot be copied, or the storage fails.
    pub fn attach_recognizer(&self, recognizer: &TrainedRecognizer) -> Result<(), Error> {
        self.attach(ModelRole::Recognizer, recognizer.folder(), recognizer.hash(), |folder| {
            Ok(TrainedRecognizer::open(folder)?.hash())
        })
    }

    /// Opens the recognizer in the knowledge base's folder; `None` if it has none.
    ///
    /// # Errors
    /// If it is missing or was changed ([`Error::is_model_changed`]), or cannot be read.
    pub fn attached_recognizer(&self) -> Result<Option<TrainedRecognizer>, Error> {
        self.attached(ModelRole::Recognizer, TrainedRecognizer::open, TrainedRecognizer::hash)
    }

    /// Copies a re-ranker into the knowledge base's folder, in place of the one there.
    ///
    /// # Errors
    /// As [`KnowledgeBase::attach_recognizer`].
    pub fn attach_reranker(&self, reranker: &TrainedReranker) -> Result<(), Error> {
        self.attach(ModelRole::Reranker, reranker.folder(), reranker.hash().to_owned(), |folder| {
            Ok(TrainedReranker::open(folder)?.hash().to_owned())
        })
    }

    /// Opens the re-ranker in the knowledge base's folder; `None` if it has none.
    ///
    /// # Errors
    /// As [`KnowledgeBase::attached_recognizer`].
    pub fn attached_reranker(&self) -> Result<Option<TrainedReranker>, Error> {
        let hash = |reranker: &TrainedReranker| reranker.hash().to_owned();
        let Some(reranker) = self.attached(ModelRole::Reranker, TrainedReranker::open, hash)? else { return Ok(None) };
        let calibrated = self.model_record(ModelRole::Reranker)?.and_then(|record| record.calibrated);
        Ok(Some(match calibrated {
            Some(Calibrated { mapping, certain }) => reranker.with_mapping(mapping, certain),
            None => reranker,
        }))
    }

    /// Keeps a mapping of the attached re-ranker in place of that of its training.
    pub(crate) fn put_mapping(&self, mapping: ClozeMapping, certain: Option<f64>) -> Result<(), Error> {
        let role = ModelRole::Reranker;
        let record = self.model_record(role)?.ok_or_else(|| Error::no_model(self.path(), role.as_str()))?;
        self.put_model_record(role, &ModelRecord { calibrated: Some(Calibrated { mapping, certain }), ..record })
    }

    fn attach(
        &self,
        role: ModelRole,
        from: &Path,
        hash: String,
        hash_of: impl Fn(&Path) -> Result<String, Error>,
    ) -> Result<(), Error> {
        let folder = std::path::absolute(from).unwrap_or_default().display().to_string();
        let target = self.model_folder(role.as_str(), &hash);
        if target != from && !hash_of(&target).is_ok_and(|known| known == hash) {
            copy(from, &target)?;
            if hash_of(&target)? != hash {
                return Err(Error::model_changed(self.path(), &target, &folder));
            }
        }
        self.put_model_record(role, &ModelRecord { hash, folder, calibrated: None })?;
        self.prune_models()
    }

    fn attached<M>(
        &self,
        role: ModelRole,
        open: impl FnOnce(&Path) -> Result<M, Error>,
        hash: impl FnOnce(&M) -> String,
    ) -> Result<Option<M>, Error> {
        let Some(record) = self.model_record(role)? else { return Ok(None) };
        let folder = self.model_folder(role.as_str(), &record.hash);
        if !folder.is_dir() {
            return Err(Error::model_missing(self.path(), &folder, &record.folder));
        }
        let model = open(&folder)?;
        match hash(&model) == record.hash {
            true => Ok(Some(model)),
            false => Err(Error::model_changed(self.path(), &folder, &record.folder)),
        }
    }

    fn put_model_record(&self, role: ModelRole, record: &ModelRecord) -> Result<(), Error> {
        let json = serde_json::to_vec(record).map_err(Error::other)?;
        let mut write = self.store.write()?;
        self.store.put_meta(&mut write, role.as_str(), &json)?;
        Ok(self.store.commit(write)?)
    }

    fn model_record(&self, role: ModelRole) -> Result<Option<ModelRecord>, Error> {
        let snapshot = self.store.snapshot()?;
        let Some(json) = snapshot.meta(role.as_str())? else { return Ok(None) };
        serde_json::from_slice(json).map(Some).map_err(Error::other)
    }

    /// Copies an encoder into the knowledge base's folder, for vectors that it has made or that
    /// [`KnowledgeBase::embed`] makes next.
    ///
    /// # Errors
    /// If the encoders of `ranker.folds` beside it are not finished, a file cannot be copied, or the storage fails.
    pub fn attach_encoder(&self, encoder: &Encoder) -> Result<(), Error> {
        let record = EncoderRecord::of(encoder);
        let target = self.model_folder(ENCODER, &record.hash);
        // The encoder that was opened there needs no second look.
        if target != encoder.folder() {
            fold_encoders(encoder)?;
            let learnt = LearntNames::read(encoder.folder())?;
            let is_same = |copy: &Encoder| {
                fold_encoders(copy).is_ok() && LearntNames::read(copy.folder()).is_ok_and(|known| known == learnt)
            };
            if !self.open_attached(ENCODER, &record).is_ok_and(|copy| is_same(&copy)) {
                copy(encoder.folder(), &target)?;
                self.open_attached(ENCODER, &record)?;
            }
        }
        self.mark_attached(ENCODER, &record)
    }

    /// Copies a retriever into the knowledge base's folder, for vectors of the concepts that it has made or that
    /// [`KnowledgeBase::embed_concepts`] makes next.
    ///
    /// # Errors
    /// If a file cannot be copied, or the storage fails.
    pub fn attach_retriever(&self, retriever: &TrainedRetriever) -> Result<(), Error> {
        let record = EncoderRecord::of_retriever(retriever);
        let target = self.model_folder(RETRIEVER, &record.hash);
        let is_same = || TrainedRetriever::open(&target).is_ok_and(|copy| copy.hash() == record.hash);
        if target != retriever.folder() && !is_same() {
            copy(retriever.folder(), &target)?;
            if !is_same() {
                return Err(Error::model_changed(self.path(), &target, &record.folder));
            }
        }
        self.mark_attached(RETRIEVER, &record)
    }

    /// Opens the retriever in the knowledge base's folder, with its vectors of the concepts; `None` if it has none.
    ///
    /// # Errors
    /// As [`KnowledgeBase::attached_recognizer`].
    pub fn attached_retriever(&self) -> Result<Option<AttachedRetriever>, Error> {
        let current = VectorSets::read(&self.store.snapshot()?)?.named(RETRIEVER).current;
        let Some(set) = current.filter(|set| set.is_attached) else { return Ok(None) };
        let EncoderRecord { hash, folder: source, .. } = set.encoder;
        let folder = self.model_folder(RETRIEVER, &hash);
        if !folder.is_dir() {
            return Err(Error::model_missing(self.path(), &folder, &source));
        }
        let retriever = TrainedRetriever::open(&folder)?;
        match retriever.hash() == hash {
            true => AttachedRetriever::new(retriever, self.clone()).map(Some),
            false => Err(Error::model_changed(self.path(), &folder, &source)),
        }
    }

    /// Removes a model, and its vectors if it made some.
    ///
    /// # Errors
    /// If there is none ([`Error::is_not_found`]) or the storage fails.
    pub fn detach(&self, role: ModelRole) -> Result<(), Error> {
        let is_there = match role {
            ModelRole::Encoder => self.encoder_record()?.is_some(),
            ModelRole::Retriever => VectorSets::read(&self.store.snapshot()?)?.named(RETRIEVER) != Versions::default(),
            ModelRole::Recognizer | ModelRole::Reranker => self.model_record(role)?.is_some(),
        };
        if !is_there {
            return Err(Error::no_model(self.path(), role.as_str()));
        }
        match role {
            ModelRole::Encoder | ModelRole::Retriever => self.drop_set(role.as_str())?,
            ModelRole::Recognizer | ModelRole::Reranker => {
                let mut write = self.store.write()?;
                self.store.delete_meta(&mut write, role.as_str())?;
                self.store.commit(write)?;
            }
        }
        self.prune_models()
    }

    /// Removes the folders of models without vectors.
    ///
    /// # Errors
    /// If a folder cannot be removed.
    pub fn prune_models(&self) -> Result<(), Error> {
        let known: Vec<PathBuf> = self.models()?.into_iter().map(|model| model.folder).collect();
        let models = self.path().join(MODELS);
        let Ok(entries) = std::fs::read_dir(&models) else { return Ok(()) };
        for path in entries.flatten().map(|entry| entry.path()).filter(|path| !known.contains(path)) {
            std::fs::remove_dir_all(&path).map_err(|source| Error::io("remove", &path, source))?;
        }
        // Succeeds only if no model is left.
        let _ = std::fs::remove_dir(&models);
        Ok(())
    }

    /// Returns the folder of a model in the knowledge base's folder.
    pub(super) fn model_folder(&self, role: &str, hash: &str) -> PathBuf {
        self.path().join(MODELS).join(format!("{role}-{}", &hash[..hash.len().min(HASH_DIGITS)]))
    }

    /// Opens the copy of a model and checks its hash.
    pub(super) fn open_attached(&self, role: &str, record: &EncoderRecord) -> Result<Encoder, Error> {
        let folder = self.model_folder(role, &record.hash);
        if !folder.is_dir() {
            return Err(Error::model_missing(self.path(), &folder, &record.folder));
        }
        let encoder = Encoder::open_with_adapters(&folder, &record.adapters)?;
        if encoder.hash() != record.hash {
            return Err(Error::model_changed(self.path(), &folder, &record.folder));
        }
        Ok(encoder)
    }
}

/// Copies the files of a model and its fold encoders in one step.
fn copy(model: &Path, target: &Path) -> Result<(), Error> {
    let failed = |source| Error::io("copy", model, source);
    std::fs::create_dir_all(target.parent().unwrap_or(target)).map_err(failed)?;
    let partial = Partial::beside(target).map_err(failed)?;
    let folds = LearntNames::read(model)?.map_or(0, |learnt| learnt.folds());
    for folder in network_folders(model).chain((0..folds).map(|fold| fold_folder(model, fold))) {
        let place = folder.strip_prefix(model).unwrap_or(Path::new(""));
        copy_files(&folder, &partial.path().join(place)).map_err(failed)?;
    }
    if target.exists() {
        // Replaces a changed copy.
        std::fs::remove_dir_all(target).map_err(failed)?;
    }
    partial.replace(target).map_err(failed)
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    for file in FILES.into_iter().chain(SETTINGS_FILES).filter(|file| from.join(file).is_file()) {
        let copy = to.join(file);
        std::fs::create_dir_all(copy.parent().unwrap_or(to))?;
        std::fs::copy(from.join(file), &copy)?;
        std::fs::File::open(&copy)?.sync_all()?;
    }
    Ok(())
}

/// Returns the size of all files in a folder, in bytes.
fn size(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let of_entry = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(of_entry).sum()
}
