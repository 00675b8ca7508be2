//! `truename kb`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use truename::{ConceptId, ImportOptions, Info, KnowledgeBase, LinkOptions, NextVectors, Report, VectorInfo};

use crate::arguments::{Import, Kb, KbArgument, LinkerArguments, Update};
use crate::atomic_file::AtomicFile;
use crate::command::{embed, open_kb, open_linker};
use crate::progress::{bytes_bar, counted, grouped};
use crate::{interrupt, problems};

pub fn run(command: Kb, quiet: bool) -> anyhow::Result<()> {
    match command {
        Kb::Import(arguments) => import(&arguments, quiet),
        Kb::Info { kb, json } => info(&kb, json),
        Kb::Search { words, kb, top, types } => search(&words.join(" "), &kb, top, types, quiet),
        Kb::Show { id, kb } => show(&id, &kb),
        Kb::Update(arguments) => update(&arguments, quiet),
        Kb::Embed(arguments) => embed::run(&arguments, quiet),
        Kb::Export { kb, out } => export(&kb, out.as_deref()),
    }
}

fn import(arguments: &Import, quiet: bool) -> anyhow::Result<()> {
    let options = arguments.reading.options();
    let encoder = embed::open_named(&arguments.encoder)?;
    let start = Instant::now();
    let imported =
        watched(&options, quiet, || KnowledgeBase::import(&arguments.files, &arguments.out, &options, arguments.force));
    let (kb, report) = imported?;
    if !quiet {
        list_problems(&report);
        if report.obsolete > 0 {
            crate::say!("{} obsolete entries left out", grouped(report.obsolete as u64));
        }
        if report.unused_mappings > 0 {
            crate::say!("{} mappings concern no concept", grouped(report.unused_mappings as u64));
        }
        let seconds = start.elapsed().as_secs_f64();
        crate::say!(
            "{} concepts with {} names in {} ({seconds:.1} s, {} names/s)",
            grouped(report.concepts.into()),
            grouped(report.names.into()),
            arguments.out.display(),
            grouped((f64::from(report.names) / seconds) as u64)
        );
    }
    encoder.map_or(Ok(()), |encoder| embed::embed(&kb, &encoder, quiet))
}

fn update(arguments: &Update, quiet: bool) -> anyhow::Result<()> {
    let options = arguments.reading.options();
    let removed: Vec<ConceptId> =
        arguments.remove.iter().map(|id| id.parse().map_err(truename::Error::from)).collect::<Result<_, _>>()?;
    let kb = KnowledgeBase::open(&arguments.kb)?;
    let encoder = embed::open_named(&arguments.encoder)?;
    let has_vectors = kb.encoder_record()?.is_some();
    if let Some(encoder) = encoder.as_ref().filter(|_| has_vectors) {
        kb.check_encoder(encoder)?;
    }
    let report = watched(&options, quiet, || kb.update(&arguments.files, &removed, &options))?;
    if !quiet {
        list_problems(&report);
        crate::say!(
            "{} added, {} changed, {} removed; {} concepts with {} names",
            grouped(report.added.into()),
            grouped(report.changed.into()),
            grouped(report.removed.into()),
            grouped(report.concepts.into()),
            grouped(report.names.into())
        );
        if report.unused_mappings > 0 {
            crate::say!("{} mappings concern no concept", grouped(report.unused_mappings as u64));
        }
    }
    if encoder.is_none() && has_vectors && !quiet {
        say_without_vector(kb.names_without_vector()?);
    }
    let missing: Vec<String> = report.missing.iter().map(ToString::to_string).collect();
    let embedded = encoder.map_or(Ok(()), |encoder| {
        if has_vectors {
            kb.check_encoder(&encoder)?;
        }
        embed::embed(&kb, &encoder, quiet)
    });
    anyhow::ensure!(missing.is_empty(), "not in the knowledge base, so not removed: {}", missing.join(", "));
    embedded
}

fn say_without_vector(names: u64) {
    if names > 0 {
        crate::say!(
            "{} without a vector; `truename kb embed` or --encoder makes the missing ones",
            counted(names, "name")
        );
    }
}

/// Runs an import under a progress bar, and stops it on Ctrl-C.
fn watched<T>(options: &ImportOptions, quiet: bool, work: impl FnOnce() -> T) -> T {
    let (progress, done) = (Arc::clone(&options.progress), Arc::new(AtomicBool::new(false)));
    let finished = Arc::clone(&done);
    let watcher = thread::spawn(move || {
        let bar = bytes_bar(Some(0), quiet);
        let start = Instant::now();
        while !finished.load(Ordering::Relaxed) {
            let names = progress.names.load(Ordering::Relaxed);
            let rate = names as f64 / start.elapsed().as_secs_f64().max(0.001);
            let (read, total) =
                (progress.bytes_read.load(Ordering::Relaxed), progress.bytes_total.load(Ordering::Relaxed));
            bar.set_length(total);
            bar.set_position(read);
            let doing = if read >= total && total > 0 { "; indexing" } else { "" };
            bar.set_message(format!("{} names, {} names/s{doing}", grouped(names), grouped(rate as u64)));
            progress.stop.store(interrupt::asked(), Ordering::Relaxed);
            thread::park_timeout(Duration::from_millis(100));
        }
        bar.finish_and_clear();
    });
    let outcome = work();
    done.store(true, Ordering::Relaxed);
    watcher.thread().unpark();
    let _ = watcher.join();
    outcome
}

fn list_problems(report: &Report) {
    problems::list(&report.problems, report.problem_count, "entries or names were skipped or repaired");
}

fn info(kb: &KbArgument, json: bool) -> anyhow::Result<()> {
    let info = open_kb(kb)?.info()?;
    let mut out = std::io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, &info)?;
        return Ok(writeln!(out)?);
    }
    Ok(write_info(&mut out, &info)?)
}

fn write_info(out: &mut impl Write, info: &Info) -> std::io::Result<()> {
    writeln!(out, "concepts           {}", grouped(info.concepts.into()))?;
    writeln!(out, "names              {}", grouped(info.names.into()))?;
    writeln!(out, "names per concept  {:.2}", info.names_per_concept)?;
    if let Some((count, id)) = &info.most_names {
        writeln!(out, "most names         {count} ({id})")?;
    }
    writeln!(out, "with one name      {}", grouped(info.single_name_concepts.into()))?;
    writeln!(out, "duplicate names    {}", grouped(info.duplicate_names.into()))?;
    writeln!(out, "ambiguous names    {}", grouped(info.ambiguous_names.into()))?;
    for (name, ids) in &info.ambiguous_examples {
        let more = if ids.len() > 4 { format!(" and {} more", ids.len() - 4) } else { String::new() };
        writeln!(out, "  {name}: {}{more}", ids.iter().take(4).cloned().collect::<Vec<_>>().join(", "))?;
    }
    for (name, count) in &info.types {
        writeln!(out, "type {name}: {}", grouped((*count).into()))?;
    }
    writeln!(
        out,
        "ranker             {}",
        if info.calibrated { "fitted to it" } else { "the one that comes with truename" }
    )?;
    if let Some(VectorInfo { names, encoder, calibrated, next }) = &info.vectors {
        let ranker = if *calibrated { "; a ranker is fitted with them" } else { "" };
        let count = format!("{} of {} names", grouped(*names), grouped(info.names.into()));
        writeln!(out, "vectors            {count}, {} dimensions{ranker}", encoder.dimensions)?;
        writeln!(out, "encoder            {} ({})", encoder.folder, encoder.hash)?;
        if let Some(NextVectors { names, encoder }) = next {
            let count = format!("{} of {} names", grouped(*names), grouped(info.names.into()));
            writeln!(
                out,
                "change of encoder  under way: {count} have a vector by {} ({})",
                encoder.folder, encoder.hash
            )?;
        }
    }
    for file in &info.provenance {
        let (entries, bytes) = (grouped(file.entries), grouped(file.bytes));
        writeln!(out, "{} of {} ({}, {bytes} bytes, {entries} entries)", file.action, file.file, file.format)?;
    }
    Ok(())
}

fn search(words: &str, kb: &LinkerArguments, top: usize, types: Vec<String>, quiet: bool) -> anyhow::Result<()> {
    // One more than asked for, so that a sole exact name does not keep the others from being looked for.
    let options = LinkOptions { top: top.max(2), types, placeholders: None, ..LinkOptions::default() };
    let link = open_linker(kb, quiet)?.with_options(options)?.link_name(words)?;
    if !quiet {
        problems::say_truncated(link.is_truncated.into());
    }
    anyhow::ensure!(!link.candidates.is_empty(), "no name resembles \"{words}\"");
    let mut out = std::io::stdout().lock();
    let aligned = out.is_terminal();
    for candidate in link.candidates.iter().take(top) {
        let matched = if candidate.matched_name == candidate.preferred_name { "" } else { &candidate.matched_name };
        if aligned {
            writeln!(
                out,
                "{:<16} {:.3}  {}  {matched}",
                candidate.id, candidate.probability, candidate.preferred_name
            )?;
        } else {
            writeln!(out, "{}\t{:.3}\t{}\t{matched}", candidate.id, candidate.probability, candidate.preferred_name)?;
        }
    }
    Ok(())
}

fn show(id: &str, kb: &KbArgument) -> anyhow::Result<()> {
    let concept = open_kb(kb)?.concept(&id.parse().map_err(truename::Error::from)?)?;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &concept)?;
    Ok(writeln!(out)?)
}

fn export(kb: &KbArgument, out: Option<&Path>) -> anyhow::Result<()> {
    let kb = open_kb(kb)?;
    match out {
        None => {
            let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
            export_to(&kb, &mut stdout)?;
            Ok(stdout.flush()?)
        }
        Some(path) => {
            let mut file = AtomicFile::create(path)?;
            export_to(&kb, &mut file).with_context(|| format!("cannot write {}", PathBuf::from(path).display()))?;
            file.finish()
        }
    }
}

fn export_to(kb: &KnowledgeBase, out: &mut impl Write) -> anyhow::Result<()> {
    kb.for_each_concept(|concept| {
        anyhow::ensure!(!interrupt::asked(), "interrupted");
        serde_json::to_writer(&mut *out, &concept)?;
        Ok(out.write_all(b"\n")?)
    })
}
