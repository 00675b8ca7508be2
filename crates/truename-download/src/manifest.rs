use std::fs::File;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::copy::Contents;
use crate::progress::Quiet;
use crate::{Error, Progress, Source};

/// Name of the manifest in a model's folder.
const FILE_NAME: &str = "truename-manifest.json";
/// Layout version of manifests and folders; a model with another version is downloaded anew.
const FORMAT: u32 = 1;

/// Description of a pulled model. It is written last, so a folder without it is no complete model.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    /// Source with its exact version or commit.
    pub(crate) source: String,
    /// Branch or tag that was resolved to the commit.
    pub(crate) requested: Option<String>,
    /// Time of the pull in seconds since 1970.
    pub(crate) pulled_at_s: u64,
    pub(crate) files: Vec<ManifestFile>,
}

/// One file of a model.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ManifestFile {
    /// Path in the folder, separated by `/`.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

impl Manifest {
    pub(crate) fn new(exact: &Source, requested: Option<&str>, files: Vec<ManifestFile>) -> Self {
        let (source, requested) = (exact.to_string(), requested.map(str::to_owned));
        let pulled_at_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
        Self { format: FORMAT, source, requested, pulled_at_s, files }
    }

    /// Reads the manifest of a folder; `None` if it is missing or has another format.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read(folder.join(FILE_NAME)).ok()?;
        serde_json::from_slice(&text).ok().filter(|manifest: &Self| manifest.format == FORMAT)
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(FILE_NAME);
        let text = serde_json::to_vec_pretty(self).map_err(std::io::Error::other);
        text.and_then(|text| std::fs::write(&path, text)).map_err(|source| Error::io("write", &path, source))
    }

    /// Returns whether every file is there with its size and hash.
    pub(crate) fn holds_in(&self, folder: &Path, progress: &dyn Progress) -> Result<bool, Error> {
        for ManifestFile { path, bytes, sha256 } in &self.files {
            let target = folder.join(path);
            let Ok(mut file) = File::open(&target) else { return Ok(false) };
            let contents = Contents { name: path, bytes: Some(*bytes), reader: &mut file };
            let broken = |source| Error::io("read", &target, source);
            match contents.write((&target, &mut std::io::sink()), &Quiet(progress), broken) {
                Ok(copied) if copied.sha256 == *sha256 => {}
                Err(error) if error.is_interrupted() => return Err(error),
                Ok(_) | Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}
