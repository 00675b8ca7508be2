//! The cache of pulled models: each in a folder with a manifest that is written last, so that it is whole.

use std::cmp::Reverse;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::copy::{Contents, FileDigest};
use crate::{Error, Progress, Source};

/// Age after which the remains of a killed pull are removed.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);
/// Name of the manifest in a model's folder.
const MANIFEST: &str = "truename-manifest.json";
/// Layout version of manifests and folders; a model with another version is downloaded anew.
const FORMAT: u32 = 1;

/// A model in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Model {
    /// Source with the exact version or commit; pulling it needs no network.
    pub source: Source,
    /// Folder to give to the encoder.
    pub folder: PathBuf,
    /// Total size of all files in bytes.
    pub bytes: u64,
    manifest: Manifest,
}

/// Description of a pulled model. It is written last, so a folder without it is no complete model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// Source with its exact version or commit.
    source: String,
    /// Branch or tag that was resolved to the commit.
    requested: Option<String>,
    /// Time of the pull in seconds since 1970.
    pulled_at_s: u64,
    files: Vec<ManifestFile>,
}

/// One file of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ManifestFile {
    /// Path in the folder, separated by `/`.
    path: String,
    bytes: u64,
    sha256: String,
}

/// Models of one cache.
pub(crate) struct Store<'a> {
    models: PathBuf,
    progress: &'a dyn Progress,
}

/// A model being downloaded; removed unless it is published.
pub(crate) struct Partial<'a> {
    folder: TempDir,
    files: Vec<ManifestFile>,
    pub(crate) progress: &'a dyn Progress,
}

impl<'a> Store<'a> {
    pub(crate) fn new(cache: &Path, progress: &'a dyn Progress) -> Self {
        Self { models: cache.join("models"), progress }
    }

    /// Returns the newest undamaged model that fits `wanted`.
    pub(crate) fn find(&self, wanted: &Source) -> Result<Option<Model>, Error> {
        let mut models: Vec<_> = self.models()?.into_iter().filter(|model| model.answers(wanted)).collect();
        models.sort_by_cached_key(|model| Reverse(model.rank()));
        for model in models {
            if model.is_whole(self.progress)? {
                return Ok(Some(model));
            }
            tracing::warn!(folder = %model.folder.display(), "a model in the cache is damaged");
        }
        Ok(None)
    }

    /// Lists all models by name, then by time of the pull.
    pub(crate) fn models(&self) -> Result<Vec<Model>, Error> {
        let mut models = Vec::new();
        for kind in ["pypi", "hf"] {
            for name in folders(&self.models.join(kind))? {
                models.extend(folders(&name)?.into_iter().filter_map(Model::read));
            }
        }
        models
            .sort_by_cached_key(|model| (model.source.name.clone(), model.manifest.pulled_at_s, model.source.clone()));
        Ok(models)
    }

    /// Creates a folder on the same disk, and removes the folders of killed pulls.
    pub(crate) fn partial(&self) -> Result<Partial<'a>, Error> {
        let all = self.models.join(".partial");
        let age = |folder: &PathBuf| folder.metadata().ok()?.modified().ok()?.elapsed().ok();
        for folder in folders(&all)?.into_iter().filter(|folder| age(folder) > Some(ABANDONED)) {
            let _ = std::fs::remove_dir_all(folder);
        }
        let folder = std::fs::create_dir_all(&all).and_then(|()| TempDir::new_in(&all));
        let folder = folder.map_err(|source| Error::io("write", &all, source))?;
        Ok(Partial { folder, files: Vec::new(), progress: self.progress })
    }

    /// Moves a complete model to its place, unless the same model is there.
    pub(crate) fn publish(&self, partial: Partial<'_>, exact: &Source, asked: Option<&str>) -> Result<PathBuf, Error> {
        let (parent, folder) = (self.models.join(exact.folder()), partial.scratch("model"));
        let target = parent.join(exact.version.as_deref().unwrap_or_default());
        let pulled_at_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
        let (source, requested) = (exact.to_string(), asked.map(str::to_owned));
        let manifest = Manifest { format: FORMAT, source, requested, pulled_at_s, files: partial.files };
        let text = serde_json::to_vec_pretty(&manifest).map_err(std::io::Error::other);
        let written = text.and_then(|text| std::fs::write(folder.join(MANIFEST), text));
        written.map_err(|source| Error::io("write", &folder, source))?;
        if let Some(there) = self.find(exact)?.filter(|there| there.manifest.files == manifest.files) {
            return Ok(there.folder);
        }
        let _ = std::fs::remove_dir_all(&target);
        match std::fs::create_dir_all(parent).and_then(|()| std::fs::rename(folder, &target)) {
            Ok(()) => Ok(target),
            // Another process may have been faster.
            Err(source) => Ok(self.find(exact)?.ok_or_else(|| Error::io("write", &target, source))?.folder),
        }
    }
}

impl Model {
    /// Reads the manifest of a folder; `None` if it is missing or has another format.
    fn read(folder: PathBuf) -> Option<Self> {
        let manifest: Manifest = serde_json::from_slice(&std::fs::read(folder.join(MANIFEST)).ok()?).ok()?;
        let (source, bytes) = (manifest.source.parse().ok()?, manifest.files.iter().map(|file| file.bytes).sum());
        Some(Self { source, folder, bytes, manifest }).filter(|model| model.manifest.format == FORMAT)
    }

    /// Returns whether this is the wanted version or commit, or came from the wanted branch or tag.
    fn answers(&self, wanted: &Source) -> bool {
        self.source.folder() == wanted.folder()
            && match wanted.requested() {
                None => wanted.version.is_none() || self.source.package_version() == wanted.package_version(),
                asked => self.source.version.as_deref() == asked || self.manifest.requested.as_deref() == asked,
            }
    }

    /// Returns the rank, higher is newer: by version if versions have an order, else by time of the pull.
    fn rank(&self) -> impl Ord + use<> {
        let version = self.source.package_version();
        (version.as_ref().is_some_and(|version| !version.any_prerelease()), version, self.manifest.pulled_at_s)
    }

    /// Returns whether every file is there with its size and hash.
    fn is_whole(&self, progress: &dyn Progress) -> Result<bool, Error> {
        for ManifestFile { path, bytes, sha256 } in &self.manifest.files {
            let target = self.folder.join(path);
            let Ok(mut file) = File::open(&target) else { return Ok(false) };
            let contents = Contents { name: path, bytes: Some(*bytes), reader: &mut file };
            match contents.write(None, progress, |source| Error::io("read", &target, source)) {
                Ok(copied) if copied.sha256 == *sha256 => {}
                Err(error) if error.is_interrupted() => return Err(error),
                Ok(_) | Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl Partial<'_> {
    /// Returns a path for a temporary file.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Moves a temporary file to its path in the model.
    pub(crate) fn keep(
        &mut self,
        path: &str,
        file: &Path,
        FileDigest { bytes, sha256 }: FileDigest,
    ) -> Result<(), Error> {
        let target = self.scratch("model").join(path);
        let folder = std::fs::create_dir_all(target.parent().unwrap_or(&target));
        let moved = folder.and_then(|()| std::fs::rename(file, &target));
        moved.map_err(|source| Error::io("write", &target, source))?;
        self.files.push(ManifestFile { path: path.to_owned(), bytes, sha256 });
        Ok(())
    }
}

/// Lists the folders in a folder; empty if it does not exist.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|source| Error::io("read", folder, source))?,
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.is_dir()).collect())
}
