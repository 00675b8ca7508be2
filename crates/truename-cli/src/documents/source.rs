//! Reads documents from many files and lists their problems.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

use indicatif::ProgressBar;
use truename::{Document, DocumentBatches, StreamItem};
use truename_corpus::{ReadOptions, read_path};
use truename_error::{counted, grouped};
use truename_read::is_stream;

use crate::bars::bytes_bar;
use crate::exit_code::worded;
use crate::{interrupt, problems};

/// Documents and files that could not be read.
#[derive(Default)]
pub struct Problems {
    first: Vec<String>,
    count: u64,
    /// Number of files that were not read to their end.
    unread_files: u64,
    /// Number of documents that were read.
    documents: u64,
    /// Number of annotations that documents cannot represent.
    left_out: u64,
}

impl Problems {
    fn add(&mut self, problem: UnreadPlace) {
        self.count += 1;
        self.unread_files += u64::from(problem.ends_file);
        if self.first.len() < problems::MAX_SHOWN {
            self.first.push(problem.message);
        }
    }

    /// Returns true if something could be read, or there was nothing to read.
    pub fn allow_output(&self) -> bool {
        self.documents > 0 || self.count == 0
    }

    /// Lists the problems, and how many documents are left out.
    ///
    /// # Errors
    /// If a file could not be read to its end, or no document at all.
    pub fn report(&self, quiet: bool) -> anyhow::Result<()> {
        self.list(quiet);
        let malformed = self.count - self.unread_files;
        if malformed > 0 && !quiet {
            crate::say!("{} left out (--strict makes this an error)", counted(malformed, "malformed document"));
        }
        anyhow::ensure!(self.unread_files == 0, "{} could not be read", counted(self.unread_files, "file"));
        anyhow::ensure!(self.allow_output(), "no document could be read");
        Ok(())
    }

    /// Lists the problems.
    ///
    /// # Errors
    /// If there is any.
    pub fn report_all(&self, quiet: bool) -> anyhow::Result<()> {
        self.list(quiet);
        anyhow::ensure!(
            self.count == 0,
            "{} {} could not be read",
            grouped(self.count),
            if self.count == 1 { "document or file" } else { "documents or files" }
        );
        Ok(())
    }

    fn list(&self, quiet: bool) {
        problems::show(&self.first, self.count);
        if self.left_out > 0 && !quiet {
            crate::say!("{} left out: relations, events, notes and the like", counted(self.left_out, "annotation"));
        }
    }
}

/// The documents of files, which a thread of their own reads.
pub struct Documents {
    read: Receiver<Read>,
    reader: JoinHandle<u64>,
    bar: ProgressBar,
    problems: Problems,
    is_strict: bool,
}

/// A message of the thread that reads.
enum Read {
    Item(StreamItem),
    Problem(UnreadPlace),
}

/// A document or file that could not be read.
struct UnreadPlace {
    message: String,
    /// Nothing of the file was read, or nothing behind this place.
    ends_file: bool,
}

impl Documents {
    /// Reads the documents of all files, folders and patterns; `-` is stdin. A document or file that cannot be read is a problem, and the
    /// next ones are read.
    pub fn open(files: &[PathBuf], options: &ReadOptions, quiet: bool) -> Self {
        let bar = bytes_bar(total_bytes(files), quiet);
        // No further document is in memory beside those that wait to be linked.
        let (send, read) = sync_channel(0);
        let (files, mut options, counted) = (files.to_vec(), options.clone(), bar.clone());
        options.source.on_read = Some(Arc::new(move |bytes| counted.inc(bytes)));
        let idle = send.clone();
        options.source.on_idle = Some(Arc::new(move || drop(idle.send(Read::Item(StreamItem::Idle)))));
        let reader = thread::spawn(move || {
            let (mut left_out, mut is_wanted) = (0, true);
            for file in files {
                let mut give = |read| {
                    is_wanted = send.send(read).is_ok() && !interrupt::asked();
                    if is_wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                };
                if is_stream(&file) {
                    // Nothing may come of it for a while.
                    let _ = give(Read::Item(StreamItem::Idle));
                }
                let mut visit = |read: Result<Document, truename_corpus::Problem>| {
                    let unread = |problem: truename_corpus::Problem| UnreadPlace {
                        message: problems::advised(&problem),
                        ends_file: problem.ends_file,
                    };
                    give(read.map_or_else(|problem| Read::Problem(unread(problem)), |one| Read::Item(one.into())))
                };
                let summary = read_path(&file, &options, &mut visit);
                match summary {
                    Ok(summary) => left_out += summary.left_out,
                    Err(error) => {
                        let message = described(error);
                        let _ = give(Read::Problem(UnreadPlace { message, ends_file: true }));
                    }
                }
                if !is_wanted {
                    break;
                }
            }
            left_out
        });
        Self { read, reader, bar, problems: Problems::default(), is_strict: false }
    }

    /// Sets whether the first problem ends the reading.
    pub fn strict(self, is_strict: bool) -> Self {
        Self { is_strict, ..self }
    }

    /// Reads past some documents.
    pub fn pass(&mut self, count: u64) {
        self.documents().take(usize::try_from(count).unwrap_or(usize::MAX)).for_each(drop);
    }

    /// Returns the documents in batches, of which one ends where a pipe is idle.
    pub fn batches(&mut self) -> impl Iterator<Item = Vec<Document>> {
        DocumentBatches(self)
    }

    /// Returns the documents one by one.
    pub fn documents(&mut self) -> impl Iterator<Item = Document> {
        self.filter_map(|item| match item {
            StreamItem::Document(document) => Some(document),
            StreamItem::Idle => None,
        })
    }

    /// Returns what could not be read.
    ///
    /// # Errors
    /// If the work was asked to stop, or a strict reading ended with a problem.
    pub fn finish(self) -> anyhow::Result<Problems> {
        interrupt::check()?;
        self.bar.finish_and_clear();
        // The thread may wait for a pipe.
        if let Some(problem) = self.problems.first.first().filter(|_| self.is_strict) {
            return Err(anyhow::Error::msg(problem.clone()));
        }
        let left_out = self.reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok(Problems { left_out, ..self.problems })
    }
}

impl Iterator for Documents {
    type Item = StreamItem;

    fn next(&mut self) -> Option<StreamItem> {
        while !self.is_strict || self.problems.count == 0 {
            match self.read.recv().ok().filter(|_| !interrupt::asked())? {
                Read::Item(item) => {
                    if matches!(item, StreamItem::Document(_)) {
                        self.problems.documents += 1;
                        self.bar.set_message(counted(self.problems.documents, "document"));
                    }
                    return Some(item);
                }
                Read::Problem(problem) => self.problems.add(problem),
            }
        }
        None
    }
}

/// Formats an error with its causes and advice on one line.
fn described(error: truename_corpus::Error) -> String {
    let hint = error.hint().map(|hint| format!(" ({})", worded(hint))).unwrap_or_default();
    format!("{:#}{hint}", anyhow::Error::from(error))
}

fn total_bytes(files: &[PathBuf]) -> Option<u64> {
    let bytes = |file: &PathBuf| std::fs::metadata(file).ok().map(|metadata| metadata.len());
    files.iter().map(|path| truename_read::files(path).ok()?.iter().map(bytes).sum::<Option<u64>>()).sum()
}
