//! `truename evaluate classes`.

use std::io::Write;

use serde::Serialize;
use truename_eval::{ClassScores, LabelledText, TextLayout, ValueScores, malformed_text, read_texts};
use truename_infer::{Classification, Classifier, ClassifyText};

use crate::arguments::EvaluateClasses;
use crate::count::counted;
use crate::exit_code::UsageError;
use crate::names::classified::{check_pair, columns};
use crate::{atomic_file, bars, interrupt, output};

/// Texts classified between two looks at the switch that stops the work.
const TOGETHER: usize = 256;

pub fn run(arguments: &EvaluateClasses, quiet: bool) -> anyhow::Result<()> {
    let classifier = Classifier::open(&arguments.texts.model)?;
    let gold = read_texts(&arguments.gold, &layout(arguments, &classifier))?;
    check_pair(gold[0].second.is_some(), classifier.config())?;
    let truth = Truth::of(&gold, arguments, &classifier)?;
    let (found, truncated) = found(&gold, &classifier, quiet)?;
    let report = Report { scores: truth.scores(&found, arguments, &classifier), truncated };
    let _committing = interrupt::commit()?;
    let mut out = output::stdout();
    match &report.scores {
        Scores::Classes(scores) => writeln!(out, "{scores}")?,
        Scores::Values(scores) => writeln!(out, "{scores}")?,
    }
    if truncated > 0 {
        let texts = counted(truncated as u64, "text");
        writeln!(out, "\n{texts} longer than the {} tokens that the model reads, and cut", classifier.config().window)?;
    }
    out.finish()?;
    match &arguments.json {
        Some(path) => atomic_file::write(path, &(serde_json::to_string_pretty(&report)? + "\n")),
        None => Ok(()),
    }
}

fn layout(arguments: &EvaluateClasses, classifier: &Classifier) -> TextLayout {
    let (texts, config) = (&arguments.texts, classifier.config());
    let (first, second) = columns(texts, config);
    let label = arguments.label.clone().or_else(|| config.label_column.clone());
    TextLayout {
        first,
        second,
        label: label.unwrap_or_else(|| TextLayout::default().label),
        format: texts.input_format,
        has_header: !texts.table.no_header,
        delimiter: texts.table.delimiter.map(|said| said.0),
        skip_rows: texts.table.skip_rows,
        is_quoted: texts.quoted,
    }
}

/// The gold labels or values.
enum Truth<'a> {
    Labels(Vec<&'a str>),
    Values(Vec<f64>),
}

impl<'a> Truth<'a> {
    fn of(gold: &'a [LabelledText], arguments: &EvaluateClasses, classifier: &Classifier) -> anyhow::Result<Self> {
        let labels = classifier.labels();
        let malformed = |text: &LabelledText, message| malformed_text(&text.file, text.line, message);
        if classifier.config().is_regression() {
            let value = |text: &'a LabelledText| match text.label.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(value),
                _ => Err(malformed(text, format!("the value \"{}\" is not a number", text.label))),
            };
            return Ok(Self::Values(gold.iter().map(value).collect::<Result<_, _>>()?));
        }
        if let Some(unknown) = gold.iter().find(|text| !labels.contains(&text.label)) {
            let message = format!("the model has no label \"{}\", only {}", unknown.label, labels.join(", "));
            return Err(malformed(unknown, message).into());
        }
        if let Some(positive) = arguments.positive.as_ref().filter(|positive| !labels.contains(positive)) {
            let message = format!("--positive: the model has no label \"{positive}\", only {}", labels.join(", "));
            return Err(UsageError(message).into());
        }
        Ok(Self::Labels(gold.iter().map(|text| text.label.as_str()).collect()))
    }

    fn scores(&self, found: &[Vec<f32>], arguments: &EvaluateClasses, classifier: &Classifier) -> Scores {
        let config = classifier.config();
        match self {
            Self::Labels(gold) => {
                let found: Vec<&str> = found.iter().map(|scores| config.best(scores).0).collect();
                let positive = arguments.positive.as_deref().or(config.positive.as_deref());
                Scores::Classes(ClassScores::of(gold, &found, positive))
            }
            Self::Values(gold) => {
                let found: Vec<f64> = found.iter().map(|value| f64::from(value[0])).collect();
                Scores::Values(ValueScores::of(gold, &found))
            }
        }
    }
}

/// Returns the scores of all texts, and the number of texts that were cut.
fn found(gold: &[LabelledText], classifier: &Classifier, quiet: bool) -> anyhow::Result<(Vec<Vec<f32>>, usize)> {
    let (mut found, mut cut) = (Vec::with_capacity(gold.len()), 0);
    let bar = bars::bar(gold.len() as u64, bars::STEPS, quiet);
    for texts in gold.chunks(TOGETHER) {
        interrupt::check()?;
        let texts: Vec<ClassifyText<'_>> =
            texts.iter().map(|text| ClassifyText { first: &text.first, second: text.second.as_deref() }).collect();
        let Classification { scores, truncated, .. } = classifier.classify(&texts)?;
        bar.inc(scores.len() as u64);
        found.extend(scores);
        cut += truncated.len();
    }
    bar.finish_and_clear();
    Ok((found, cut))
}

/// The scores, as `--json` has them.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    scores: Scores,
    /// Number of texts that were cut to the window.
    truncated: usize,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Scores {
    Classes(ClassScores),
    Values(ValueScores),
}
