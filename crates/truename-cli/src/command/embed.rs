//! `truename kb embed`, and the same after `kb import` and `kb update`.

use std::ops::ControlFlow;
use std::time::Instant;

use truename::{Embedded, Encoder, KnowledgeBase};

use crate::arguments::{Embed, EncoderArgument};
use crate::command::open_kb;
use crate::interrupt;
use crate::progress::{count_bar, counted, grouped};

pub fn run(arguments: &Embed, quiet: bool) -> anyhow::Result<()> {
    embed(&open_kb(&arguments.kb)?, &Encoder::open(&arguments.encoder)?, quiet)
}

/// The encoder named, if one is.
pub fn open_named(argument: &EncoderArgument) -> anyhow::Result<Option<Encoder>> {
    Ok(argument.encoder.as_deref().map(Encoder::open).transpose()?)
}

/// Gives all names vectors under a progress bar; Ctrl-C stops it, and what is done stays.
pub fn embed(kb: &KnowledgeBase, encoder: &Encoder, quiet: bool) -> anyhow::Result<()> {
    let start = Instant::now();
    let bar = count_bar(0, quiet);
    let mut reached = (0, 0);
    let (kb_folder, encoder_folder) = (kb.path().display(), encoder.folder().display());
    let way_on = format!("`truename kb embed --kb {kb_folder} --encoder {encoder_folder}` goes on from there");
    interrupt::keeps(&format!("the vectors stored so far are kept, and {way_on}"));
    let outcome = kb.embed(encoder, |done, total| {
        reached = (done, total);
        bar.set_length(total);
        bar.set_position(done);
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let report = outcome?;
    if !quiet {
        say(&report, encoder, start);
    }
    anyhow::ensure!(
        report.is_complete,
        "interrupted; {} of {} names have a vector, and {way_on}",
        grouped(reached.0),
        grouped(reached.1)
    );
    Ok(())
}

fn say(report: &Embedded, encoder: &Encoder, start: Instant) {
    let Embedded { names, truncated, truncated_examples, replaced, .. } = report;
    if *replaced > 0 {
        crate::say!("Replaced {} made by another encoder.", counted(*replaced, "vector"));
    }
    if *truncated > 0 {
        let window = encoder.info().window;
        let names = counted(*truncated, "name");
        crate::say!("warning: only the beginning of {names}, longer than the encoder's {window} tokens, is encoded:");
        truncated_examples.iter().for_each(|name| crate::say!("  {}…", name.chars().take(80).collect::<String>()));
    }
    let seconds = start.elapsed().as_secs_f64();
    let rate = grouped((*names as f64 / seconds.max(1e-6)) as u64);
    crate::say!("{} encoded ({seconds:.1} s, {rate} names/s)", counted(*names, "name"));
}
