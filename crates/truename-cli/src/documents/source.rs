//! Reads documents from many files and lists their problems.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use truename::{Document, Problem};
use truename_corpus::{ReadOptions, read_path};

use crate::bars::bytes_bar;
use crate::count::{counted, grouped};
use crate::exit_code::worded;
use crate::{interrupt, problems};

/// Maximum number of documents in a batch, and its maximum bytes.
const BATCH_DOCUMENTS: usize = 256;
const BATCH_BYTES: usize = 4 << 20;

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

/// Passes the documents of all files, folders and patterns to `visit` in batches; `-` is stdin. A document or file that cannot
/// be read is counted as a problem and skipped.
pub fn read(
    files: &[PathBuf],
    options: &ReadOptions,
    quiet: bool,
    mut visit: impl FnMut(Vec<Document>) -> anyhow::Result<()>,
) -> anyhow::Result<Problems> {
    let bar = bytes_bar(total_bytes(files), quiet);
    let read = bar.clone();
    let mut options = options.clone();
    options.source.on_read = Some(Arc::new(move |bytes| read.inc(bytes)));
    let mut batch = Batch { documents: Vec::new(), bytes: 0, count: 0, problems: Problems::default() };
    for file in files {
        let mut failed = None;
        let summary = read_path(file, &options, &mut |document| {
            if let Some(documents) = batch.add(document) {
                bar.set_message(counted(batch.count, "document"));
                failed = visit(documents).err();
            }
            if failed.is_some() || interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        failed.map_or(Ok(()), Err)?;
        interrupt::check()?;
        match summary {
            Ok(summary) => batch.problems.left_out += summary.left_out,
            Err(error) => batch.problems.add(described(error)),
        }
    }
    if !batch.documents.is_empty() {
        visit(batch.documents)?;
    }
    bar.finish_and_clear();
    Ok(batch.problems)
}

struct Batch {
    documents: Vec<Document>,
    bytes: usize,
    count: u64,
    problems: Problems,
}

impl Batch {
    /// Adds a document; returns the batch once it is full.
    fn add(&mut self, document: Result<Document, Problem>) -> Option<Vec<Document>> {
        match document {
            Ok(document) => {
                self.bytes += document.text.len();
                self.count += 1;
                self.documents.push(document);
            }
            Err(problem) => self.problems.add(problems::advised(&problem)),
        }
        let is_full = self.documents.len() >= BATCH_DOCUMENTS || self.bytes >= BATCH_BYTES;
        is_full.then(|| {
            self.bytes = 0;
            std::mem::take(&mut self.documents)
        })
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
