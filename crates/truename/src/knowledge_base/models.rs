//! Models in the folder of a knowledge base.
//!
//! The copy of an encoder lies in `models/encoder-HASH`. It is made before the first vector of the encoder is
//! stored, and removed after the transaction that replaced its vectors.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;
use truename_files::{Folder, Partial, check_regular, is_irregular};
use truename_infer::{ContextMapping, Encoder, SETTINGS_FILES, network_folders};

use super::learnt_names::LearntNames;
use super::vector_sets::{ENCODER, EncoderRecord, RETRIEVER, VectorSet, VectorSets, Versions};
use super::{KnowledgeBase, ModelHash};
use crate::{AttachedRetriever, Error, TrainedRecognizer, TrainedReranker, TrainedRetriever, error};

/// Meta key of the mapping in context that was fitted for the encoder.
const META_MAPPING: &str = "encoder-mapping";
/// Folder of the models in the knowledge base's folder.
pub(super) const MODELS: &str = "models";
/// Meta key of the models that were copied into the folder: whatever else lies there is not touched.
pub(super) const META_COPIED: &str = "copied-models";
/// Files of a model beside those of its settings. Checkpoints, plots and other files in its folder affect no answer.
const FILES: [&str; 3] = ["model.safetensors", "truename.json", LearntNames::FILE];

/// Role of recognizers, and meta key of the one in the folder.
const RECOGNIZER: &str = "recognizer";
/// Role of re-rankers, and meta key of the one in the folder.
const RERANKER: &str = "reranker";

/// State of a model whose files were changed.
const CHANGED: &str = "was changed: it no longer has the hash that the vectors were made with";

/// A model without vectors in the folder of a knowledge base.
#[derive(Serialize, Deserialize)]
struct ModelRecord {
    hash: ModelHash,
    /// Folder from which it was copied.
    folder: String,
    /// Of a re-ranker that was calibrated to documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibrated: Option<RerankerCalibration>,
}

/// Calibration of a re-ranker, in place of that of its training.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct RerankerCalibration {
    mapping: ContextMapping,
    certain: Option<f64>,
}

/// Mapping in context of an encoder, in place of that of its training.
#[derive(Serialize, Deserialize)]
struct EncoderMapping {
    encoder: ModelHash,
    mapping: ContextMapping,
}

/// Role of an attached model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
            _ => Err(Error::new(ErrorKind::Choice, format!("no model has the role \"{name}\""))
                .with_hint("the roles are: encoder, recognizer, retriever, reranker")),
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
    pub hash: ModelHash,
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
    /// Opens the encoder in the knowledge base's folder; `None` if it has none.
    ///
    /// # Errors
    /// If it is missing or was changed ([`ErrorKind::ModelChanged`]), or cannot be read.
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
        let from = (recognizer.folder(), source(recognizer.folder()));
        self.attach(ModelRole::Recognizer, (from.0, &from.1), &recognizer.hash(), |folder| {
            Ok(TrainedRecognizer::open(folder)?.hash())
        })
    }

    /// Opens the recognizer in the knowledge base's folder; `None` if it has none.
    ///
    /// # Errors
    /// If it is missing or was changed ([`ErrorKind::ModelChanged`]), or cannot be read.
    pub fn attached_recognizer(&self) -> Result<Option<TrainedRecognizer>, Error> {
        self.attached(ModelRole::Recognizer, TrainedRecognizer::open, TrainedRecognizer::hash)
    }

    /// Copies a re-ranker into the knowledge base's folder, in place of the one there.
    ///
    /// # Errors
    /// As [`KnowledgeBase::attach_recognizer`].
    pub fn attach_reranker(&self, reranker: &TrainedReranker) -> Result<(), Error> {
        self.attach(ModelRole::Reranker, (reranker.folder(), &source(reranker.folder())), reranker.hash(), |folder| {
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
            Some(RerankerCalibration { mapping, certain }) => reranker.with_mapping(mapping, certain),
            None => reranker,
        }))
    }

    /// Keeps a mapping of the attached re-ranker in place of that of its training.
    pub(crate) fn put_mapping(&self, mapping: ContextMapping, certain: Option<f64>) -> Result<(), Error> {
        let role = ModelRole::Reranker;
        let record = self.model_record(role)?.ok_or_else(|| error::no_model(self.path(), role.as_str()))?;
        self.put_model_record(
            role,
            &ModelRecord { calibrated: Some(RerankerCalibration { mapping, certain }), ..record },
        )
    }

    /// Returns the mapping from the ranker's logit and the cosine in context to a logit, of an encoder that learnt to read mentions in their
    /// sentences; `None` without one.
    pub(crate) fn encoder_mapping(&self) -> Result<Option<ContextMapping>, Error> {
        let Some((encoder, config)) = self.encoder()?.and_then(|encoder| Some((encoder, encoder.in_context()?))) else {
            return Ok(None);
        };
        let snapshot = self.store.snapshot()?;
        let Some(json) = snapshot.meta(META_MAPPING)? else { return Ok(Some(config.mapping)) };
        let fitted: EncoderMapping =
            serde_json::from_slice(json).map_err(|_| truename_kb::damaged("the mapping of its encoder"))?;
        Ok(Some(if fitted.encoder == encoder.hash() { fitted.mapping } else { config.mapping }))
    }

    /// Keeps a mapping of the encoder in place of that of its training.
    pub(crate) fn put_encoder_mapping(&self, mapping: ContextMapping) -> Result<(), Error> {
        let encoder = self.encoder()?.ok_or_else(|| error::no_model(self.path(), ENCODER))?.hash().parse()?;
        let json = serde_json::to_vec(&EncoderMapping { encoder, mapping }).map_err(Error::other)?;
        let mut write = self.write()?;
        self.store.put_meta(&mut write, META_MAPPING, &json)?;
        self.store.commit(write)
    }

    fn attach(
        &self,
        role: ModelRole,
        (from, source): (&Path, &str),
        hash: &str,
        hash_of: impl Fn(&Path) -> Result<String, Error>,
    ) -> Result<(), Error> {
        let hash: ModelHash = hash.parse()?;
        self.place(role, &hash, from, |target| match hash_of(target)? == hash.as_str() {
            true => Ok(()),
            false => Err(error::model_changed(self.path(), target, source, CHANGED)),
        })?;
        self.put_model_record(role, &ModelRecord { hash, folder: source.to_owned(), calibrated: None })?;
        self.prune_models()
    }

    fn attached<M>(
        &self,
        role: ModelRole,
        open: impl FnOnce(&Path) -> Result<M, Error>,
        hash: impl FnOnce(&M) -> String,
    ) -> Result<Option<M>, Error> {
        let Some(record) = self.model_record(role)? else { return Ok(None) };
        let folder = self.own_folder(role.as_str(), &record.hash, &record.folder)?;
        let model = open(&folder)?;
        match record.hash == hash(&model).as_str() {
            true => Ok(Some(model)),
            false => Err(error::model_changed(self.path(), &folder, &record.folder, CHANGED)),
        }
    }

    fn put_model_record(&self, role: ModelRole, record: &ModelRecord) -> Result<(), Error> {
        let json = serde_json::to_vec(record).map_err(Error::other)?;
        let mut write = self.write()?;
        self.store.put_meta(&mut write, role.as_str(), &json)?;
        self.store.commit(write)
    }

    fn model_record(&self, role: ModelRole) -> Result<Option<ModelRecord>, Error> {
        let snapshot = self.store.snapshot()?;
        let Some(json) = snapshot.meta(role.as_str())? else { return Ok(None) };
        serde_json::from_slice(json).map(Some).map_err(|_| truename_kb::damaged("the record of a model"))
    }

    /// Copies an encoder into the knowledge base's folder, for vectors that it has made or that
    /// [`KnowledgeBase::embed`] makes next.
    ///
    /// # Errors
    /// If the encoders of `ranker.folds` beside it are not finished, a file cannot be copied, or the storage fails.
    pub fn attach_encoder(&self, encoder: &Encoder) -> Result<(), Error> {
        let record = EncoderRecord::of(encoder)?;
        let learnt = LearntNames::read(encoder.folder())?;
        if self.model_folder(ENCODER, &record.hash) != encoder.folder() {
            LearntNames::fold_encoders(encoder)?;
        }
        self.place(ModelRole::Encoder, &record.hash, encoder.folder(), |target| {
            let copy = self.open_attached(ENCODER, &record)?;
            LearntNames::fold_encoders(&copy)?;
            match LearntNames::read(target)? == learnt {
                true => Ok(()),
                false => Err(error::model_changed(self.path(), target, &record.folder, CHANGED)),
            }
        })?;
        self.mark_attached(ENCODER, &record)
    }

    /// Copies a retriever into the knowledge base's folder, for vectors of the concepts that it has made or that
    /// [`KnowledgeBase::embed_concepts`] makes next.
    ///
    /// # Errors
    /// If a file cannot be copied, or the storage fails.
    pub fn attach_retriever(&self, retriever: &TrainedRetriever) -> Result<(), Error> {
        let record = EncoderRecord::of_retriever(retriever)?;
        self.place(ModelRole::Retriever, &record.hash, retriever.folder(), |target| {
            match record.hash == TrainedRetriever::open(target)?.hash() {
                true => Ok(()),
                false => Err(error::model_changed(self.path(), target, &record.folder, CHANGED)),
            }
        })?;
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
        let folder = self.own_folder(RETRIEVER, &hash, &source)?;
        let retriever = TrainedRetriever::open(&folder)?;
        match hash == retriever.hash() {
            true => AttachedRetriever::new(retriever, self.clone()).map(Some),
            false => Err(error::model_changed(self.path(), &folder, &source, CHANGED)),
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
            return Err(error::no_model(self.path(), role.as_str()));
        }
        self.record_copied(None)?;
        match role {
            ModelRole::Encoder | ModelRole::Retriever => self.drop_set(role.as_str())?,
            ModelRole::Recognizer | ModelRole::Reranker => {
                let mut write = self.write()?;
                self.store.delete_meta(&mut write, role.as_str())?;
                self.store.commit(write)?;
            }
        }
        self.prune_models()
    }

    /// Removes the models that were copied into the folder and are no longer attached.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn prune_models(&self) -> Result<(), Error> {
        let known: BTreeSet<String> =
            self.models()?.iter().map(|model| folder_name(model.role.as_str(), &model.hash)).collect();
        let copied = self.copied()?;
        let copied: BTreeSet<String> = copied.iter().map(|(role, hash)| folder_name(role.as_str(), hash)).collect();
        let Ok(entries) = std::fs::read_dir(self.path().join(MODELS)) else { return Ok(()) };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // A process that was killed leaves an unfinished copy.
            let of = name
                .strip_prefix('.')
                .filter(|name| name.ends_with(".partial"))
                .and_then(|name| name.split('.').next());
            if of.map_or(copied.contains(&name) && !known.contains(&name), |of| copied.contains(of)) {
                self.remove_model(&name)?;
            }
        }
        Ok(())
    }

    /// Removes the files of a model, and the folders that are empty then.
    fn remove_model(&self, name: &str) -> Result<(), Error> {
        let place = Path::new(MODELS).join(name);
        let kb = Folder::open(self.path()).map_err(|source| error::io("open", self.path(), source))?;
        for file in model_files(&self.path().join(&place)) {
            let file = place.join(file);
            match kb.remove(&file) {
                Err(source) if source.kind() != io::ErrorKind::NotFound && !is_irregular(&source) => {
                    return Err(error::io("remove", &self.path().join(file), source));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the models that were copied into the folder.
    fn copied(&self) -> Result<BTreeSet<(ModelRole, ModelHash)>, Error> {
        let snapshot = self.store.snapshot()?;
        let Some(json) = snapshot.meta(META_COPIED)? else { return Ok(BTreeSet::new()) };
        serde_json::from_slice(json).map_err(|_| truename_kb::damaged("the list of its models"))
    }

    /// Records that the attached models, and another one, are copies that may be removed.
    pub(super) fn record_copied(&self, other: Option<(ModelRole, ModelHash)>) -> Result<(), Error> {
        let recorded = self.copied()?;
        let attached = self.models()?.into_iter().map(|model| (model.role, model.hash));
        let copied: BTreeSet<_> = recorded.iter().cloned().chain(attached).chain(other).collect();
        if copied == recorded {
            return Ok(());
        }
        let mut write = self.write()?;
        self.store.put_meta(&mut write, META_COPIED, &serde_json::to_vec(&copied).map_err(Error::other)?)?;
        self.store.commit(write)
    }

    /// Copies a model into the knowledge base's folder, unless `check` finds it there.
    fn place(
        &self,
        role: ModelRole,
        hash: &ModelHash,
        from: &Path,
        check: impl Fn(&Path) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let target = self.model_folder(role.as_str(), hash);
        // The model that was opened there needs no second look.
        if target == from {
            return Ok(());
        }
        let is_there = self.is_regular(&target)?;
        self.record_copied(Some((role, hash.clone())))?;
        if is_there && check(&target).is_ok() {
            return Ok(());
        }
        let failed = |source| error::io("copy", from, source);
        std::fs::create_dir_all(self.path().join(MODELS)).map_err(failed)?;
        let partial = Partial::beside(&target).map_err(failed)?;
        for file in model_files(from).filter(|file| from.join(file).is_file()) {
            let copy = partial.path().join(&file);
            std::fs::create_dir_all(copy.parent().unwrap_or(partial.path())).map_err(failed)?;
            truename_files::copy(&from.join(&file), &copy).map_err(failed)?;
        }
        // Replaces a changed copy.
        self.remove_model(&folder_name(role.as_str(), hash))?;
        partial.replace(&target).map_err(|source| error::io("replace", &target, source))?;
        check(&target)
    }

    /// Returns the folder of a model in the knowledge base's folder.
    pub(super) fn model_folder(&self, role: &str, hash: &ModelHash) -> PathBuf {
        self.path().join(MODELS).join(folder_name(role, hash))
    }

    /// Returns the folder of a model, after a look whether all that lies in it is its own.
    fn own_folder(&self, role: &str, hash: &ModelHash, source: &str) -> Result<PathBuf, Error> {
        let folder = self.model_folder(role, hash);
        match self.is_regular(&folder)? {
            true => Ok(folder),
            false => Err(error::model_changed(self.path(), &folder, source, "is missing")),
        }
    }

    /// Returns the files of an attached model, by their paths in the knowledge base's folder.
    pub(super) fn files_of(&self, model: &AttachedModel) -> Result<Vec<PathBuf>, Error> {
        let role = model.role.as_str();
        let folder = self.own_folder(role, &model.hash, &model.source)?;
        let place = Path::new(MODELS).join(folder_name(role, &model.hash));
        Ok(model_files(&folder).filter(|file| folder.join(file).is_file()).map(|file| place.join(file)).collect())
    }

    /// Returns whether the folder of a model is there; an error where it leads elsewhere.
    fn is_regular(&self, folder: &Path) -> Result<bool, Error> {
        match check_regular(self.path(), folder) {
            Ok(()) => Ok(true),
            Err((_, source)) if source.kind() == io::ErrorKind::NotFound => Ok(false),
            Err((path, source)) => Err(error::io("open", &path, source)),
        }
    }

    /// Opens the copy of a model and checks its hash.
    pub(super) fn open_attached(&self, role: &str, record: &EncoderRecord) -> Result<Encoder, Error> {
        let folder = self.own_folder(role, &record.hash, &record.folder)?;
        let encoder = Encoder::open_with_adapters(&folder, &record.adapters)?;
        if record.hash != encoder.hash() {
            return Err(error::model_changed(self.path(), &folder, &record.folder, CHANGED));
        }
        Ok(encoder)
    }
}

fn folder_name(role: &str, hash: &ModelHash) -> String {
    format!("{role}-{}", hash.short())
}

/// Returns the places in a model's folder where its files, those of its other networks and of its fold encoders may lie.
fn model_files(model: &Path) -> impl Iterator<Item = PathBuf> {
    let folds = (0..).map(|fold| LearntNames::fold_folder(model, fold)).take_while(|folder| folder.is_dir());
    network_folders(model).chain(folds).flat_map(move |folder| {
        let place = folder.strip_prefix(model).unwrap_or(Path::new("")).to_owned();
        FILES.into_iter().chain(SETTINGS_FILES).map(move |file| place.join(file))
    })
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

/// Returns the whole path of a folder that a model is copied from.
fn source(folder: &Path) -> String {
    std::path::absolute(folder).unwrap_or_default().display().to_string()
}
