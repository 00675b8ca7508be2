//! `truename evaluate classes`.

use std::io::Write;

use truename_error::counted;
use truename_eval::{ClassReport, TextLayout, TextScores, read_texts};
use truename_infer::Classifier;

use crate::arguments::EvaluateClasses;
use crate::progress::watched;
use crate::{atomic_file, interrupt, output};

pub fn run(arguments: &EvaluateClasses, quiet: bool) -> anyhow::Result<()> {
    let classifier = Classifier::open(&arguments.texts.model)?;
    let gold = read_texts(&arguments.gold, &layout(arguments, &classifier))?;
    let positive = arguments.positive.as_deref();
    let report = watched(quiet, || ClassReport::of(&classifier, &gold, positive, &interrupt::progress()))?;
    let _committing = interrupt::commit()?;
    let mut out = output::stdout();
    match &report.scores {
        TextScores::Classes(scores) => writeln!(out, "{scores}")?,
        TextScores::Values(scores) => writeln!(out, "{scores}")?,
    }
    if report.truncated > 0 {
        let texts = counted(report.truncated as u64, "text");
        writeln!(out, "\n{texts} longer than the {} tokens that the model reads, and cut", classifier.config().window)?;
    }
    out.finish()?;
    atomic_file::write_json(arguments.json.as_deref(), &report)
}

fn layout(arguments: &EvaluateClasses, classifier: &Classifier) -> TextLayout {
    let (texts, label) = (&arguments.texts, arguments.label.clone());
    TextLayout {
        format: texts.input_format,
        has_header: !texts.table.no_header,
        delimiter: texts.table.delimiter.map(|said| said.0),
        skip_rows: texts.table.skip_rows,
        is_quoted: texts.quoted,
        ..TextLayout::of_model(classifier.config(), texts.first.clone(), texts.second.clone(), label)
    }
}
