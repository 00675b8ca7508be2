//! `truename kb`.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use truename::{
    AliasReport, Comparison, Concept, ConceptId, ImportOptions, Info, Judgement, JudgementLine, KnowledgeBase,
    LearnReport, LinkOptions, NextVectors, Report, RetiredId, VectorInfo,
};
use truename_error::{counted, grouped};
use truename_eval::read_judgement_table;
use truename_read::Dialect;

use crate::arguments::{Import, Kb, KbArgument, Learn, LinkerArguments, Update};
use crate::command::{embed, models, open_kb, open_linker, shards, with_encoder};
use crate::exit_code::UsageError;
use crate::harmless::OneLine;
use crate::output::{Output, stdout};
use crate::progress::watched;
use crate::{interrupt, problems};

pub fn run(command: Kb, quiet: bool) -> anyhow::Result<()> {
    match command {
        Kb::Import(arguments) => import(&arguments, quiet),
        Kb::Info { kb, json } => info(&kb, json),
        Kb::Check { kb, deep } => check(&kb, deep),
        Kb::Compact { kb } => compact(&kb, quiet),
        Kb::Pack { kb, out } => print_path(&KnowledgeBase::open(kb)?.pack(out)?),
        Kb::Unpack { pack, out } => print_path(&KnowledgeBase::unpack(pack, out.as_deref())?),
        Kb::Search { words, kb, top, names: true, .. } => search_names(&words.join(" "), &kb, top as usize, quiet),
        Kb::Search { words, kb, top, types, .. } => search(&words.join(" "), &kb, top as usize, types, quiet),
        Kb::Show { id, kb } => show(&id, &kb),
        Kb::Update(arguments) => update(&arguments, quiet),
        Kb::Learn(arguments) => learn(&arguments, quiet),
        Kb::Embed(arguments) => embed::run(&arguments, quiet),
        Kb::Models(arguments) => models::run(&arguments, quiet),
        Kb::Frequencies { kb, out } => Ok(KnowledgeBase::open(kb)?.frequencies()?.write(out)?),
        Kb::Weigh { shards, frequencies } => shards::weigh(&shards, &frequencies, quiet),
        Kb::Gather(arguments) => shards::gather(&arguments, quiet),
        Kb::Export { kb, out } => export(&kb, out.as_deref()),
    }
}

fn import(arguments: &Import, quiet: bool) -> anyhow::Result<()> {
    check_stdin(arguments.files.iter().chain(&arguments.aliases))?;
    let options = arguments.reading.options();
    let encoder = embed::open_named(&arguments.encoder)?;
    let start = Instant::now();
    let Import { files, aliases, out, force, .. } = arguments;
    let imported = watched(quiet, || KnowledgeBase::import_with_aliases(files, aliases, out, &options, *force));
    let (kb, report) = imported?;
    if !quiet {
        list_problems(&report);
        if report.obsolete > 0 {
            crate::say!("left out {}", counted(report.obsolete as u64, "obsolete entry"));
        }
        say_unused_mappings(report.unused_mappings);
        report.aliases.iter().for_each(say_aliases);
        let seconds = start.elapsed().as_secs_f64();
        crate::say!(
            "{} with {} in {} ({seconds:.1} s, {} names/s)",
            counted(report.concepts.into(), "concept"),
            counted(report.names.into(), "name"),
            out.display(),
            grouped((f64::from(report.names) / seconds) as u64)
        );
    }
    encoder.map_or(Ok(()), |encoder| embed::embed(&kb, &encoder, quiet))
}

fn update(arguments: &Update, quiet: bool) -> anyhow::Result<()> {
    check_stdin(arguments.files.iter())?;
    let options = ImportOptions { replace: arguments.replace, ..arguments.reading.options() };
    let removed: Vec<ConceptId> = arguments.remove.iter().map(|id| id.parse()).collect::<Result<_, _>>()?;
    let kb = KnowledgeBase::open(&arguments.kb)?;
    let encoder = match &arguments.encoder.encoder {
        None => kb.attached_encoder()?,
        Some(_) => embed::open_named(&arguments.encoder)?.map(Arc::new),
    };
    let has_vectors = kb.encoder_record()?.is_some();
    if let Some(encoder) = encoder.as_ref().filter(|_| has_vectors) {
        kb.check_encoder(encoder)?;
    }
    let report = watched(quiet, || kb.update(&arguments.files, &removed, &options))?;
    if !quiet {
        list_problems(&report);
        crate::say!(
            "{} added, {} changed, {} removed; {} with {}",
            grouped(report.added.into()),
            grouped(report.changed.into()),
            grouped(report.removed.into()),
            counted(report.concepts.into(), "concept"),
            counted(report.names.into(), "name")
        );
        say_unused_mappings(report.unused_mappings);
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
    anyhow::ensure!(missing.is_empty(), "not removed, as the knowledge base has no such id: {}", missing.join(", "));
    embedded
}

fn learn(arguments: &Learn, quiet: bool) -> anyhow::Result<()> {
    let kb = KnowledgeBase::open(&arguments.kb)?;
    if arguments.list {
        return list_judgements(&kb);
    }
    let judgements = match &arguments.file {
        None if !arguments.forget.is_empty() => Vec::new(),
        file => read_judgement_table(file.as_deref().unwrap_or(Path::new("-")))?,
    };
    let report = kb.learn(&judgements, &arguments.forget, &interrupt::progress())?;
    if !quiet {
        say_learnt(&report);
        if kb.encoder_record()?.is_some() {
            say_without_vector(kb.names_without_vector()?);
        }
    }
    anyhow::ensure!(report.missing.is_empty(), "not forgotten, as never judged: {}", report.missing.join(", "));
    Ok(())
}

fn say_learnt(report: &LearnReport) {
    let LearnReport { learnt, unchanged, forgotten, unknown, .. } = report;
    let left_out = |judgement: &Judgement| {
        format!("left out \"{}\", for no concept has its id {}", judgement.name, judgement.verdict.as_str())
    };
    problems::show(&unknown.iter().map(left_out).collect::<Vec<_>>(), unknown.len() as u64);
    crate::say!(
        "{} learnt, {} known before, {} forgotten",
        counted((*learnt).into(), "judgement"),
        grouped((*unchanged).into()),
        grouped((*forgotten).into())
    );
}

fn list_judgements(kb: &KnowledgeBase) -> anyhow::Result<()> {
    let (dialect, mut out) = (Dialect::of(b','), stdout());
    writeln!(out, "{}", dialect.row(["name", "id", "date"], false))?;
    for Judgement { name, verdict, date } in kb.judgements()? {
        writeln!(out, "{}", dialect.row([name.as_str(), verdict.as_str(), &date.to_string()], false))?;
    }
    out.finish()
}

fn say_without_vector(names: u64) {
    if names > 0 {
        let have = if names == 1 { "has" } else { "have" };
        crate::say!("{} {have} no vector; `truename kb embed` makes the missing ones", counted(names, "name"));
    }
}

fn say_aliases(report: &AliasReport) {
    let left_out = [(report.ambiguous, "fit several concepts"), (report.taken, "are names of other concepts")];
    let [entries, names] = left_out.map(|(count, why)| match count {
        0 => String::new(),
        _ => format!("; {} left out, which {why}", grouped(count as u64)),
    });
    crate::say!(
        "{}: {} joined of {} (by id {}, by cross-reference {}, by name {}){entries}; {} added{names}",
        report.source,
        grouped((report.by_id + report.by_xref + report.by_name) as u64),
        counted(report.entries as u64, "entry"),
        grouped(report.by_id as u64),
        grouped(report.by_xref as u64),
        grouped(report.by_name as u64),
        counted(report.names as u64, "name"),
    );
}

fn say_unused_mappings(count: usize) {
    if count > 0 {
        let are = if count == 1 { "is" } else { "are" };
        crate::say!("{} {are} between ids that the knowledge base does not have", counted(count as u64, "mapping"));
    }
}

fn list_problems(report: &Report) {
    let what = match report.problem_count {
        1 => "entry or name was skipped or repaired",
        _ => "entries or names were skipped or repaired",
    };
    problems::list(&report.problems.iter().map(problems::advised).collect::<Vec<_>>(), report.problem_count, what);
    report.notes.iter().for_each(|note| crate::say!("note: {}", problems::advised(note)));
    if report.unread_values > 0 {
        crate::say!(
            "hint: --synonym-property IRI takes the values of a property for names, --scope synonyms of other scopes"
        );
    }
}

fn info(kb: &KbArgument, json: bool) -> anyhow::Result<()> {
    let info = open_kb(kb)?.info()?;
    if !json && info.unused_bytes > info.bytes / UNUSED_SHARE {
        crate::say!("hint: `truename kb compact` would free {}", counted(info.unused_bytes, "byte"));
    }
    let mut out = stdout();
    if json {
        serde_json::to_writer_pretty(&mut out, &info)?;
        writeln!(out)?;
    } else {
        write_info(&mut out, &info)?;
    }
    out.finish()
}

/// `kb info` suggests compaction if more than one byte in this many is unused.
const UNUSED_SHARE: u64 = 3;

fn check(kb: &KbArgument, deep: bool) -> anyhow::Result<()> {
    let path =
        kb.kb.clone().map_or_else(|| Ok(KnowledgeBase::bundled()?.path().to_owned()), Ok::<_, truename::Error>)?;
    let found = match KnowledgeBase::check(&path, deep)? {
        Comparison::Intact => "every byte is as the last commit left it",
        Comparison::UnusedDiffers => {
            "every byte in use is as the last commit left it; others differ, as a write does that is under way or was killed"
        }
        Comparison::LastCommitWithoutSums => {
            "no damage found; the last write left no checksums yet or was killed, and every record can be read"
        }
        Comparison::NoSums => "no checksums, so changed letters cannot be found; every record can be read",
    };
    let records = if deep { "; every record can be read" } else { "" };
    let mut out = stdout();
    writeln!(out, "{}: {found}{records}", path.display())?;
    out.finish()
}

fn compact(kb: &Path, quiet: bool) -> anyhow::Result<()> {
    let (before, after) = KnowledgeBase::compact(kb)?;
    if !quiet {
        crate::say!("{} bytes became {}", grouped(before), grouped(after));
    }
    Ok(())
}

fn print_path(path: &Path) -> anyhow::Result<()> {
    let mut out = stdout();
    writeln!(out, "{}", path.display())?;
    out.finish()
}

/// Numbers of names that make one row of the histogram.
const NAME_COUNTS: [(usize, usize); 9] =
    [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 10), (11, 20), (21, 50), (51, usize::MAX)];
/// Characters of its longest bar.
const LONGEST_BAR: f64 = 40.0;

/// Writes the histogram of the numbers of names of concepts (NSEEN, figure 3).
fn write_name_counts(out: &mut impl Write, info: &Info) -> std::io::Result<()> {
    let rows = NAME_COUNTS.map(|(first, last)| {
        let concepts: u32 = info.name_counts.range(first..=last).map(|(_, concepts)| concepts).sum();
        (first, last, concepts)
    });
    let most = f64::from(rows.iter().map(|row| row.2).max().unwrap_or_default().max(1));
    writeln!(out, "concepts by number of names")?;
    for (first, last, concepts) in rows.into_iter().filter(|row| row.2 > 0) {
        let range = match last {
            usize::MAX => format!("{first} or more"),
            last if last == first => first.to_string(),
            last => format!("{first} to {last}"),
        };
        let bar = "█".repeat((LONGEST_BAR * f64::from(concepts) / most).ceil() as usize);
        writeln!(out, "  {range:>10} {:>10}  {bar}", grouped(concepts.into()))?;
    }
    Ok(())
}

fn write_info(out: &mut impl Write, info: &Info) -> std::io::Result<()> {
    let without = "none: no checksums of the last commit; `truename kb compact` makes them";
    writeln!(out, "fingerprint        {}", info.fingerprint.as_deref().unwrap_or(without))?;
    writeln!(out, "concepts           {}", grouped(info.concepts.into()))?;
    writeln!(out, "names              {}", grouped(info.names.into()))?;
    writeln!(out, "names per concept  {:.2}", info.names_per_concept)?;
    if let Some((count, id)) = &info.most_names {
        writeln!(out, "most names         {count} ({})", OneLine(id))?;
    }
    write_name_counts(out, info)?;
    writeln!(out, "duplicate names    {}", grouped(info.duplicate_names.into()))?;
    writeln!(out, "ambiguous names    {}", grouped(info.ambiguous_names.into()))?;
    for (name, ids) in &info.ambiguous_examples {
        let more = if ids.len() > 4 { format!(" and {} more", ids.len() - 4) } else { String::new() };
        let ids = ids.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
        writeln!(out, "  {}: {}{more}", OneLine(name), OneLine(&ids))?;
    }
    for (name, count) in &info.types {
        writeln!(out, "type {}: {}", OneLine(name), grouped((*count).into()))?;
    }
    for (source, count) in &info.aliases {
        writeln!(out, "aliases from {}: {}", OneLine(source), grouped((*count).into()))?;
    }
    writeln!(
        out,
        "ranker             {}",
        if info.calibrated { "fitted to it" } else { "the one that comes with truename" }
    )?;
    if let Some(VectorInfo { names, encoder, calibrated, next, .. }) = &info.vectors {
        let ranker = if *calibrated { "; a ranker is fitted with them" } else { "" };
        let count = format!("{} of {}", grouped(*names), counted(info.names.into(), "name"));
        writeln!(out, "vectors            {count}, {} dimensions{ranker}", encoder.dimensions)?;
        writeln!(out, "encoder            {} ({})", OneLine(&encoder.folder), encoder.hash)?;
        if let Some(NextVectors { names, encoder, .. }) = next {
            let count = format!("{} of {} names", grouped(*names), grouped(info.names.into()));
            writeln!(
                out,
                "change of encoder  under way: {count} have a vector by {} ({})",
                OneLine(&encoder.folder),
                encoder.hash
            )?;
        }
    }
    for model in &info.models {
        models::write(out, model)?;
    }
    let unused = if info.unused_bytes > 0 { format!(", {} unused", grouped(info.unused_bytes)) } else { String::new() };
    writeln!(out, "bytes on disk      {}{unused}", grouped(info.bytes))?;
    for file in &info.provenance {
        let (bytes, entries) = (counted(file.bytes, "byte"), counted(file.entries, "entry"));
        let [action, file, format] = [&file.action, &file.file, &file.format].map(|text| OneLine(text));
        writeln!(out, "{action} of {file} ({format}, {bytes}, {entries})")?;
    }
    Ok(())
}

fn search(words: &str, kb: &LinkerArguments, top: usize, types: Vec<String>, quiet: bool) -> anyhow::Result<()> {
    // At least two, so that a single exact name does not end the search.
    let options = LinkOptions { top: top.max(2), types, placeholders: None, ..LinkOptions::default() };
    let link = open_linker(kb, quiet)?.with_options(options)?.link_name(words)?;
    if !quiet {
        problems::say_truncated(link.is_truncated.into());
    }
    anyhow::ensure!(!link.candidates.is_empty(), "no name resembles \"{words}\"");
    let mut out = stdout();
    let aligned = std::io::stdout().is_terminal();
    for candidate in link.candidates.iter().take(top) {
        let matched = if candidate.matched_name == candidate.preferred_name { "" } else { &candidate.matched_name };
        let (id, name, matched) = (candidate.id.as_str(), OneLine(&candidate.preferred_name), OneLine(matched));
        let (id, probability) = (OneLine(id).to_string(), candidate.probability);
        if aligned {
            writeln!(out, "{id:<16} {probability:.3}  {name}  {matched}")?;
        } else {
            writeln!(out, "{id}\t{probability:.3}\t{name}\t{matched}")?;
        }
    }
    out.finish()
}

/// Lists the nearest names, several of one concept among them (NSEEN, table 4).
fn search_names(words: &str, kb: &LinkerArguments, top: usize, quiet: bool) -> anyhow::Result<()> {
    let kb = with_encoder(open_kb(&kb.kb)?, &kb.encoder, quiet)?;
    let near = match kb.encoder()? {
        Some(_) => kb.nearest_by_vectors(words, top)?,
        None => kb.nearest_by_ngrams(words, top)?,
    };
    anyhow::ensure!(!near.is_empty(), "no name resembles \"{words}\"");
    let mut out = stdout();
    for name in near {
        writeln!(out, "{}\t{:.3}\t{}", OneLine(name.id.as_str()), name.score, OneLine(&name.name))?;
    }
    out.finish()
}

fn show(id: &str, kb: &KbArgument) -> anyhow::Result<()> {
    let (id, kb): (ConceptId, _) = (id.parse()?, open_kb(kb)?);
    let mut out = stdout();
    match kb.concept(&id) {
        Ok(concept) => serde_json::to_writer_pretty(&mut out, &concept)?,
        Err(error) => {
            let Some(retired) = kb.retired(&id)?.filter(|_| error.is_not_found()) else { return Err(error.into()) };
            match kb.current_id(&id)? {
                Some(current) => {
                    let name = kb.concept(&current)?.name;
                    crate::say!("{id} is retired; {current} ({name}) replaces it");
                }
                None => crate::say!("{id} is retired, and no single concept replaces it"),
            }
            serde_json::to_writer_pretty(&mut out, &retired.as_removal())?;
        }
    }
    writeln!(out)?;
    out.finish()
}

/// A concept with the retired ids that it replaces, or may, as `kb import` reads it.
#[derive(Serialize)]
struct ExportedConcept {
    #[serde(flatten)]
    concept: Concept,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaces: Vec<ConceptId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    considered_for: Vec<ConceptId>,
}

fn export(kb: &KbArgument, out: Option<&Path>) -> anyhow::Result<()> {
    let kb = open_kb(kb)?;
    let mut output = Output::open(out)?;
    // Retired ids stand beside the concepts that they lead to; those that lead to none, or were split, are lines of their own.
    let (mut beside, mut alone): (HashMap<ConceptId, [Vec<ConceptId>; 2]>, _) = (HashMap::new(), Vec::new());
    for retired in kb.all_retired()? {
        let is_concept = |id: &ConceptId| kb.current_id(id).map(|current| current.as_ref() == Some(id));
        let RetiredId { id, replaced_by, consider } = &retired;
        if let Some(current) = kb.current_id(id)? {
            beside.entry(current).or_default()[0].push(id.clone());
        } else if replaced_by.is_empty() && !consider.is_empty() && all(consider, is_concept)? {
            consider.iter().for_each(|other| beside.entry(other.clone()).or_default()[1].push(id.clone()));
        } else {
            alone.push(retired);
        }
    }
    kb.for_each_concept(|concept| {
        interrupt::check()?;
        let [replaces, considered_for] = beside.remove(&concept.id).unwrap_or_default();
        put_line(&mut output, &ExportedConcept { concept, replaces, considered_for })
    })?;
    alone.iter().try_for_each(|retired| put_line(&mut output, &retired.as_removal()))?;
    // Judgements with a concept are among its aliases.
    let judgements = kb.judgements()?;
    judgements.iter().filter_map(JudgementLine::new).try_for_each(|line| put_line(&mut output, &line))?;
    output.finish()
}

fn all<E>(ids: &[ConceptId], test: impl Fn(&ConceptId) -> Result<bool, E>) -> Result<bool, E> {
    ids.iter().try_fold(true, |all, id| Ok(all && test(id)?))
}

fn put_line(output: &mut Output, value: &impl Serialize) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    output.put(&line)
}

/// Refuses to read stdin twice.
fn check_stdin<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    let count = paths.filter(|path| path.as_path() == Path::new("-")).count();
    match count {
        0 | 1 => Ok(()),
        _ => Err(UsageError(format!("`-` is given {count} times, and stdin can be read once")).into()),
    }
}
