//! Folders of batches: the plan and the parts that are done.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context;
use truename_error::{Error, ErrorKind, HintPart, hint};
use truename_files::remove_remains;

use super::plan::{Part, Plan};
use crate::atomic_file::write_json;
use crate::lock::locked;

const PLAN: &str = "batch.json";
/// Begins the names of parts.
const PART: &str = "part-";
/// File that the process locks which works on a folder; the system unlocks it when that process ends.
const LOCK: &str = ".lock";

/// Folder of a batch that no other process works on.
pub struct BatchFolder {
    path: PathBuf,
    pub plan: Plan,
    _lock: File,
}

impl BatchFolder {
    /// Opens the folder of a batch, and writes the plan where there is none; `restart` replaces one with its parts.
    ///
    /// # Errors
    /// If another process works on it, it holds other files, or a plan by which the answers would be others.
    pub fn open(path: &Path, plan: Plan, restart: bool) -> anyhow::Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("cannot write to {}", path.display()))?;
        refuse_others(path)?;
        let lock = lock(path)?;
        clear(path)?;
        if let Some(known) = known(path, restart)? {
            let folder = Self { path: path.to_owned(), plan: known, _lock: lock };
            return folder.check(&plan).map(|()| folder);
        }
        write_json(Some(&path.join(PLAN)), &plan)?;
        Ok(Self { path: path.to_owned(), plan, _lock: lock })
    }

    /// Removes what processes left that were killed.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn clear(&self) -> anyhow::Result<()> {
        clear(&self.path)
    }

    /// Refuses a plan by which the answers would be others.
    ///
    /// # Errors
    /// If a file, the knowledge base or an option differs.
    pub fn check(&self, plan: &Plan) -> anyhow::Result<()> {
        self.plan.difference(plan).map_or(Ok(()), |difference| Err(other(&self.path, &difference).into()))
    }

    /// Returns the path of a part.
    pub fn path_of(&self, part: &Part) -> PathBuf {
        self.path.join(&part.file)
    }

    /// Returns the parts that are missing.
    pub fn missing(&self) -> Vec<Part> {
        self.plan.parts.iter().filter(|part| !self.path_of(part).exists()).cloned().collect()
    }
}

fn clear(folder: &Path) -> anyhow::Result<()> {
    remove_remains(folder, |_| true).with_context(|| format!("cannot write to {}", folder.display()))
}

fn lock(folder: &Path) -> anyhow::Result<File> {
    locked(&folder.join(LOCK), &mut File::options(), || {
        Error::new(ErrorKind::Other, format!("another process works on {}", folder.display()))
            .with_hint("wait for it, or name another folder")
    })
}

/// Refuses a folder that holds other files and no plan.
fn refuse_others(folder: &Path) -> anyhow::Result<()> {
    let names = names(folder)?;
    let other = names.iter().find(|name| !name.starts_with('.'));
    let Some(other) = other.filter(|_| !names.iter().any(|name| name == PLAN)) else { return Ok(()) };
    let message = format!("{} holds {other} and is no folder of a batch", folder.display());
    Err(Error::new(ErrorKind::Exists, message).with_hint("name a new folder, or an empty one").into())
}

/// Returns the plan of a folder, if it has one that is not to be replaced.
fn known(folder: &Path, restart: bool) -> anyhow::Result<Option<Plan>> {
    let path = folder.join(PLAN);
    if !path.exists() {
        return Ok(None);
    }
    if restart {
        for part in names(folder)?.iter().filter(|name| name.starts_with(PART)) {
            fs::remove_file(folder.join(part)).with_context(|| format!("cannot remove {part}"))?;
        }
        return Ok(None);
    }
    let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let plan = serde_json::from_slice(&text);
    plan.map(Some).map_err(|source| other(folder, "its plan cannot be read").with_source(source).into())
}

fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let failed = || format!("cannot read {}", folder.display());
    let name = |entry: std::io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    fs::read_dir(folder).and_then(|entries| entries.map(name).collect()).with_context(failed)
}

/// Error of a folder whose parts would not fit those of this run.
fn other(folder: &Path, difference: &str) -> Error {
    let message = format!("the parts in {} would not fit together: {difference}", folder.display());
    let restart = HintPart::setting("restart");
    Error::new(ErrorKind::Exists, message).with_hint(hint!["name another folder, or replace its parts with ", restart])
}
