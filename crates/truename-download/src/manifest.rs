use std::fs::File;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::copy::{Failure, copy};
use crate::progress::Quiet;
use crate::{Error, Progress};

/// Its name in a model's folder.
pub(crate) const FILE_NAME: &str = "truename-manifest.json";
/// The layout of manifests and folders; another one is fetched anew.
const FORMAT: u32 = 1;

/// What was pulled: written last, so a folder without it is no model.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    /// With its exact version or commit, as `Source` shows it.
    pub(crate) source: String,
    /// The branch or tag that led to the commit.
    pub(crate) requested: Option<String>,
    /// Seconds since 1970.
    pub(crate) pulled_at_s: u64,
    pub(crate) files: Vec<ManifestFile>,
}

/// One file of a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ManifestFile {
    /// In the folder, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

impl Manifest {
    pub(crate) fn new(source: String, requested: Option<String>, pulled_at_s: u64, files: Vec<ManifestFile>) -> Self {
        Self { format: FORMAT, source, requested, pulled_at_s, files }
    }

    /// The manifest of a folder; none where there is none that this version reads.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read(folder.join(FILE_NAME)).ok()?;
        serde_json::from_slice(&text).ok().filter(|manifest: &Self| manifest.format == FORMAT)
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(FILE_NAME);
        let text = serde_json::to_vec_pretty(self).map_err(std::io::Error::other);
        text.and_then(|text| std::fs::write(&path, text)).map_err(|source| Error::io("write", &path, source))
    }

    /// Whether every file is there with its size and hash.
    pub(crate) fn holds_in(&self, folder: &Path, progress: &dyn Progress) -> Result<bool, Error> {
        for file in &self.files {
            if !file.holds_in(folder, progress)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl ManifestFile {
    fn holds_in(&self, folder: &Path, progress: &dyn Progress) -> Result<bool, Error> {
        let path = folder.join(&self.path);
        let size = std::fs::metadata(&path).map(|metadata| metadata.len());
        let (Ok(true), Ok(mut file)) = (size.map(|size| size == self.bytes), File::open(&path)) else {
            return Ok(false);
        };
        match copy(&mut file, &mut std::io::sink(), self.bytes, &Quiet(progress)) {
            Ok(copied) => Ok(copied.sha256 == self.sha256),
            Err(Failure::Stopped) => Err(Error::interrupted()),
            Err(_) => Ok(false),
        }
    }
}
