//! Identity of a run: what its answers depend on.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use truename::Linker;
use truename_error::counted;
use truename_read::quoted;

/// Version, knowledge base, models, options and files of a run. Runs with the same ones give the same answers.
#[derive(Serialize, Deserialize)]
pub struct RunIdentity {
    /// Version of Truename.
    version: String,
    /// Fingerprint of the knowledge base.
    knowledge_base: String,
    /// Hash of the encoder; `None` where names are compared by letters alone.
    encoder: Option<String>,
    /// Options that were given, with their values, but for those of knowledge base and encoder.
    options: BTreeMap<String, Vec<String>>,
    /// Files that are read, and those that options name.
    inputs: Vec<InputFile>,
}

/// A file that answers depend on.
#[derive(Serialize, Deserialize)]
struct InputFile {
    path: PathBuf,
    bytes: u64,
    modified: SystemTime,
}

impl InputFile {
    fn of(path: &Path) -> anyhow::Result<Self> {
        let read = || path.metadata().and_then(|file| Ok((file.len(), file.modified()?)));
        let (bytes, modified) = read().with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self { path: path.to_owned(), bytes, modified })
    }
}

impl fmt::Display for InputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        write!(f, "{} of {}, changed at {since:?}", self.path.display(), counted(self.bytes, "byte"))
    }
}

impl RunIdentity {
    /// Returns the identity of a run of a linker with options, over files.
    ///
    /// # Errors
    /// If a file or the knowledge base cannot be read.
    pub fn of<'a>(
        linker: &Linker,
        options: &[(String, Vec<OsString>)],
        files: impl IntoIterator<Item = &'a PathBuf>,
    ) -> anyhow::Result<Self> {
        let kb = linker.knowledge_base();
        let text = |value: &OsString| value.to_string_lossy().into_owned();
        // Knowledge base and encoder are known by what they hold.
        let options = options.iter().filter(|(name, _)| !["kb", "encoder", "adapter"].contains(&name.as_str()));
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            knowledge_base: kb.fingerprint()?,
            encoder: kb.encoder()?.map(|encoder| encoder.hash().to_owned()),
            options: options.map(|(name, values)| (name.clone(), values.iter().map(text).collect())).collect(),
            inputs: files.into_iter().map(|path| InputFile::of(path)).collect::<Result<_, _>>()?,
        })
    }

    /// Returns what differs in a later run, so that its answers do not fit those of this one.
    pub fn difference(&self, later: &Self) -> Option<String> {
        let encoder = |run: &Self| run.encoder.clone().unwrap_or_else(|| "none".into());
        let pairs = [
            ("the version of truename", self.version.clone(), later.version.clone()),
            ("the fingerprint of the knowledge base", self.knowledge_base.clone(), later.knowledge_base.clone()),
            ("the encoder", encoder(self), encoder(later)),
            ("the number of files", self.inputs.len().to_string(), later.inputs.len().to_string()),
        ];
        let pairs = pairs.map(|(what, was, is)| (what.to_owned(), was, is)).into_iter();
        let names: BTreeSet<&String> = self.options.keys().chain(later.options.keys()).collect();
        let options = names.iter().map(|name| (format!("--{name}"), self.option(name), later.option(name)));
        let files =
            self.inputs.iter().zip(&later.inputs).map(|(was, is)| ("a file".into(), was.to_string(), is.to_string()));
        let (what, was, is) = pairs.chain(options).chain(files).find(|(_, was, is)| was != is)?;
        Some(format!("{what} was {was} and is {is}"))
    }

    /// Returns the values of an option as a message shows them.
    fn option(&self, name: &str) -> String {
        match self.options.get(name) {
            None => "not given".into(),
            Some(values) if values.is_empty() => "given".into(),
            Some(values) => values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", "),
        }
    }
}
