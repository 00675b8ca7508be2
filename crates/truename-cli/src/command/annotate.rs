//! `truename annotate`.

use std::collections::BTreeMap;
use std::time::Instant;

use truename::{Annotator, Document, KnowledgeBase, Mention};
use truename_corpus::ReadOptions;
use truename_error::{Error, ErrorKind, counted, grouped};

use crate::arguments::Annotate;
use crate::bars;
use crate::command::open_kb;
use crate::documents::{CorpusSink, Documents, say_losses};

pub fn run(arguments: &Annotate, quiet: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let options = ReadOptions { mentions: false, ..arguments.documents.options()? };
    let annotator = annotator(open_kb(&arguments.kb)?, arguments)?;
    let offsets = arguments.documents.reading.offsets;
    let mut sink = CorpusSink::open(arguments.format.into(), arguments.out.as_deref(), offsets)?;
    let mut tally = Tally::default();
    let no_bar = quiet || bars::is_in_the_way(arguments.out.as_ref());
    let mut documents = Documents::open(&arguments.files, &options, no_bar).strict(arguments.documents.strict);
    for batch in documents.batches() {
        for document in annotator.annotate(batch)? {
            tally.add(&document);
            sink.write(&document)?;
        }
        sink.flush()?;
    }
    let (problems, losses) = (documents.finish()?, sink.losses());
    if problems.allow_output() {
        sink.finish()?;
    }
    if !quiet {
        say_losses(losses);
        tally.report(start);
    }
    problems.report(quiet)
}

fn annotator(kb: KnowledgeBase, arguments: &Annotate) -> anyhow::Result<Annotator> {
    if arguments.mention_type.is_none() && kb.types()?.is_empty() {
        let message = format!("the concepts of {} have no types", kb.path().display());
        let hint = "--type NAME gives all labels one type; `truename kb import --type-column COLUMN` reads types";
        return Err(Error::new(ErrorKind::Choice, message).with_hint(hint).into());
    }
    let annotator =
        Annotator::new(kb).nested(arguments.nested).with_ids(arguments.ids).abbreviations(!arguments.no_abbreviations);
    Ok(match &arguments.mention_type {
        Some(mention_type) => annotator.of_type(mention_type),
        None => annotator,
    })
}

#[derive(Default)]
struct Tally {
    documents: u64,
    /// Number of labels by type.
    labels: BTreeMap<String, u64>,
    unknown: u64,
}

impl Tally {
    fn add(&mut self, document: &Document) {
        self.documents += 1;
        for label in &document.mentions {
            match label.mention_type == Mention::UNKNOWN {
                true => self.unknown += 1,
                false => *self.labels.entry(label.mention_type.clone()).or_default() += 1,
            }
        }
    }

    fn report(&self, start: Instant) {
        let labels: u64 = self.labels.values().sum();
        let by_type: Vec<String> =
            self.labels.iter().map(|(mention_type, count)| format!("{mention_type} {}", grouped(*count))).collect();
        let by_type = if by_type.is_empty() { String::new() } else { format!(" ({})", by_type.join(", ")) };
        crate::say!(
            "{}: {}{by_type}, {} of unknown type ({:.1} s)",
            counted(self.documents, "document"),
            counted(labels, "label"),
            grouped(self.unknown),
            start.elapsed().as_secs_f64()
        );
    }
}
