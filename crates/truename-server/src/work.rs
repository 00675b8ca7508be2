//! The work of the two lanes: names, and documents.

use std::sync::Arc;

use truename::{Document, Error, Link, LinkedDocument, recognize_all};

use crate::base::{Base, DocumentOptions, NameOptions};
use crate::metrics::Counted;
use crate::queue::Work;

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
        self.remembered.inc_by(answered.remembered as u64);
        self.searched.inc_by((names.len() - answered.remembered) as u64);
        Ok(answered.links)
    }
}

/// Finds mentions in documents, and links them where asked for.
pub(crate) struct ReadDocuments;

/// Task on documents: linking, or recognition alone.
#[derive(PartialEq)]
pub(crate) enum Task {
    Link(DocumentOptions),
    Recognize { nested: bool, abbreviations: bool },
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
            Task::Link(options) => base.pipeline(options)?.link_all(documents.to_vec()),
            Task::Recognize { nested, abbreviations } => {
                recognize_all(&*base.recognizer(*nested)?, documents.to_vec(), *abbreviations)
            }
        }
    }
}
