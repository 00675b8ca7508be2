//! Files that appear whole or not at all: written beside their place, then renamed.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use truename_files::Partial;

use crate::exit_code::UsageError;
use crate::interrupt;

/// A file that takes its place on [`AtomicFile::finish`] and is removed if dropped before.
///
/// Devices, pipes and other irregular files are written directly.
pub struct AtomicFile {
    path: PathBuf,
    partial: Option<Partial>,
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let path = target(path)?;
        let partial = (!path.exists() || path.is_file()).then(|| Partial::beside(&path)).transpose()?;
        let file = partial.as_ref().map_or_else(|| File::create(&path), |partial| File::create_new(partial.path()));
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { partial, file: Some(BufWriter::with_capacity(1 << 16, file)), path })
    }

    pub fn finish(mut self) -> anyhow::Result<()> {
        let failed = || format!("cannot write {}", self.path.display());
        let file = self.file.take().map(|file| file.into_inner().map_err(|error| error.into_error()));
        drop(file.transpose().with_context(failed)?);
        let Some(partial) = self.partial.take() else { return Ok(()) };
        let _committing = interrupt::commit()?;
        partial.replace(&self.path).with_context(failed)
    }
}

/// Returns the file that an output replaces: the target of a link, not the link.
///
/// # Errors
/// If it is a file of a knowledge base.
pub fn target(path: &Path) -> anyhow::Result<PathBuf> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if is_of_store(&path) {
        let folder = path.parent().unwrap_or(&path).display();
        return Err(UsageError(format!("{} is a file of the knowledge base {folder}", path.display())).into());
    }
    Ok(path)
}

/// Returns whether LMDB or the store keeps its data in this file.
fn is_of_store(path: &Path) -> bool {
    let is_named = |names: &[&str]| path.file_name().is_some_and(|name| names.iter().any(|known| name == *known));
    is_named(&["data.mdb", "data.sum", "lock.mdb"]) && path.with_file_name("data.mdb").is_file()
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// Writes a value as JSON, where a file is named for it.
pub fn write_json(path: Option<&Path>, value: &impl Serialize) -> anyhow::Result<()> {
    path.map_or(Ok(()), |path| write(path, &(serde_json::to_string_pretty(value)? + "\n")))
}

/// Writes a small file atomically.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    file.finish()
}
