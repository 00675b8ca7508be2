//! `truename evaluate link`.

use std::io::Write;

use truename::{LinkOptions, Linker};
use truename_corpus::TypeNames;
use truename_error::{counted, grouped};
use truename_eval::linked::{
    LinkError, LinkErrorKind, LinkEvaluation, LinkedScores, LinkingScores, PrecisionRecall, Reliability,
    ThresholdScores,
};

use crate::arguments::EvaluateLink;
use crate::command::link::of_documents;
use crate::command::{open_kb, with_encoder};
use crate::documents::Documents;
use crate::problems::TruncatedNames;
use crate::{atomic_file, interrupt};

pub fn run(arguments: &EvaluateLink, quiet: bool) -> anyhow::Result<()> {
    let options = arguments.documents.options()?;
    let kb = with_encoder(open_kb(&arguments.kb.kb)?, &arguments.kb.encoder, quiet)?;
    let linker = of_documents(Linker::new(kb)?, &arguments.linking, LinkOptions::default())?;
    let mut evaluation = LinkEvaluation::new(&linker, arguments.gold_types.clone())?;
    let names: TypeNames = arguments.type_names.iter().cloned().collect();
    let mut documents = Documents::open(&arguments.gold, &options, quiet);
    for mut batch in documents.batches() {
        if !arguments.type_names.is_empty() {
            batch.iter_mut().for_each(|document| names.apply(document));
        }
        evaluation.add(batch, &interrupt::progress())?;
    }
    let problems = documents.finish()?;
    if !quiet {
        let mut truncated = TruncatedNames::default();
        evaluation.truncated().iter().for_each(|name| truncated.add(name));
        truncated.say();
    }
    let scores = evaluation.scores().or_else(|error| problems.report_all(quiet).and(Err(error.into())))?;
    print(&scores, &evaluation.errors(), arguments.errors as usize)?;
    atomic_file::write_json(arguments.json.as_deref(), &scores)?;
    problems.report_all(quiet)
}

fn print(scores: &LinkedScores, errors: &[LinkError], shown: usize) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let all = &scores.all;
    writeln!(
        out,
        "{}, {}, {} of them with an id",
        counted(scores.document_count as u64, "document"),
        counted(all.mentions.strict.gold as u64, "mention"),
        grouped(all.linking.mentions as u64)
    )?;
    if scores.unknown_ids > 0 {
        let count = counted(scores.unknown_ids as u64, "mention");
        writeln!(out, "of these, {count} cannot be found: the knowledge base does not have the id")?;
    }
    header(&mut out)?;
    let rows = [
        ("mentions, strict", all.mentions.strict),
        ("mentions, start", all.mentions.start),
        ("mentions, end", all.mentions.end),
        ("mentions, loose", all.mentions.loose),
        ("mention and id", all.end_to_end),
        ("concepts by document", scores.documents),
        ("concepts of composites", scores.composites),
    ];
    for (name, score) in rows {
        row(&mut out, name, score)?;
    }
    linking_row(&mut out, "id of given mentions", all.linking)?;
    let others: Vec<&str> = scores
        .types
        .keys()
        .filter(|mention_type| !scores.types_compared.contains(*mention_type))
        .map(String::as_str)
        .collect();
    if !others.is_empty() {
        writeln!(out, "(not compared: the knowledge base has no type {})", others.join(" or "))?;
    }
    for (mention_type, of_type) in &scores.types {
        writeln!(out, "\n{}", if mention_type.is_empty() { "without a type" } else { mention_type })?;
        if scores.types_compared.contains(mention_type) {
            row(&mut out, "  mentions, strict", of_type.mentions.strict)?;
            row(&mut out, "  mention and id", of_type.end_to_end)?;
        } else {
            let PrecisionRecall { recall, gold, .. } = of_type.mentions.strict;
            writeln!(out, "  mentions, strict {:27.2}{:>30}", 100.0 * recall, gold)?;
        }
        linking_row(&mut out, "  id of given mentions", of_type.linking)?;
    }
    print_reliability(&mut out, &scores.reliability)?;
    if shown > 0 && !errors.is_empty() {
        writeln!(out, "\nthe commonest errors")?;
    }
    errors.iter().take(shown).try_for_each(|error| print_error(&mut out, error))
}

/// Writes precision and recall of links by their probability, and the calibration error.
fn print_reliability(out: &mut impl Write, reliability: &Reliability) -> std::io::Result<()> {
    if reliability.bins.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nmention and id, by probability; calibration error {:.3}", reliability.calibration_error)?;
    header(out)?;
    for ThresholdScores { threshold, scores, .. } in reliability.thresholds.iter().filter(|one| one.scores.found > 0) {
        row(out, &format!("at least {threshold:.2}"), *scores)?;
    }
    Ok(())
}

/// Writes the heads of the columns of [`row`].
pub(super) fn header(out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "\n{:24}{:>10}{:>10}{:>10}{:>10}{:>10}", "", "precision", "recall", "F1", "found", "gold")
}

/// Writes a row of scores in percent; none if there is no gold mention.
pub(super) fn row(out: &mut impl Write, name: &str, score: PrecisionRecall) -> std::io::Result<()> {
    let PrecisionRecall { precision, recall, f1, found, gold, .. } = score;
    if gold == 0 {
        return Ok(());
    }
    writeln!(out, "{name:24}{:10.2}{:10.2}{:10.2}{found:10}{gold:10}", 100.0 * precision, 100.0 * recall, 100.0 * f1)
}

/// Writes a row of linking scores; none if no gold mention has an id.
fn linking_row(out: &mut impl Write, name: &str, scores: LinkingScores) -> std::io::Result<()> {
    if scores.mentions == 0 {
        return Ok(());
    }
    let [first, fifth] = [scores.accuracy_1, scores.accuracy_5].map(|share| 100.0 * share);
    writeln!(out, "{name:24}acc@1 {first:.2} %  acc@5 {fifth:.2} %")
}

fn print_error(out: &mut impl Write, error: &LinkError) -> std::io::Result<()> {
    let LinkError { kind, text, gold, found, count, example } = error;
    let said = match kind {
        LinkErrorKind::Missed => format!("missed “{text}” ({gold})"),
        LinkErrorKind::Spurious => format!("found “{text}” ({found}), where the corpus has no mention"),
        LinkErrorKind::Bounds => format!("found “{found}” for “{gold}”"),
        LinkErrorKind::WrongId => format!("“{text}” is {gold}, answered {found}"),
    };
    writeln!(out, "{count:6}  {said}; first in document {} at byte {}", example.0, example.1)
}
