use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use crate::copy::Copied;
use crate::manifest::{Manifest, ManifestFile};
use crate::{Error, Progress, Source};

/// Age after which the remains of a killed pull are removed.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

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
    /// Time of the pull, to the second.
    pub pulled_at: SystemTime,
    /// Branch or tag that was resolved to the commit.
    pub requested: Option<String>,
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
    pub(crate) fn find(&self, wanted: &Source) -> Result<Option<PathBuf>, Error> {
        let mut models: Vec<_> = self.models()?.into_iter().filter(|model| model.answers(wanted)).collect();
        models.sort_by_cached_key(|model| Reverse(model.rank()));
        for Model { folder, .. } in models {
            if Manifest::read(&folder).map_or(Ok(false), |manifest| manifest.holds_in(&folder, self.progress))? {
                return Ok(Some(folder));
            }
            tracing::warn!(folder = %folder.display(), "a model in the cache is damaged");
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
        models.sort_by_cached_key(|model| (model.source.name().to_owned(), model.pulled_at, model.source.clone()));
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

    /// Moves a complete model to its place, unless another process was faster.
    pub(crate) fn publish(&self, partial: Partial<'_>, exact: &Source, asked: Option<&str>) -> Result<PathBuf, Error> {
        let (parent, model) = (self.models.join(exact.folder()), partial.model());
        let target = parent.join(exact.version().unwrap_or_default());
        Manifest::new(exact, asked, partial.files).write(&model)?;
        if let Some(there) = self.find(exact)? {
            return Ok(there);
        }
        let _ = std::fs::remove_dir_all(&target);
        match std::fs::create_dir_all(parent).and_then(|()| std::fs::rename(model, &target)) {
            Ok(()) => Ok(target),
            Err(source) => self.find(exact)?.ok_or_else(|| Error::io("write", &target, source)),
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

    /// Returns whether this is the wanted version or commit, or came from the wanted branch or tag.
    fn answers(&self, wanted: &Source) -> bool {
        self.source.folder() == wanted.folder()
            && match wanted.requested() {
                None => wanted.version().is_none() || self.source.package_version() == wanted.package_version(),
                asked => self.source.version() == asked || self.requested.as_deref() == asked,
            }
    }

    /// Returns the rank, higher is newer: by version if versions have an order, else by time of the pull.
    fn rank(&self) -> impl Ord + use<> {
        let version = self.source.package_version();
        (version.as_ref().is_some_and(|version| !version.any_prerelease()), version, self.pulled_at)
    }
}

impl Partial<'_> {
    /// Returns a path for a temporary file.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn model(&self) -> PathBuf {
        self.scratch("model")
    }

    /// Returns the path for a file of the model and creates its folder.
    pub(crate) fn target(&self, path: &str) -> Result<PathBuf, Error> {
        let target = self.model().join(path);
        let parent = target.parent().unwrap_or(self.folder.path());
        std::fs::create_dir_all(parent).map_err(|source| Error::io("write", parent, source))?;
        Ok(target)
    }

    /// Records a file that was written.
    pub(crate) fn wrote(&mut self, path: &str, Copied { bytes, sha256 }: Copied) {
        self.files.push(ManifestFile { path: path.to_owned(), bytes, sha256 });
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
