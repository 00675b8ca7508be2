//! `truename link`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use truename::{LinkOptions, LinkedDocument, Linker, RecognizerOptions, StopNames, assertion_rules};
use truename_corpus::ReadOptions;
use truename_error::{counted, grouped};

use crate::arguments::{Link, LinkFormat, Linking};
use crate::bars;
use crate::command::recognizer::recognizer;
use crate::command::{check_vectors, open_linker};
use crate::documents::{Documents, Sink};
use crate::exit_code::UsageError;
use crate::problems::TruncatedNames;

/// Default number of candidates on a page.
const HTML_TOP: u32 = 5;

pub fn run(arguments: &Link, quiet: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let reading = ReadOptions { mentions: arguments.mentions, ..arguments.documents.options()? };
    check(arguments)?;
    let top = arguments.top.unwrap_or(if arguments.format == LinkFormat::Html { HTML_TOP } else { 1 });
    let options = LinkOptions {
        top: top as usize,
        explain: arguments.explain,
        asserted: arguments.asserted,
        assertions: assertion_rules(arguments.assertions.as_deref())?,
        ..LinkOptions::default()
    };
    let linker = of_documents(open_linker(&arguments.kb, quiet)?, &arguments.linking, options)?;
    let mut sink = Sink::open(arguments.format, arguments.out.as_deref(), arguments.documents.offsets)?;
    let mut tally = Tally::default();
    let no_bar = quiet || bars::is_in_the_way(arguments.out.as_ref());
    let mut documents = Documents::open(&arguments.files, &reading, no_bar);
    let link = if arguments.mentions { Linker::link_mentions } else { Linker::link_documents };
    for batch in documents.batches() {
        for linked in link(&linker, batch)? {
            tally.add(&linked);
            sink.write(&linked)?;
        }
        sink.flush()?;
    }
    let problems = documents.finish()?;
    if tally.documents > 0 || problems.is_empty() {
        sink.finish()?;
    }
    if !quiet {
        tally.report(start);
    }
    if arguments.mentions && tally.documents > 0 && tally.mentions == 0 {
        crate::say!("hint: no document has a mention; leave --mentions out to look for them");
    }
    problems.report(quiet)
}

/// Refuses options that would have no effect.
fn check(arguments: &Link) -> anyhow::Result<()> {
    if arguments.explain && !matches!(arguments.format, LinkFormat::Jsonl | LinkFormat::Html) {
        return Err(UsageError("--explain needs --format jsonl or html".into()).into());
    }
    if arguments.asserted && arguments.assertions.as_deref().is_some_and(|path| path == Path::new("none")) {
        return Err(UsageError("--asserted needs assertions, and --assertions none tells none".into()).into());
    }
    Ok(())
}

/// Sets what the arguments say of documents.
pub fn of_documents(linker: Linker, linking: &Linking, options: LinkOptions) -> anyhow::Result<Linker> {
    let stop_names = Arc::new(linking.stop_names.as_deref().map(StopNames::read).transpose()?.unwrap_or_default());
    let options = LinkOptions {
        stop_names: Arc::clone(&stop_names),
        encode_in_context: linking.encode_in_context,
        placeholders: linking.placeholders.read()?,
        nested: linking.nested,
        composites: linking.composites,
        abbreviations: !linking.no_abbreviations,
        ambiguous: linking.ambiguous.into(),
        one_sense: linking.one_sense,
        neighbours: linking.neighbours,
        typed: linking.typed,
        ..linking.concepts.apply(linking.nil.apply(options))
    };
    let kb = linker.knowledge_base().clone();
    check_vectors("--encode-in-context", linking.encode_in_context, kb.encoder()?.is_some())?;
    let linker = linker.with_options(options)?;
    let linker = if linking.no_context { linker.without_context() } else { linker };
    if linking.recognizer.are_default() {
        return Ok(linker);
    }
    let options = RecognizerOptions {
        nested: linking.nested.then_some(true),
        composites: linking.composites,
        types: linking.concepts.types.clone(),
        without_aliases: linking.concepts.without_aliases.clone(),
        stop_names,
        ..RecognizerOptions::default()
    };
    Ok(linker.with_recognizer(recognizer(&linking.recognizer, || Ok(kb), options)?))
}

#[derive(Default)]
struct Tally {
    documents: u64,
    mentions: u64,
    nil: u64,
    truncated: TruncatedNames,
}

impl Tally {
    fn add(&mut self, linked: &LinkedDocument) {
        self.documents += 1;
        self.mentions += linked.mentions.len() as u64;
        self.nil += linked.mentions.iter().filter(|mention| mention.link.is_nil).count() as u64;
        self.truncated.count(linked.mentions.iter().map(|mention| &*mention.link));
    }

    fn report(&self, start: Instant) {
        self.truncated.say();
        let seconds = start.elapsed().as_secs_f64();
        crate::say!(
            "{}: {}, {} linked, {} NIL ({seconds:.1} s, {} documents/s)",
            counted(self.documents, "document"),
            counted(self.mentions, "mention"),
            grouped(self.mentions - self.nil),
            grouped(self.nil),
            grouped((self.documents as f64 / seconds.max(1e-6)) as u64)
        );
    }
}
