//! `truename link`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use truename::{LinkOptions, LinkedDocument, Linker, RecognizerOptions, StopNames, assertion_rules};
use truename_corpus::{Losses, ReadOptions};
use truename_error::{counted, grouped};

use crate::arguments::{Given, Link, LinkFormat, Linking};
use crate::bars;
use crate::command::recognizer::recognizer;
use crate::command::{check_vectors, open_linker};
use crate::documents::{Documents, MentionColumns, Sink, SinkOptions, say_losses};
use crate::exit_code::UsageError;
use crate::names::added::{AddedColumns, AnswerOptions};
use crate::problems::TruncatedNames;
use crate::resumable_file::{ResumableFile, readable_again};
use crate::run_identity::RunIdentity;

/// Default number of candidates on a page.
const HTML_TOP: u32 = 5;

pub fn run(given: &Given<Link>, quiet: bool) -> anyhow::Result<()> {
    let (start, arguments) = (Instant::now(), &given.arguments);
    let reading = ReadOptions { mentions: arguments.mentions, ..arguments.documents.options()? };
    check(arguments)?;
    let top = arguments.top.unwrap_or(if arguments.format == LinkFormat::Html { HTML_TOP } else { 1 });
    let options = LinkOptions {
        top: top as usize,
        explain: arguments.explain,
        type_name: arguments.format.type_name(arguments.type_name.as_deref()),
        asserted: arguments.asserted,
        assertions: assertion_rules(arguments.assertions.as_deref())?,
        ..LinkOptions::default()
    };
    let linker = of_documents(open_linker(&arguments.kb, quiet)?, &arguments.linking, options)?;
    let answers = AnswerOptions { top: top as usize, suggest: false, explain: arguments.explain };
    let resumable = if arguments.resume { Some(resumable(given, &linker)?) } else { None };
    let mut sink = Sink::open(SinkOptions {
        format: arguments.format,
        out: arguments.out.as_deref(),
        offsets: arguments.documents.reading.offsets,
        columns: MentionColumns::Linked(AddedColumns::beside([], answers)),
        csv_safe: arguments.csv_safe,
        resumable: resumable.as_ref(),
    })?;
    let mut tally = Tally::default();
    let no_bar = quiet || bars::is_in_the_way(arguments.out.as_ref());
    let mut documents = Documents::open(&arguments.files, &reading, no_bar).strict(arguments.documents.strict);
    if let Some(resumable) = &resumable {
        documents.pass(resumable.items());
        tally.counts = resumable.counts();
        resumable.go_on();
    }
    let losses_before = tally.counts.losses;
    let mut linked = match arguments.mentions {
        true => linker.link_mention_stream(&mut documents),
        false => linker.link_stream(&mut documents),
    };
    while let Some(batch) = linked.next_batch().transpose()? {
        for linked in batch {
            tally.add(&linked);
            sink.write(&linked)?;
        }
        sink.flush()?;
        tally.counts.losses = losses_before + sink.losses();
        resumable.iter().try_for_each(|file| file.save(tally.counts.documents, &tally.counts))?;
    }
    let problems = documents.finish()?;
    if problems.allow_output() {
        sink.finish()?;
    }
    if !quiet {
        tally.report(start);
    }
    if arguments.mentions && tally.counts.documents > 0 && tally.counts.mentions == 0 {
        crate::say!("hint: no document has a mention; leave --mentions out to look for them");
    }
    problems.report(quiet)
}

/// Refuses options that would have no effect.
fn check(arguments: &Link) -> anyhow::Result<()> {
    let refused = |message: &str| Err(UsageError(message.into()).into());
    if arguments.explain && !matches!(arguments.format, LinkFormat::Jsonl | LinkFormat::Csv | LinkFormat::Html) {
        return refused("--explain needs --format jsonl, csv or html");
    }
    if arguments.csv_safe && arguments.format != LinkFormat::Csv {
        return refused("--csv-safe needs --format csv");
    }
    if arguments.resume && !arguments.format.is_resumable() {
        return refused(
            "--resume needs --format jsonl, csv, pubtator or conll; other formats are whole at their end alone",
        );
    }
    if arguments.asserted && arguments.assertions.as_deref().is_some_and(|path| path == Path::new("none")) {
        return refused("--asserted needs assertions, and --assertions none tells none");
    }
    Ok(())
}

/// Opens the output after what an earlier run wrote.
fn resumable(given: &Given<Link>, linker: &Linker) -> anyhow::Result<ResumableFile> {
    let arguments = &given.arguments;
    let Linking { stop_names, placeholders, recognizer, .. } = &arguments.linking;
    let named = [stop_names, &placeholders.placeholders, &recognizer.entity_types, &arguments.assertions];
    let named = named.into_iter().flatten().chain(&recognizer.recognizer).filter(|path| path.exists());
    let files = readable_again(&arguments.files.iter().chain(named).cloned().collect::<Vec<_>>())?;
    let out = arguments.out.as_deref().expect("--resume requires --out");
    ResumableFile::create(out, RunIdentity::of(linker, &given.options, &files)?)
}

/// Sets what the arguments say of documents.
pub fn of_documents(linker: Linker, linking: &Linking, options: LinkOptions) -> anyhow::Result<Linker> {
    let stop_names = Arc::new(linking.stop_names.as_deref().map(StopNames::read).transpose()?.unwrap_or_default());
    let explained = options.explain;
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
        min_probability: linking.nil.min_probability,
        explained,
        names: true,
        ..RecognizerOptions::default()
    };
    Ok(linker.with_recognizer(recognizer(&linking.recognizer, || Ok(kb), options)?))
}

#[derive(Default)]
struct Tally {
    counts: Counts,
    truncated: TruncatedNames,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Counts {
    documents: u64,
    mentions: u64,
    nil: u64,
    #[serde(flatten)]
    losses: Losses,
}

impl Tally {
    fn add(&mut self, linked: &LinkedDocument) {
        self.counts.documents += 1;
        self.counts.mentions += linked.mentions.len() as u64;
        self.counts.nil += linked.mentions.iter().filter(|mention| mention.link.is_nil).count() as u64;
        self.truncated.count(linked.mentions.iter().map(|mention| &*mention.link));
    }

    fn report(&self, start: Instant) {
        self.truncated.say();
        let Counts { documents, mentions, nil, losses } = self.counts;
        say_losses(losses);
        let seconds = start.elapsed().as_secs_f64();
        crate::say!(
            "{}: {}, {} linked, {} NIL ({seconds:.1} s, {} documents/s)",
            counted(documents, "document"),
            counted(mentions, "mention"),
            grouped(mentions - nil),
            grouped(nil),
            grouped((documents as f64 / seconds.max(1e-6)) as u64)
        );
    }
}
