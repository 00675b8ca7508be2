//! `truename evaluate mentions`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;
use truename::{Document, Mention, Reading, RecognizedMention, Recognizer};
use truename_corpus::ReadOptions;
use truename_eval::linked::MentionScores;
use truename_eval::mentions::{
    ErrorText, FoundMention, JudgedDocument, Margins, MentionError, MentionErrorKind, MentionErrors, RecognitionScores,
    ThresholdCurve, TrainingTexts,
};
use truename_eval::plot;

use crate::arguments::{EvaluateMentions, RecognizerArguments};
use crate::atomic_file;
use crate::command::evaluate_link::{header, row, type_note};
use crate::command::open_kb;
use crate::command::recognizer::{Options, recognizer};
use crate::count::{counted, grouped};
use crate::documents::read;
use crate::exit_code::UsageError;
use crate::{interrupt, output};

/// Margin below the threshold down to which spans are in the curve.
const MARGIN: f64 = 5.0;
/// Number of points of the threshold curve.
const CURVE_POINTS: usize = 41;

pub fn run(arguments: &EvaluateMentions, quiet: bool) -> anyhow::Result<()> {
    let options = arguments.reading.options()?;
    let training = training(&arguments.train, &options, quiet)?;
    let mut source = Source::open(arguments, &options, quiet)?;
    let mut judged = Vec::new();
    let problems = read(&arguments.gold, &options, quiet, |documents| {
        judged.extend(source.judge(documents)?);
        Ok(())
    })?;
    judged.iter_mut().for_each(|document| keep_types(document, &arguments.gold_types));
    let mut gold = judged.iter().flat_map(|document| &document.gold);
    if gold.all(|mention| mention.mention_type == Mention::UNKNOWN) {
        problems.report(quiet)?;
        anyhow::bail!("the corpus has no mention to compare with{}", type_note(&arguments.gold_types));
    }
    Report::of(&judged, training.as_ref(), arguments.errors as usize).write(arguments)?;
    problems.report(quiet)
}

/// Counts the texts of the training corpora; none without corpora.
fn training(files: &[PathBuf], options: &ReadOptions, quiet: bool) -> anyhow::Result<Option<TrainingTexts>> {
    let mut texts = TrainingTexts::default();
    let problems = read(files, options, quiet, |documents| {
        documents.iter().for_each(|document| texts.add(document));
        Ok(())
    })?;
    problems.report(quiet)?;
    Ok((!files.is_empty()).then_some(texts))
}

/// Keeps the mentions of the types asked for, those without a type and those of unknown type.
fn keep_types(document: &mut JudgedDocument, types: &[String]) {
    let types: Vec<String> = types.iter().map(|mention_type| mention_type.to_lowercase()).collect();
    if !types.is_empty() {
        let is_kept =
            |mention_type: &str| mention_type == Mention::UNKNOWN || types.contains(&mention_type.to_lowercase());
        document.gold.retain(|mention| is_kept(&mention.mention_type));
        document.found.retain(|mention| mention.mention_type.is_empty() || is_kept(&mention.mention_type));
    }
}

/// The mentions to score.
enum Source<'a> {
    Recognizer {
        recognizer: Box<dyn Recognizer>,
        arguments: &'a RecognizerArguments,
    },
    /// Documents of another tool by id, in order.
    Found(HashMap<String, VecDeque<Document>>),
}

impl<'a> Source<'a> {
    fn open(arguments: &'a EvaluateMentions, options: &ReadOptions, quiet: bool) -> anyhow::Result<Self> {
        if arguments.found.is_empty() {
            let RecognizerArguments { kb, choice, nested, .. } = &arguments.recognizer;
            // The curve needs mentions on both sides of the threshold.
            let min_margin = if arguments.plot.is_some() || arguments.json.is_some() { -MARGIN } else { 0.0 };
            let options = Options { nested: nested.then_some(true), typed: true, min_margin, ..Options::default() };
            let recognizer = recognizer(choice, || Ok(open_kb(kb)?), &options)?;
            return Ok(Self::Recognizer { recognizer, arguments: &arguments.recognizer });
        }
        let mut found: HashMap<String, VecDeque<Document>> = HashMap::new();
        let problems = read(&arguments.found, options, quiet, |documents| {
            documents.into_iter().for_each(|one| found.entry(one.id.clone()).or_default().push_back(one));
            Ok(())
        })?;
        problems.report(quiet)?;
        Ok(Self::Found(found))
    }

    /// Adds the found mentions to documents with gold mentions.
    fn judge(&mut self, documents: Vec<Document>) -> anyhow::Result<Vec<JudgedDocument>> {
        let found = match self {
            Self::Recognizer { recognizer, arguments } => recognize(recognizer.as_ref(), arguments, &documents)?,
            Self::Found(found) => {
                documents.iter().map(|document| mentions_of_same(document, found)).collect::<Result<_, _>>()?
            }
        };
        let judged = |(document, found): (Document, Vec<FoundMention>)| JudgedDocument {
            id: document.id,
            text: document.text,
            gold: document.mentions,
            found,
        };
        Ok(documents.into_iter().zip(found).map(judged).collect())
    }
}

fn recognize(
    recognizer: &dyn Recognizer,
    arguments: &RecognizerArguments,
    documents: &[Document],
) -> Result<Vec<Vec<FoundMention>>, truename::Error> {
    let read = if arguments.no_abbreviations { Reading::without_abbreviations } else { Reading::new };
    let mut readings: Vec<Reading<'_>> = documents.iter().map(read).collect();
    let recognized = recognizer.recognize(&mut readings)?;
    // A tentative mention is none unless a linker confirms it.
    let found =
        |recognized: Vec<RecognizedMention>| recognized.into_iter().filter(|one| !one.tentative).map(found).collect();
    Ok(recognized.into_iter().map(found).collect())
}

/// Returns a mention to score, with the margin of its score above the threshold.
fn found(recognized: RecognizedMention) -> FoundMention {
    let RecognizedMention { span, fragments, mention_type, score, threshold, .. } = recognized;
    let margin = score.zip(threshold).map(|(score, threshold)| score - threshold);
    FoundMention { span, fragments, mention_type, margin }
}

/// Returns the mentions of the next found document with the id.
fn mentions_of_same(
    document: &Document,
    found: &mut HashMap<String, VecDeque<Document>>,
) -> anyhow::Result<Vec<FoundMention>> {
    let same = found.get_mut(&document.id).and_then(VecDeque::pop_front);
    let same = same.with_context(|| format!("--found has no document \"{}\"", document.id))?;
    // PubTator has spaces in place of line breaks.
    let letters = |text: &str| text.replace(char::is_whitespace, " ");
    anyhow::ensure!(
        same.text.len() == document.text.len() && letters(&same.text) == letters(&document.text),
        "document \"{}\" has another text in --found",
        document.id
    );
    let mention = |mention: Mention| FoundMention {
        fragments: mention.fragments,
        ..FoundMention::new(mention.span, mention.mention_type)
    };
    Ok(same.mentions.into_iter().map(mention).collect())
}

/// Returns whether types can be compared: some gold mention has one, and some found one unless there is none.
fn has_types(judged: &[JudgedDocument]) -> bool {
    let mut found = judged.iter().flat_map(|document| &document.found).peekable();
    let mut gold = judged.iter().flat_map(|document| &document.gold);
    let is_found = found.peek().is_none() || found.any(|mention| !mention.mention_type.is_empty());
    is_found && gold.any(|mention| !mention.mention_type.is_empty() && mention.mention_type != Mention::UNKNOWN)
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    scores: RecognitionScores,
    /// Number of errors by kind.
    error_kinds: BTreeMap<MentionErrorKind, usize>,
    /// The commonest errors.
    errors: Vec<MentionError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thresholds: Option<ThresholdCurve>,
}

impl Report {
    fn of(judged: &[JudgedDocument], training: Option<&TrainingTexts>, shown: usize) -> Self {
        let compare_types = has_types(judged);
        let MentionErrors { kinds, mut errors, .. } = MentionErrors::of(judged, compare_types, training);
        errors.truncate(shown);
        Self {
            scores: RecognitionScores::of(judged, compare_types),
            error_kinds: kinds,
            errors,
            thresholds: ThresholdCurve::of(judged, compare_types, Margins::Quantiles { points: CURVE_POINTS }),
        }
    }

    fn write(&self, arguments: &EvaluateMentions) -> anyhow::Result<()> {
        let picture = match (&arguments.plot, &self.thresholds) {
            (Some(path), Some(curve)) => Some((path, plot::thresholds(curve))),
            (Some(_), None) => {
                return Err(UsageError("--plot needs mentions with scores, and these have none".into()).into());
            }
            (None, _) => None,
        };
        let _committing = interrupt::commit()?;
        let mut out = output::stdout();
        self.print(&mut out)?;
        out.finish()?;
        if let Some(path) = &arguments.json {
            atomic_file::write(path, &(serde_json::to_string_pretty(self)? + "\n"))?;
        }
        picture.map_or(Ok(()), |(path, picture)| atomic_file::write(path, &picture))
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        let scores = &self.scores;
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
        self.print_left_out(out)?;
        for (mention_type, of_type) in &scores.types {
            writeln!(out, "\n{}", if mention_type.is_empty() { "without a type" } else { mention_type })?;
            for (name, score) in rows(of_type.mentions) {
                match scores.types_compared.is_empty() {
                    true => writeln!(out, "  mentions, {name:12}{:20.2}{:>30}", 100.0 * score.recall, score.gold)?,
                    false => row(out, &format!("  mentions, {name}"), score)?,
                }
            }
        }
        if let Some(curve) = &self.thresholds {
            let (own, best) = (100.0 * curve.own.scores.f1, 100.0 * curve.best.scores.f1);
            writeln!(out, "\nF1 {own:.2} at the threshold; the best here, {best:.2}, at margin {}", curve.best.margin)?;
        }
        self.print_errors(out)
    }

    /// Writes what was not compared.
    fn print_left_out(&self, out: &mut impl Write) -> std::io::Result<()> {
        let scores = &self.scores;
        if scores.undecided > 0 {
            writeln!(out, "(not compared: {} of unknown type)", counted(scores.undecided as u64, "mention"))?;
        }
        if scores.types_compared.is_empty() {
            return writeln!(out, "(types are not compared: recognizer or corpus has none)");
        }
        let others: Vec<String> = scores
            .other_types
            .iter()
            .map(|(mention_type, count)| format!("{mention_type} {}", grouped(*count as u64)))
            .collect();
        if !others.is_empty() {
            writeln!(out, "(found, of types that the corpus does not have: {})", others.join(", "))?;
        }
        Ok(())
    }

    fn print_errors(&self, out: &mut impl Write) -> std::io::Result<()> {
        let mut kinds: Vec<(&MentionErrorKind, &usize)> = self.error_kinds.iter().collect();
        kinds.sort_by_key(|(_, count)| Reverse(**count));
        let kinds: Vec<String> =
            kinds.into_iter().map(|(kind, count)| format!("{} {}", name(*kind), grouped(*count as u64))).collect();
        if !kinds.is_empty() {
            writeln!(out, "\nerrors: {}", kinds.join(", "))?;
        }
        if !self.errors.is_empty() {
            writeln!(out, "\nthe commonest errors, found ↔ gold")?;
        }
        self.errors.iter().try_for_each(|error| print_error(out, error))
    }
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
