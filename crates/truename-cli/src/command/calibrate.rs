//! `truename calibrate`.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use truename::{CalibrateOptions, ContextGain, Document, Gain, GoldAnswers, GoldName, KnowledgeBase, LearntNames};
use truename_corpus::{ReadOptions, read_all};
use truename_error::counted;
use truename_eval::read_gold;

use crate::arguments::Calibrate;
use crate::command::with_encoder;
use crate::interrupt;
use crate::problems::say_truncated;
use crate::progress::watched;

pub fn run(arguments: &Calibrate, quiet: bool) -> anyhow::Result<()> {
    let kb = with_encoder(KnowledgeBase::open(&arguments.kb)?, &arguments.encoder, quiet)?;
    if let (Some(encoder), Some(_)) = (kb.encoder()?, arguments.encoder.folder()) {
        kb.attach_encoder(encoder)?;
    }
    let start = Instant::now();
    let (gold, in_context) = match arguments.gold.as_deref().map(Gold::read).transpose()? {
        None => (Vec::new(), Vec::new()),
        Some(Gold::Names(names)) => (names, Vec::new()),
        Some(Gold::Documents(documents)) => {
            let [documents, in_context] = kb.divide_documents(documents)?;
            (kb.gold_names(&documents)?, in_context)
        }
    };
    let options = CalibrateOptions {
        names: arguments.names as usize,
        progress: interrupt::progress(),
        ..CalibrateOptions::default()
    };
    let (mut folds, mut has_learnt) = (Vec::new(), false);
    if let Some(encoder) = kb.encoder()? {
        folds = LearntNames::fold_encoders(encoder)?;
        has_learnt = LearntNames::read(encoder.folder())?.is_some();
    }
    if has_learnt && folds.is_empty() && !quiet {
        crate::say!(
            "warning: the encoder was trained on names, and the ranker is fitted to names that it may have learnt\n\
             hint: train it with `--set ranker.folds=2`"
        );
    }
    let gain = watched(quiet, || match folds.is_empty() {
        true => kb.calibrate(&gold, &options),
        false => kb.calibrate_out_of_fold(&folds, &gold, &options),
    })?;
    if gain.unknown_gold > 0 && !quiet {
        crate::say!(
            "warning: left out {}, whose ids the knowledge base does not have",
            counted(gain.unknown_gold as u64, "judgement")
        );
    }
    if !quiet {
        say_truncated(gain.truncated as u64);
    }
    let context = match in_context.is_empty() {
        true => None,
        false => Some(watched(quiet, || kb.calibrate_context(in_context))?),
    };
    let mut out = std::io::stdout().lock();
    if arguments.json {
        serde_json::to_writer(&mut out, &Gains { names: &gain, context })?;
        return Ok(writeln!(out)?);
    }
    write_gain(&mut out, &gain, start.elapsed().as_secs_f64())?;
    Ok(context.iter().try_for_each(|context| write_context(&mut out, context))?)
}

/// Gains as `--json` has them.
#[derive(Serialize)]
struct Gains<'a> {
    #[serde(flatten)]
    names: &'a Gain,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<ContextGain>,
}

fn write_gain(out: &mut impl Write, gain: &Gain, seconds: f64) -> std::io::Result<()> {
    let junk = match gain.junk {
        0 => String::new(),
        cells => format!("{}, ", counted(cells as u64, "junk cell")),
    };
    writeln!(
        out,
        "{} held out in turn, {}, {junk}{seconds:.1} s",
        counted(gain.held_out as u64, "name"),
        counted(gain.gold as u64, "judgement"),
    )?;
    writeln!(
        out,
        "                             before    after   (fitted to four fifths of the names, asked for the others)"
    )?;
    row(out, "names: first right (%)", gain.accuracy, 100.0)?;
    if let Some(accuracy) = gain.gold_accuracy {
        row(out, "judgements: first (%)", accuracy, 100.0)?;
    }
    if let Some((before, after)) = gain.answers {
        write_answers(out, &before, &after)?;
    }
    row(out, "log-loss", gain.log_loss, 1.0)?;
    row(out, "NIL below", gain.threshold, 1.0)?;
    match gain.kept {
        true => writeln!(out, "kept: the fitted ranker, its probabilities and its threshold"),
        false => writeln!(out, "nothing was changed: the ranker that comes with truename does better"),
    }
}

fn write_answers(out: &mut impl Write, before: &GoldAnswers, after: &GoldAnswers) -> std::io::Result<()> {
    row(out, "  answered as judged (%)", (before.as_judged, after.as_judged), 100.0)?;
    row(out, "  with a concept: right (%)", (before.right, after.right), 100.0)?;
    row(out, "  with a concept: wrong (%)", (before.wrong, after.wrong), 100.0)?;
    row(out, "  with a concept: NIL (%)", (before.nil, after.nil), 100.0)?;
    if let (Some(before), Some(after)) = (before.judged_nil, after.judged_nil) {
        row(out, "  without one: NIL (%)", (before, after), 100.0)?;
    }
    row(out, "junk cells: NIL (%)", (before.junk_nil, after.junk_nil), 100.0)
}

/// Right answers to fit to.
enum Gold {
    Names(Vec<GoldName>),
    Documents(Vec<Document>),
}

impl Gold {
    /// Reads a table of judgements, or annotated documents.
    fn read(path: &Path) -> anyhow::Result<Self> {
        const FORMATS: [&str; 5] = ["pubtator", "xml", "json", "jsonl", "ann"];
        let plain = path.to_string_lossy().to_lowercase();
        let extension = Path::new(plain.trim_end_matches(".gz")).extension().and_then(|extension| extension.to_str());
        if path.is_dir() || extension.is_some_and(|extension| FORMATS.contains(&extension)) {
            return Ok(Self::Documents(documents(path)?));
        }
        match read_gold(path) {
            Ok(names) => Ok(Self::Names(names)),
            Err(error) => match documents(path) {
                Ok(documents) => Ok(Self::Documents(documents)),
                Err(_) => Err(error.into()),
            },
        }
    }
}

/// Reads documents with mentions that have ids.
fn documents(path: &Path) -> anyhow::Result<Vec<Document>> {
    let documents = read_all(path, &ReadOptions::default())?;
    let mut mentions = documents.iter().flat_map(|document| &document.mentions);
    anyhow::ensure!(mentions.any(|mention| mention.id.is_some()), "{} has no mention with an id", path.display());
    Ok(documents)
}

fn write_context(out: &mut impl Write, gain: &ContextGain) -> std::io::Result<()> {
    writeln!(out, "{} in context, by a mapping fitted to other documents", counted(gain.mentions as u64, "mention"))?;
    row(out, "in context: first (%)", gain.accuracy, 100.0)?;
    row(out, "in context: log-loss", gain.log_loss, 1.0)?;
    if !gain.kept {
        return writeln!(out, "the mapping was not changed: that of the training does better");
    }
    if gain.certain == 0.0 {
        return Ok(());
    }
    writeln!(
        out,
        "the ranker alone is as good for {:.1} % of these; the like are no longer re-ranked",
        100.0 * gain.certain
    )
}

fn row(out: &mut impl Write, label: &str, (before, after): (f64, f64), scale: f64) -> std::io::Result<()> {
    writeln!(out, "{label:<27} {:>7.3}  {:>7.3}", scale * before, scale * after)
}
