//! `truename match`.

use std::time::Instant;

use truename::{LinkOptions, Linker};

use crate::arguments::{Given, Match, OutputFormat};
use crate::bars;
use crate::command::{check_vectors, open_linker};
use crate::exit_code::UsageError;
use crate::output::stdout;
use crate::resumable_file::{ResumableFile, readable_again};
use crate::run_identity::RunIdentity;
use crate::{interrupt, names};

/// Default number of candidates in JSONL.
const JSONL_TOP: u32 = 5;

pub fn run(given: &Given<Match>, quiet: bool) -> anyhow::Result<()> {
    let arguments = &given.arguments;
    if arguments.worker {
        interrupt::stop_with_stdin();
        // The process that began it counts the parts.
        bars::hide();
    }
    // What is said of the knowledge base is not said by each worker.
    let linker = open_linker(&arguments.kb, quiet || arguments.worker)?.with_options(link_options(arguments)?)?;
    let has_encoder = linker.knowledge_base().encoder()?.is_some();
    check_vectors("--vote", arguments.vote > 0, has_encoder)?;
    check_vectors("--encode-in-context", arguments.encode_in_context, has_encoder)?;
    if arguments.context_column.is_some() {
        check_context(&linker)?;
    }
    let start = Instant::now();
    let resumable = if arguments.resume { Some(resumable(given, &linker)?) } else { None };
    let run = names::MatchRun { arguments, resumable: resumable.as_ref() };
    let (tally, malformed) = names::run(run, &linker, quiet)?;
    if !quiet {
        malformed.say();
        tally.say_notes();
    }
    if arguments.worker {
        let mut out = stdout();
        serde_json::to_writer(&mut out, &tally.counts)?;
        return out.finish();
    }
    if !quiet {
        tally.counts.report(start, arguments.suggest);
    }
    Ok(())
}

/// Opens the output after what an earlier run wrote.
fn resumable(given: &Given<Match>, linker: &Linker) -> anyhow::Result<ResumableFile> {
    let arguments = &given.arguments;
    let files = arguments.files.iter().chain(&arguments.placeholders.placeholders).cloned();
    let files = readable_again(&files.collect::<Vec<_>>())?;
    let out = arguments.out.as_deref().expect("--resume requires --out");
    ResumableFile::create(out, RunIdentity::of(linker, &given.options, &files)?)
}

/// Refuses a knowledge base without a model that reads context.
fn check_context(linker: &Linker) -> anyhow::Result<()> {
    if !linker.reads_context()? {
        let message = "--context-column needs a knowledge base with a model that reads texts (`truename kb models add`), or --encode-in-context";
        return Err(UsageError(message.into()).into());
    }
    Ok(())
}

fn link_options(arguments: &Match) -> Result<LinkOptions, truename::Error> {
    let jsonl = arguments.format == OutputFormat::Jsonl;
    let options = arguments.concepts.apply(arguments.nil.apply(LinkOptions::default()));
    Ok(LinkOptions {
        top: arguments.top.unwrap_or(if jsonl { JSONL_TOP } else { 1 }) as usize,
        vote: arguments.vote as usize,
        explain: arguments.explain,
        encode_in_context: arguments.encode_in_context,
        composites: arguments.composites,
        placeholders: arguments.placeholders.read()?,
        ..options
    })
}
