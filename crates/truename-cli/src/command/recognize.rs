//! `truename recognize`.

use std::collections::BTreeMap;
use std::time::Instant;

use truename::{LinkedDocument, RecognizerOptions, recognize_all};
use truename_corpus::ReadOptions;
use truename_error::{counted, grouped};

use crate::arguments::{LinkFormat, Recognize};
use crate::bars;
use crate::command::open_kb;
use crate::command::recognizer::recognizer;
use crate::documents::{Documents, MentionColumns, Sink, SinkOptions, say_losses};
use crate::exit_code::UsageError;

pub fn run(arguments: &Recognize, quiet: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let nested = if arguments.nested || arguments.flat { Some(arguments.nested) } else { None };
    let composites = arguments.composites;
    let options = RecognizerOptions { nested, composites, typed: true, ..RecognizerOptions::default() };
    let recognizer = recognizer(&arguments.recognizer, || open_kb(&arguments.kb), options)?;
    let reading = ReadOptions { mentions: false, ..arguments.documents.options()? };
    if arguments.csv_safe && arguments.format != LinkFormat::Csv {
        return Err(UsageError("--csv-safe needs --format csv".into()).into());
    }
    let type_name = arguments.format.type_name(arguments.type_name.as_deref());
    let mut sink = Sink::open(SinkOptions {
        format: arguments.format,
        out: arguments.out.as_deref(),
        offsets: arguments.documents.reading.offsets,
        columns: MentionColumns::Recognized,
        csv_safe: arguments.csv_safe,
        resumable: None,
    })?;
    let mut tally = Tally::default();
    let no_bar = quiet || bars::is_in_the_way(arguments.out.as_ref());
    let mut documents = Documents::open(&arguments.files, &reading, no_bar).strict(arguments.documents.strict);
    for batch in documents.batches() {
        for mut found in recognize_all(recognizer.as_ref(), batch, !arguments.no_abbreviations)? {
            type_name.iter().for_each(|name| found.set_missing_types(name));
            tally.add(&found);
            sink.write(&found)?;
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

#[derive(Default)]
struct Tally {
    documents: u64,
    mentions: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, found: &LinkedDocument) {
        self.documents += 1;
        for mention in &found.mentions {
            *self.mentions.entry(mention.types.first().cloned().unwrap_or_default()).or_default() += 1;
        }
    }

    fn report(&self, start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        let types = self.mentions.iter().filter(|(mention_type, _)| !mention_type.is_empty());
        let types: Vec<String> =
            types.map(|(mention_type, count)| format!("{mention_type} {}", grouped(*count))).collect();
        let types = if types.is_empty() { String::new() } else { format!(" ({})", types.join(", ")) };
        crate::say!(
            "{}: {}{types} ({seconds:.1} s, {} documents/s)",
            counted(self.documents, "document"),
            counted(self.mentions.values().sum(), "mention"),
            grouped((self.documents as f64 / seconds.max(1e-6)) as u64)
        );
    }
}
