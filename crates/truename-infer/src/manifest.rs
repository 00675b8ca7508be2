//! `truename.json`: the heads of a model folder with their configurations.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use truename_error::ErrorKind;

use crate::hash::Fingerprint;
use crate::{Error, error};

/// The format that this build reads and writes.
const FORMAT: u32 = 1;

/// `truename.json` of a model folder: its heads, each with a configuration.
///
/// A folder without heads has no such file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    #[serde(default)]
    heads: BTreeMap<String, Value>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self { format: FORMAT, heads: BTreeMap::new() }
    }
}

impl Manifest {
    const FILE: &'static str = "truename.json";

    pub(crate) fn read(folder: &Path, fingerprint: &mut Fingerprint) -> Result<Self, Error> {
        let path = folder.join(Self::FILE);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(error::io("read", &path, source)),
        };
        fingerprint.add(&bytes);
        let manifest: Self = serde_json::from_slice(&bytes).map_err(|source| error::json(&path, source))?;
        if manifest.format != FORMAT {
            let (path, found) = (path.display(), manifest.format);
            let message = format!("{path} has format {found}; this version of Truename reads {FORMAT}");
            return Err(Error::new(ErrorKind::OtherVersion, message)
                .with_hint("open the folder with the version of Truename that wrote it"));
        }
        Ok(manifest)
    }

    /// Writes the manifest into a model folder; nothing where it has no heads.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), Error> {
        if self.heads.is_empty() {
            return Ok(());
        }
        let path = folder.join(Self::FILE);
        let json = serde_json::to_string_pretty(self).map_err(|source| error::json(&path, source))?;
        truename_files::write(&path, json + "\n").map_err(|source| error::io("write", &path, source))
    }

    /// Reads the manifest of a model folder; one without heads where there is none.
    ///
    /// # Errors
    /// Where it cannot be read, or has another format.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Self::read(folder, &mut Fingerprint::default())
    }

    /// Names of the heads.
    pub fn heads(&self) -> impl Iterator<Item = &str> {
        self.heads.keys().map(String::as_str)
    }

    /// Returns the configuration of a head, if the folder has that head.
    ///
    /// # Errors
    /// Where the configuration is not that of such a head.
    pub fn head<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        let config = self.heads.get(name).map(T::deserialize).transpose();
        config.map_err(|source| error::json(Path::new(Self::FILE), source))
    }

    /// Removes all heads but those with these names.
    pub fn keep_heads(&mut self, names: &[&str]) {
        self.heads.retain(|name, _| names.contains(&name.as_str()));
    }

    /// Adds a head, or changes its configuration.
    ///
    /// # Errors
    /// Where the configuration has no form in JSON.
    pub fn set_head(&mut self, name: &str, config: &impl Serialize) -> Result<(), Error> {
        let config = serde_json::to_value(config).map_err(|source| error::json(Path::new(Self::FILE), source))?;
        self.heads.insert(name.to_owned(), config);
        Ok(())
    }
}
