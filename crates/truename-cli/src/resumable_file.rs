//! Output files whose writing goes on after a kill.
//!
//! The output is written to `OUT.partial`. `OUT.resume` beside it records the [`RunIdentity`], how many items of the input are answered and
//! how many bytes of the output are theirs; it is replaced every few seconds, after these bytes are on the disk. A later run cuts the output
//! to these bytes, reads past these items and goes on. It writes what one run would have, since items are answered in the same batches.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use truename_error::{Error, ErrorKind};
use truename_read::{files, is_stream};

use crate::atomic_file::target;
use crate::exit_code::UsageError;
use crate::interrupt;
use crate::lock::locked;
use crate::run_identity::RunIdentity;

/// Time between two records. Shorter repeats less after a kill, and waits for the disk more often.
const INTERVAL: Duration = Duration::from_secs(2);

/// An output file that a later run can go on with. Clones write to the same file.
#[derive(Clone)]
pub struct ResumableFile(Rc<RefCell<State>>);

struct State {
    path: PathBuf,
    partial: PathBuf,
    record_path: PathBuf,
    file: Option<BufWriter<File>>,
    record: Record,
    is_recorded: bool,
    /// True until the items are passed that an earlier run answered; what is written is there already.
    is_passing: bool,
    saved: Instant,
}

/// Record beside an unfinished output.
#[derive(Serialize, Deserialize)]
struct Record {
    run: RunIdentity,
    /// Items of the input that are answered.
    items: u64,
    /// Bytes of the output that hold their answers.
    bytes: u64,
    /// Counts of their answers, by the command.
    counts: serde_json::Value,
}

/// Returns the files that paths stand for, to be read again by a later run.
///
/// # Errors
/// If one of them is a pipe or stdin, or a folder cannot be read.
pub fn readable_again(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let found = paths.iter().map(|path| files(path)).collect::<Result<Vec<_>, _>>()?.concat();
    match found.iter().find(|path| is_stream(path)) {
        Some(stream) => {
            let message =
                format!("--resume reads its input again, and {} can be read once; give files", stream.display());
            Err(UsageError(message).into())
        }
        None => Ok(found),
    }
}

impl ResumableFile {
    /// Creates an output, or opens it after what an earlier run of the same identity wrote.
    ///
    /// # Errors
    /// If the earlier run had another identity, another process writes the output, or it cannot be opened.
    pub fn create(path: &Path, run: RunIdentity) -> anyhow::Result<Self> {
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
            let message = format!("--resume cannot go on within a gzipped file; call {} otherwise", path.display());
            return Err(UsageError(message).into());
        }
        let path = target(path)?;
        if path.exists() && !path.is_file() {
            return Err(UsageError(format!("--resume needs a file, and {} is none", path.display())).into());
        }
        let beside = |suffix: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        let (partial, record_path) = (beside(".partial"), beside(".resume"));
        let mut file = locked(&partial, File::options().read(true), || {
            Error::new(ErrorKind::Other, format!("another process writes {}", partial.display()))
                .with_hint("wait for it, or name another output")
        })?;
        let failed = || format!("cannot write {}", partial.display());
        let known = known(&record_path, &partial, &file, &run)?;
        if known.is_none() {
            // That of an output that is no longer there.
            remove(&record_path)?;
        }
        let record = known.unwrap_or(Record { run, items: 0, bytes: 0, counts: serde_json::Value::Null });
        file.set_len(record.bytes).and_then(|()| file.seek(SeekFrom::End(0))).with_context(failed)?;
        interrupt::keeps(&format!("the same command goes on with {}", partial.display()));
        let is_recorded = record.items > 0;
        Ok(Self(Rc::new(RefCell::new(State {
            path,
            partial,
            record_path,
            file: Some(BufWriter::with_capacity(1 << 16, file)),
            record,
            is_recorded,
            is_passing: is_recorded,
            saved: Instant::now(),
        }))))
    }

    /// Returns the number of items that an earlier run answered.
    pub fn items(&self) -> u64 {
        self.0.borrow().record.items
    }

    /// Returns the counts of their answers.
    pub fn counts<T: for<'de> Deserialize<'de> + Default>(&self) -> T {
        serde_json::from_value(self.0.borrow().record.counts.clone()).unwrap_or_default()
    }

    /// Says that the items are passed that an earlier run answered; what is written from here on is new.
    pub fn go_on(&self) {
        self.0.borrow_mut().is_passing = false;
    }

    /// Records every few seconds how many items are answered, with their counts; all that was written is theirs.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn save(&self, items: u64, counts: &impl Serialize) -> anyhow::Result<()> {
        let mut state = self.0.borrow_mut();
        if state.is_recorded && state.saved.elapsed() < INTERVAL {
            return Ok(());
        }
        state.record.bytes = state.synchronise()?;
        (state.record.items, state.record.counts) = (items, serde_json::to_value(counts)?);
        let (path, record) = (&state.record_path, serde_json::to_vec_pretty(&state.record)?);
        truename_files::write(path, record).with_context(|| format!("cannot write {}", path.display()))?;
        (state.is_recorded, state.saved) = (true, Instant::now());
        Ok(())
    }

    /// Puts the output into its place, and removes the record.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn finish(self) -> anyhow::Result<()> {
        let mut state = self.0.borrow_mut();
        state.synchronise()?;
        let _committing = interrupt::commit()?;
        state.file = None;
        fs::rename(&state.partial, &state.path).with_context(|| format!("cannot write {}", state.path.display()))?;
        remove(&state.record_path)
    }
}

impl State {
    /// Brings all that was written to the disk, and returns its bytes.
    fn synchronise(&mut self) -> anyhow::Result<u64> {
        let Some(file) = &mut self.file else { return Ok(0) };
        let bytes = file.flush().and_then(|()| file.get_ref().sync_data()).and_then(|()| file.stream_position());
        bytes.with_context(|| format!("cannot write {}", self.partial.display()))
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // Nothing of it is recorded; after `finish` it is not there.
        if !self.is_recorded {
            let _ = fs::remove_file(&self.partial);
        }
    }
}

impl Write for ResumableFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let state = &mut *self.0.borrow_mut();
        match &mut state.file {
            Some(file) if !state.is_passing => file.write(bytes),
            _ => Ok(bytes.len()),
        }
    }

    /// Does nothing: the buffer is flushed where it is full, and where a record is written.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Reads the record of an unfinished output; none of one that is not there.
fn known(record: &Path, partial: &Path, file: &File, run: &RunIdentity) -> anyhow::Result<Option<Record>> {
    let bytes = file.metadata().with_context(|| format!("cannot read {}", partial.display()))?.len();
    if bytes == 0 || !record.exists() {
        return Ok(None);
    }
    let text = fs::read(record).with_context(|| format!("cannot read {}", record.display()))?;
    let advice = || {
        let (partial, record) = (partial.display(), record.display());
        format!("give the same input, options and knowledge base, or remove {partial} and {record} to begin anew")
    };
    let refused = |reason: &str| {
        let message = format!("{} cannot be gone on with: {reason}", partial.display());
        Error::new(ErrorKind::Exists, message).with_hint(advice())
    };
    let known: Record =
        serde_json::from_slice(&text).map_err(|source| refused("its record cannot be read").with_source(source))?;
    match known.run.difference(run) {
        Some(difference) => Err(refused(&difference).into()),
        None if bytes < known.bytes => {
            Err(refused(&format!("it has {bytes} bytes, and its record says {}", known.bytes)).into())
        }
        None => Ok(Some(known)),
    }
}
