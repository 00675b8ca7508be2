//! `truename calibrate`.

use std::io::Write;
use std::time::Instant;

use truename::{CalibrateOptions, KnowledgeBase, LearntNames, fold_encoders};
use truename_eval::read_gold;

use crate::arguments::Calibrate;
use crate::command::with_encoder;
use crate::count::counted;
use crate::interrupt;
use crate::problems::say_truncated;
use crate::progress::watched;

pub fn run(arguments: &Calibrate, quiet: bool) -> anyhow::Result<()> {
    let kb = with_encoder(KnowledgeBase::open(&arguments.kb)?, &arguments.encoder, quiet)?;
    if let (Some(encoder), Some(_)) = (kb.encoder(), arguments.encoder.folder()) {
        kb.attach_encoder(encoder)?;
    }
    let gold = arguments.gold.as_deref().map(read_gold).transpose()?.unwrap_or_default();
    let start = Instant::now();
    let options = CalibrateOptions::default().names(arguments.names as usize).progress(interrupt::progress());
    let (mut folds, mut has_learnt) = (Vec::new(), false);
    if let Some(encoder) = kb.encoder() {
        folds = fold_encoders(encoder)?;
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
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} held out in turn, {}, {:.1} s",
        counted(gain.held_out as u64, "name"),
        counted(gain.gold as u64, "judgement"),
        start.elapsed().as_secs_f64()
    )?;
    writeln!(out, "                          before    after   (by 5-fold cross-validation)")?;
    row(&mut out, "names: first right (%)", gain.accuracy, 100.0)?;
    if let Some(accuracy) = gain.gold_accuracy {
        row(&mut out, "judgements: first (%)", accuracy, 100.0)?;
    }
    row(&mut out, "log-loss", gain.log_loss, 1.0)?;
    row(&mut out, "NIL below", gain.threshold, 1.0)?;
    if !gain.kept {
        writeln!(out, "nothing was changed: the ranker that comes with truename does better")?;
    }
    Ok(())
}

fn row(out: &mut impl Write, label: &str, (before, after): (f64, f64), scale: f64) -> std::io::Result<()> {
    writeln!(out, "{label:<24} {:>7.3}  {:>7.3}", scale * before, scale * after)
}
