//! A corpus that is being built, in a folder beside its own, with all that it depends on.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use truename_error::{ErrorKind, HintPart, hint};

use super::report::ReadCounts;
use super::runs::{FoundSentence, Runs, SentenceMerge};
use super::setup::Setup;
use crate::{Error, Start, error};

const STATE: &str = "state.json";
/// Folder of the finished files, which becomes that of the corpus.
const FINISHED: &str = "corpus";

/// The folder of a corpus that is being built, beside that of the corpus.
pub(super) struct BuildFolder {
    folder: PathBuf,
    pub state: State,
}

/// Progress of an unfinished build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub setup: Setup,
    /// Number of sources read whole.
    pub sources: usize,
    /// Number of documents read of the next source, those with a problem included.
    pub documents: u64,
    pub counts: ReadCounts,
    runs: Runs,
}

impl BuildFolder {
    /// Opens the folder beside `out`, or creates it.
    ///
    /// # Errors
    /// If `out` is there, the build is begun anew and there is an unfinished one, or it was begun otherwise.
    pub fn open(out: &Path, setup: Setup, start: Start) -> Result<Self, Error> {
        if !is_free(out)? {
            return Err(error::corpus_exists(out));
        }
        let folder = folder_of(out);
        let path = folder.join(STATE);
        if path.exists() {
            if start == Start::Anew {
                let advice = hint![HintPart::setting("resume"), " goes on with it; remove the folder to begin anew"];
                let message = format!("{} holds an unfinished corpus", folder.display());
                return Err(Error::new(ErrorKind::Choice, message).with_hint(advice));
            }
            let text = fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?;
            let state: State = serde_json::from_str(&text).map_err(|error| error::state(&path, error))?;
            if let Some(what) = state.setup.difference(&setup) {
                let message = format!("the corpus in {} was begun with {what}", folder.display());
                return Err(Error::new(ErrorKind::Choice, message)
                    .with_hint("resume with what it was begun with, or remove the folder to begin anew"));
            }
            return Ok(Self { folder, state });
        }
        if !is_free(&folder)? {
            return Err(error::corpus_exists(&folder));
        }
        // A build that was killed at once leaves the folder.
        fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
        let counts = ReadCounts::default();
        let unfinished =
            Self { folder, state: State { setup, sources: 0, documents: 0, counts, runs: Runs::default() } };
        unfinished.save()?;
        Ok(unfinished)
    }

    /// Keeps sentences with the state that they belong to.
    pub fn add(&mut self, sentences: Vec<FoundSentence>) -> Result<(), Error> {
        let merged = self.state.runs.add(&self.folder, sentences)?;
        self.save()?;
        for path in merged {
            fs::remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
        }
        Ok(())
    }

    /// Returns all sentences in their order.
    pub fn sentences(&self) -> Result<SentenceMerge, Error> {
        self.state.runs.merged(&self.folder)
    }

    /// Returns an empty folder for the finished files.
    pub fn finished(&self) -> Result<PathBuf, Error> {
        let folder = self.folder.join(FINISHED);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|source| Error::io("remove", &folder, source))?;
        }
        fs::create_dir(&folder).map_err(|source| Error::io("make", &folder, source))?;
        Ok(folder)
    }

    /// Moves the finished files to `out`, and removes the rest.
    pub fn place(self, out: &Path) -> Result<(), Error> {
        let finished = self.folder.join(FINISHED);
        fs::rename(&finished, out).map_err(|source| Error::io("write", out, source))?;
        fs::remove_dir_all(&self.folder).map_err(|source| Error::io("remove", &self.folder, source))
    }

    fn save(&self) -> Result<(), Error> {
        let path = self.folder.join(STATE);
        let failed = |source| Error::io("write", &path, source);
        let text = serde_json::to_string_pretty(&self.state).map_err(|error| failed(error.into()))?;
        truename_files::write(&path, text).map_err(failed)
    }
}

/// Returns the folder of an unfinished corpus: `OUT.unfinished`.
fn folder_of(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".unfinished");
    out.with_file_name(name)
}

/// Returns whether there is nothing at a path, or a folder with nothing but the remains of a first state.
fn is_free(path: &Path) -> Result<bool, Error> {
    let is_remains = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&format!(".{STATE}."));
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.all(|entry| entry.is_ok_and(|entry| is_remains(&entry)))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Ok(false),
        Err(source) => Err(Error::io("read", path, source)),
    }
}
