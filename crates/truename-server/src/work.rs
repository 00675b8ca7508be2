//! Work outside of the threads that answer: the two lanes, names and documents, and short reads of a knowledge base.

use std::sync::Arc;
use std::time::{Duration, Instant};

use truename::{Document, Error, Link, LinkedDocument, recognize_all};

use crate::base::{Base, DocumentOptions, NameOptions};
use crate::failure::Failure;
use crate::metrics::Counted;
use crate::queue::Work;

/// Runs a function on a thread that may wait, so that others are answered and limits of time hold meanwhile.
///
/// # Errors
/// If it panics, which is logged.
pub(crate) async fn blocking<T: Send + 'static>(function: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(function).await.map_err(|error| Failure::internal(&error))
}

/// Time at which work is given up.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    limit: Duration,
}

impl Deadline {
    pub fn after(limit: Duration) -> Self {
        Self { at: Instant::now() + limit, limit }
    }

    /// Fails once the time is over.
    pub fn check(self) -> Result<(), Failure> {
        if Instant::now() < self.at { Ok(()) } else { Err(Failure::late(self.limit)) }
    }
}

/// Links names.
pub(crate) struct LinkNames {
    pub remembered: Counted,
    pub searched: Counted,
}

impl Work for LinkNames {
    type Options = NameOptions;
    type Item = String;
    type Answer = Arc<Link>;

    fn bytes(name: &String) -> usize {
        name.len()
    }

    fn answer(&self, base: &Base, options: &NameOptions, names: &[String]) -> Result<Vec<Arc<Link>>, Error> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let answered = base.link_names(options, &names)?;
        self.remembered.inc_by((names.len() - answered.searched) as u64);
        self.searched.inc_by(answered.searched as u64);
        Ok(answered.links)
    }
}

/// Finds mentions in documents, and links them where asked for.
pub(crate) struct ReadDocuments;

/// Task on documents: linking, or recognition alone.
#[derive(Clone, PartialEq)]
pub(crate) enum Task {
    Link(DocumentOptions),
    Recognize { nested: bool, abbreviations: bool },
}

impl Task {
    /// Returns the most memory that a document of some bytes takes with its mentions, in bytes.
    pub fn bytes_of(&self, length: usize) -> usize {
        match self {
            Self::Link(options) => options.names.bytes_of_document(length),
            Self::Recognize { .. } => NameOptions { top: 0, ..NameOptions::default() }.bytes_of_document(length),
        }
    }
}

impl Work for ReadDocuments {
    type Options = Task;
    type Item = Document;
    type Answer = LinkedDocument;

    fn bytes(document: &Document) -> usize {
        document.text.len()
    }

    fn answer(&self, base: &Base, task: &Task, documents: &[Document]) -> Result<Vec<LinkedDocument>, Error> {
        match task {
            Task::Link(options) => {
                let linker = base.linker_of_documents(options)?;
                let documents = documents.to_vec();
                if options.given_mentions { linker.link_mentions(documents) } else { linker.link_documents(documents) }
            }
            Task::Recognize { nested, abbreviations } => {
                recognize_all(&*base.recognizer(*nested)?, documents.to_vec(), *abbreviations)
            }
        }
    }
}
