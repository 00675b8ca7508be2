//! Reads documents from many files and lists their problems.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

use indicatif::ProgressBar;
use truename::{Document, DocumentBatches};
use truename_corpus::{ReadOptions, read_path};
use truename_error::{counted, grouped};

use crate::bars::bytes_bar;
use crate::exit_code::worded;
use crate::{interrupt, problems};

/// Documents and files that could not be read.
#[derive(Default)]
pub struct Problems {
    first: Vec<String>,
    count: u64,
    /// Number of annotations that documents cannot represent.
    left_out: u64,
}

impl Problems {
    fn add(&mut self, problem: String) {
        self.count += 1;
        if self.first.len() < problems::MAX_SHOWN {
            self.first.push(problem);
        }
    }

    /// Returns whether everything could be read.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Lists the problems; an error if there is any.
    pub fn report(&self, quiet: bool) -> anyhow::Result<()> {
        problems::show(&self.first, self.count);
        if self.left_out > 0 && !quiet {
            crate::say!("{} left out: relations, events, notes and the like", counted(self.left_out, "annotation"));
        }
        anyhow::ensure!(
            self.count == 0,
            "{} {} could not be read",
            grouped(self.count),
            if self.count == 1 { "document or file" } else { "documents or files" }
        );
        Ok(())
    }
}

/// The documents of files, which a thread of their own reads.
pub struct Documents {
    read: Receiver<Read>,
    reader: JoinHandle<u64>,
    bar: ProgressBar,
    count: u64,
    problems: Problems,
    is_ended: bool,
}

/// A message of the thread that reads.
enum Read {
    Document(Document),
    Problem(String),
    /// A pipe is idle.
    Idle,
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
        options.source.on_idle = Some(Arc::new(move || drop(idle.send(Read::Idle))));
        let reader = thread::spawn(move || {
            let (mut left_out, mut is_wanted) = (0, true);
            for file in files {
                let mut give = |read| {
                    is_wanted = send.send(read).is_ok() && !interrupt::asked();
                    if is_wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                };
                let mut visit = |read: Result<_, _>| {
                    give(read.map_or_else(|problem| Read::Problem(problems::advised(&problem)), Read::Document))
                };
                let summary = read_path(&file, &options, &mut visit);
                match summary {
                    Ok(summary) => left_out += summary.left_out,
                    Err(error) => drop(give(Read::Problem(described(error)))),
                }
                if !is_wanted {
                    break;
                }
            }
            left_out
        });
        Self { read, reader, bar, count: 0, problems: Problems::default(), is_ended: false }
    }

    /// Returns the documents in batches, of which one ends where a pipe is idle.
    pub fn batches(&mut self) -> impl Iterator<Item = Vec<Document>> {
        std::iter::from_fn(|| {
            loop {
                let batch = DocumentBatches(std::iter::from_fn(|| self.receive())).next();
                if batch.is_some() || self.is_ended {
                    return batch;
                }
            }
        })
    }

    /// Returns the next document; `None` where a pipe is idle or the files end.
    fn receive(&mut self) -> Option<Document> {
        loop {
            let read = self.read.recv().ok().filter(|_| !interrupt::asked());
            self.is_ended = read.is_none();
            match read? {
                Read::Document(document) => {
                    self.count += 1;
                    self.bar.set_message(counted(self.count, "document"));
                    return Some(document);
                }
                Read::Problem(problem) => self.problems.add(problem),
                Read::Idle => return None,
            }
        }
    }

    /// Returns what could not be read.
    ///
    /// # Errors
    /// If the work was asked to stop.
    pub fn finish(self) -> anyhow::Result<Problems> {
        interrupt::check()?;
        let left_out = self.reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        self.bar.finish_and_clear();
        Ok(Problems { left_out, ..self.problems })
    }
}

impl Iterator for Documents {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        loop {
            let document = self.receive();
            if document.is_some() || self.is_ended {
                return document;
            }
        }
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
