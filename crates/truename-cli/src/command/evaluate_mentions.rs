//! `truename evaluate mentions`.

use std::cmp::Reverse;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use truename::{Recognizer, RecognizerOptions};
use truename_corpus::ReadOptions;
use truename_error::{counted, grouped};
use truename_eval::linked::MentionScores;
use truename_eval::mentions::{
    ErrorText, FoundDocuments, JudgedDocument, MentionError, MentionErrorKind, MentionReport, TrainingTexts,
};
use truename_eval::plot;

use crate::arguments::{EvaluateMentions, RecognizerArguments};
use crate::atomic_file;
use crate::command::evaluate_link::{header, row};
use crate::command::open_kb;
use crate::command::recognizer::recognizer;
use crate::documents::Documents;
use crate::exit_code::UsageError;
use crate::{interrupt, output};

pub fn run(arguments: &EvaluateMentions, quiet: bool) -> anyhow::Result<()> {
    let options = arguments.reading.options()?;
    let training = training(&arguments.train, &options, quiet)?;
    let mut source = open(arguments, &options, quiet)?;
    let mut judged = Vec::new();
    let mut documents = Documents::open(&arguments.gold, &options, quiet);
    for batch in documents.batches() {
        judged.extend(match &mut source {
            Source::Recognizer(recognizer) => {
                JudgedDocument::recognized(recognizer, batch, !arguments.recognizer.no_abbreviations)?
            }
            Source::Found(found) => found.judge(batch)?,
        });
    }
    let problems = documents.finish()?;
    let report = MentionReport::of(judged, &arguments.gold_types, training.as_ref(), arguments.errors as usize);
    write(&report.or_else(|error| problems.report_all(quiet).and(Err(error.into())))?, arguments)?;
    problems.report_all(quiet)
}

/// Counts the texts of the training corpora; none without corpora.
fn training(files: &[PathBuf], options: &ReadOptions, quiet: bool) -> anyhow::Result<Option<TrainingTexts>> {
    let mut texts = TrainingTexts::default();
    let mut documents = Documents::open(files, options, quiet);
    documents.documents().for_each(|document| texts.add(&document));
    documents.finish()?.report_all(quiet)?;
    Ok((!files.is_empty()).then_some(texts))
}

/// The mentions to score.
enum Source {
    Recognizer(Arc<dyn Recognizer>),
    Found(FoundDocuments),
}

fn open(arguments: &EvaluateMentions, options: &ReadOptions, quiet: bool) -> anyhow::Result<Source> {
    if arguments.found.is_empty() {
        let RecognizerArguments { kb, choice, nested, .. } = &arguments.recognizer;
        // The curve needs mentions on both sides of the threshold.
        let has_curve = arguments.plot.is_some() || arguments.json.is_some();
        let min_margin = if has_curve { MentionReport::MIN_MARGIN } else { 0.0 };
        let nested = nested.then_some(true);
        let options = RecognizerOptions { nested, typed: true, min_margin, ..RecognizerOptions::default() };
        return Ok(Source::Recognizer(recognizer(choice, || open_kb(kb), options)?));
    }
    let mut found = FoundDocuments::default();
    let mut documents = Documents::open(&arguments.found, options, quiet);
    documents.documents().for_each(|document| found.add(document));
    documents.finish()?.report_all(quiet)?;
    Ok(Source::Found(found))
}

fn write(report: &MentionReport, arguments: &EvaluateMentions) -> anyhow::Result<()> {
    let picture = match (&arguments.plot, &report.thresholds) {
        (Some(path), Some(curve)) => Some((path, plot::thresholds(curve))),
        (Some(_), None) => {
            return Err(UsageError("--plot needs mentions with scores, and these have none".into()).into());
        }
        (None, _) => None,
    };
    let _committing = interrupt::commit()?;
    let mut out = output::stdout();
    print(report, &mut out)?;
    out.finish()?;
    atomic_file::write_json(arguments.json.as_deref(), report)?;
    picture.map_or(Ok(()), |(path, picture)| atomic_file::write(path, &picture))
}

fn print(report: &MentionReport, out: &mut impl Write) -> std::io::Result<()> {
    let scores = &report.scores;
    let gold = counted(scores.all.mentions.strict.gold as u64, "mention");
    writeln!(out, "{}, {gold}", counted(scores.document_count as u64, "document"))?;
    header(out)?;
    let rows = |mentions: MentionScores| {
        let MentionScores { strict, start, end, loose, .. } = mentions;
        [("strict", strict), ("start", start), ("end", end), ("loose", loose)]
    };
    for (name, score) in rows(scores.all.mentions) {
        row(out, &format!("mentions, {name}"), score)?;
    }
    print_left_out(report, out)?;
    for (kind, of_type) in &scores.types {
        writeln!(out, "\n{}", if kind.is_empty() { "without a type" } else { kind })?;
        for (name, score) in rows(of_type.mentions) {
            match scores.types_compared.is_empty() {
                true => writeln!(out, "  mentions, {name:12}{:20.2}{:>30}", 100.0 * score.recall, score.gold)?,
                false => row(out, &format!("  mentions, {name}"), score)?,
            }
        }
    }
    if let Some(curve) = &report.thresholds {
        let (own, best) = (100.0 * curve.own.scores.f1, 100.0 * curve.best.scores.f1);
        writeln!(out, "\nF1 {own:.2} at the threshold; the best here, {best:.2}, at margin {}", curve.best.margin)?;
    }
    print_errors(report, out)
}

/// Writes what was not compared.
fn print_left_out(report: &MentionReport, out: &mut impl Write) -> std::io::Result<()> {
    let scores = &report.scores;
    if scores.undecided > 0 {
        writeln!(out, "(not compared: {} of unknown type)", counted(scores.undecided as u64, "mention"))?;
    }
    if scores.types_compared.is_empty() {
        return writeln!(out, "(types are not compared: recognizer or corpus has none)");
    }
    let others: Vec<String> =
        scores.other_types.iter().map(|(kind, count)| format!("{kind} {}", grouped(*count as u64))).collect();
    if !others.is_empty() {
        writeln!(out, "(found, of types that the corpus does not have: {})", others.join(", "))?;
    }
    Ok(())
}

fn print_errors(report: &MentionReport, out: &mut impl Write) -> std::io::Result<()> {
    let mut kinds: Vec<(&MentionErrorKind, &usize)> = report.error_kinds.iter().collect();
    kinds.sort_by_key(|(_, count)| Reverse(**count));
    let kinds: Vec<String> =
        kinds.into_iter().map(|(kind, count)| format!("{} {}", name(*kind), grouped(*count as u64))).collect();
    if !kinds.is_empty() {
        writeln!(out, "\nerrors: {}", kinds.join(", "))?;
    }
    if !report.errors.is_empty() {
        writeln!(out, "\nthe commonest errors, found ↔ gold")?;
    }
    report.errors.iter().try_for_each(|error| print_error(out, error))
}

fn name(kind: MentionErrorKind) -> &'static str {
    match kind {
        MentionErrorKind::Modifier => "modifier",
        MentionErrorKind::Genitive => "genitive",
        MentionErrorKind::Split => "split",
        MentionErrorKind::Merged => "merged",
        MentionErrorKind::WrongType => "wrong type",
        MentionErrorKind::Bounds => "other bounds",
        MentionErrorKind::Missed => "missed",
        MentionErrorKind::Spurious => "spurious",
    }
}

fn print_error(out: &mut impl Write, error: &MentionError) -> std::io::Result<()> {
    let text = |text: &ErrorText| match text.in_training {
        Some(count) => format!("“{}” ({})", text.text, grouped(count as u64)),
        None => format!("“{}”", text.text),
    };
    let side = |texts: &[ErrorText]| texts.iter().map(text).collect::<Vec<_>>().join(" / ");
    let sides = match (&error.found[..], &error.gold[..]) {
        ([], gold) => side(gold),
        (found, []) => side(found),
        (found, gold) => format!("{} ↔ {}", side(found), side(gold)),
    };
    let mention_type = match &error.found_type {
        Some(found) => format!("{found} ↔ {}", error.mention_type),
        None => error.mention_type.clone(),
    };
    let (document, byte) = &error.example;
    let comma = if mention_type.is_empty() { "" } else { ", " };
    writeln!(
        out,
        "{:6}  {}{comma}{mention_type}: {sides}; first in document {document} at byte {byte}",
        error.count,
        name(error.kind)
    )
}
