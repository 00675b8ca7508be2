//! `truename kb embed`, also run after `kb import` and `kb update`.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use truename::{AdapterChoice, EmbedReport, Encoder, Error, KnowledgeBase, TrainedRetriever};
use truename_error::{counted, grouped};

use crate::arguments::{Embed, EncoderArgument};
use crate::bars::count_bar;
use crate::command::open_kb;
use crate::exit_code::UsageError;
use crate::interrupt;

pub fn run(arguments: &Embed, quiet: bool) -> anyhow::Result<()> {
    let kb = open_kb(&arguments.kb)?;
    match &arguments.encoder {
        Some(folder) => embed(&kb, &arguments.adapter.open(folder)?, quiet),
        None => embed(&kb, own_encoder(&kb)?.as_ref(), quiet),
    }
}

/// Opens the encoder in the knowledge base's folder.
pub fn own_encoder(kb: &KnowledgeBase) -> anyhow::Result<Arc<Encoder>> {
    let none = || UsageError("the knowledge base has no encoder; name one by --encoder DIR".into());
    kb.attached_encoder()?.ok_or_else(|| none().into())
}

/// Opens the named encoder, if one is named.
pub fn open_named(argument: &EncoderArgument) -> anyhow::Result<Option<Encoder>> {
    Ok(argument.folder().map(|folder| argument.adapter.open(folder)).transpose()?)
}

/// Copies the encoder into the knowledge base and encodes all names under a progress bar. Ctrl-C stops it and keeps the
/// finished vectors.
pub fn embed(kb: &KnowledgeBase, encoder: &Encoder, quiet: bool) -> anyhow::Result<()> {
    kb.attach_encoder(encoder)?;
    let (kb_folder, encoder_folder) = (kb.path().display(), encoder.folder().display());
    let adapters = match encoder.backbone().adapter_choice() {
        AdapterChoice::All => String::new(),
        choice => format!(" --adapter {choice}"),
    };
    let way_on =
        format!("`truename kb embed --kb {kb_folder} --encoder {encoder_folder}{adapters}` goes on from there");
    fill(kb, ("name", Some(encoder.info().window)), &way_on, quiet, |on_progress| kb.embed(encoder, on_progress))
}

/// Copies the retriever into the knowledge base and encodes all concepts, likewise.
pub fn embed_concepts(kb: &KnowledgeBase, retriever: &TrainedRetriever, quiet: bool) -> anyhow::Result<()> {
    kb.attach_retriever(retriever)?;
    let (kb_folder, folder) = (kb.path().display(), retriever.folder().display());
    let way_on = format!("`truename kb models add --kb {kb_folder} --retriever {folder}` goes on from there");
    // A concept has more names than are read, and that is no matter.
    fill(kb, ("concept", None), &way_on, quiet, |on_progress| kb.embed_concepts(retriever, on_progress))
}

/// Fills a set of vectors under a progress bar; `row` is what has a vector; texts longer than `window` tokens are listed.
fn fill(
    kb: &KnowledgeBase,
    (row, window): (&str, Option<usize>),
    way_on: &str,
    quiet: bool,
    fill: impl FnOnce(&mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Result<EmbedReport, Error>,
) -> anyhow::Result<()> {
    let start = Instant::now();
    let bar = count_bar(0, quiet);
    let mut reached = (0, 0);
    interrupt::keeps(&format!("the vectors stored so far are kept, and {way_on}"));
    let outcome = fill(&mut |done, total| {
        reached = (done, total);
        bar.set_length(total);
        bar.set_position(done);
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let report = outcome?;
    if report.is_complete {
        kb.prune_models()?;
    }
    if !quiet {
        say(&report, row, window, start);
    }
    anyhow::ensure!(
        report.is_complete,
        "interrupted; {} of {} {row}s have a vector, and {way_on}",
        grouped(reached.0),
        grouped(reached.1)
    );
    Ok(())
}

fn say(report: &EmbedReport, row: &str, window: Option<usize>, start: Instant) {
    let EmbedReport { names, truncated, truncated_examples, replaced, .. } = report;
    if *replaced > 0 {
        crate::say!("Replaced {} made by another encoder.", counted(*replaced, "vector"));
    }
    if let Some(window) = window.filter(|_| *truncated > 0) {
        let rows = counted(*truncated, row);
        crate::say!("warning: only the beginning of {rows}, longer than the encoder's {window} tokens, is encoded:");
        truncated_examples.iter().for_each(|name| crate::say!("  {}…", name.chars().take(80).collect::<String>()));
    }
    let seconds = start.elapsed().as_secs_f64();
    let rate = grouped((*names as f64 / seconds.max(1e-6)) as u64);
    crate::say!("{} encoded ({seconds:.1} s, {rate} {row}s/s)", counted(*names, row));
}
