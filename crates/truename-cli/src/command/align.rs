//! `truename align`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use truename::{Concept, ImportOptions};
use truename_align::{
    AlignOptions, Alignment, Cardinality, Contradiction, FileMapping, JudgedPairs, MappingSet, Predicate,
    RemovedMapping, SetMetadata, read_concepts, read_mappings,
};
use truename_error::{counted, grouped};

use crate::arguments::{Align, MappingFormat, MetadataArguments, Relation};
use crate::exit_code::UsageError;
use crate::output::Output;
use crate::progress::watched;
use crate::{atomic_file, bars, interrupt, mapping_page, problems};

pub fn run(arguments: &Align, quiet: bool) -> anyhow::Result<()> {
    let stdin = [&arguments.subjects, &arguments.objects].into_iter().filter(|path| *path == Path::new("-")).count();
    if stdin > 1 {
        return Err(UsageError("stdin can be one of the vocabularies alone".into()).into());
    }
    let start = Instant::now();
    let no_bar = quiet || bars::is_in_the_way(arguments.out.as_ref());
    let options = arguments.reading.options();
    let read = |path: &PathBuf| watched(no_bar, || concepts(path, &options, quiet));
    let (source, target) = (read(&arguments.subjects)?, read(&arguments.objects)?);
    let background: Vec<Vec<Concept>> = arguments.background.iter().map(read).collect::<Result<_, _>>()?;
    let judged =
        JudgedPairs::of_files([&source, &target], &read_all(&arguments.known)?, &read_all(&arguments.exclude)?);
    let encoder = arguments.encoder.as_deref().map(|folder| arguments.adapter.open(folder)).transpose()?;
    let align = AlignOptions {
        encoder: encoder.as_ref(),
        background: &background.concat(),
        judged: &judged.pairs,
        cardinality: if arguments.many { Cardinality::Many } else { Cardinality::OneToOne },
        predicates: &arguments.predicate.iter().map(|relation| relation.predicate()).collect::<Vec<_>>(),
        threshold: arguments.threshold,
        neighbours: arguments.neighbours.into(),
        progress: interrupt::progress(),
        ..AlignOptions::default()
    };
    let reading = start.elapsed().as_secs_f64();
    let alignment = watched(no_bar, || Alignment::new(&source, &target, &align))?;
    let mut summary = Summary::of([&source, &target], &alignment, reading);
    let committing = interrupt::commit()?;
    write(arguments, [&source, &target], &alignment)?;
    summary.seconds = start.elapsed().as_secs_f64();
    atomic_file::write_json(arguments.json.as_deref(), &summary)?;
    drop(committing);
    if !quiet {
        say_judged(&judged);
        say_removed([&source, &target], &alignment.removed);
        summary.say();
    }
    Ok(())
}

/// Reads the concepts of a knowledge base or of files.
fn concepts(path: &Path, options: &ImportOptions, quiet: bool) -> anyhow::Result<Vec<Concept>> {
    let import = read_concepts(path, options)?;
    if !quiet {
        let listed: Vec<String> = import.problems.iter().map(problems::advised).collect();
        problems::list(&listed, import.problem_count, "malformed entries skipped");
    }
    Ok(import.concepts)
}

fn read_all(paths: &[PathBuf]) -> anyhow::Result<Vec<FileMapping>> {
    let read = paths.iter().map(|path| read_mappings(path)).collect::<Result<Vec<_>, _>>()?;
    Ok(read.concat())
}

impl Relation {
    fn predicate(self) -> Predicate {
        match self {
            Self::Exact => Predicate::Exact,
            Self::Broad => Predicate::Broad,
            Self::Narrow => Predicate::Narrow,
            Self::Related => Predicate::Related,
        }
    }
}

fn write(arguments: &Align, [source, target]: [&[Concept]; 2], alignment: &Alignment) -> anyhow::Result<()> {
    let metadata = metadata(&arguments.metadata);
    let set = MappingSet::new(source, target, &alignment.mappings, &metadata);
    let text = match arguments.mapping_format {
        MappingFormat::Sssom => set.to_sssom(),
        MappingFormat::Oaei => set.to_oaei(),
        MappingFormat::Owl => set.to_owl(),
        MappingFormat::Json => set.to_json(),
    };
    let mut out = Output::open(arguments.out.as_deref())?;
    out.put(text.as_bytes())?;
    out.finish()?;
    if let Some(path) = &arguments.page {
        mapping_page::write(path, [source, target], alignment, &set, arguments.shown as usize)?;
    }
    let Some(path) = &arguments.removed else { return Ok(()) };
    let removed: Vec<_> = alignment.removed.iter().map(|removed| removed.mapping.clone()).collect();
    atomic_file::write(path, &MappingSet::new(source, target, &removed, &metadata).to_sssom())
}

fn metadata(arguments: &MetadataArguments) -> SetMetadata {
    SetMetadata {
        mapping_set_id: arguments.mapping_set_id.clone(),
        license: arguments.license.clone(),
        mapping_date: arguments.mapping_date.map(|date| date.to_string()),
        sources: [arguments.subject_source.clone(), arguments.object_source.clone()],
        source_versions: [arguments.subject_source_version.clone(), arguments.object_source_version.clone()],
        prefixes: arguments.prefixes.iter().cloned().collect(),
    }
}

fn say_judged(judged: &JudgedPairs) {
    if !judged.unknown.is_empty() {
        let unknown = |mapping: &FileMapping| {
            let (subject, object) = (&mapping.subject, &mapping.object);
            format!("left out the judged mapping of {subject} onto {object}: not both vocabularies have their concept")
        };
        problems::show(&judged.unknown.iter().map(unknown).collect::<Vec<_>>(), judged.unknown.len() as u64);
    }
}

fn say_removed([source, target]: [&[Concept]; 2], removed: &[RemovedMapping]) {
    let line = |removed: &RemovedMapping| {
        let shown = |(from, to): (usize, usize)| format!("{} onto {}", source[from].id, target[to].id);
        let mapping = (removed.mapping.source, removed.mapping.target);
        let (mapping, conflict) = (shown(mapping), shown(removed.conflict));
        let reason = match removed.reason {
            Contradiction::Disjoint => "it puts a concept below two disjoint ones",
            _ => "it makes a concept its own ancestor",
        };
        format!("removed {mapping}: with {conflict} {reason}")
    };
    problems::show(&removed.iter().map(line).collect::<Vec<_>>(), removed.len() as u64);
}

/// Counts and times of a run, as `--json` has them.
#[derive(Serialize)]
struct Summary {
    source: usize,
    target: usize,
    compared: usize,
    mappings: usize,
    removed: usize,
    rounds: usize,
    /// Names longer than the encoder's window.
    truncated: usize,
    /// Seconds in all, and those of reading.
    seconds: f64,
    reading: f64,
}

impl Summary {
    fn of([source, target]: [&[Concept]; 2], alignment: &Alignment, reading: f64) -> Self {
        Self {
            source: source.len(),
            target: target.len(),
            compared: alignment.compared,
            mappings: alignment.mappings.len(),
            removed: alignment.removed.len(),
            rounds: alignment.rounds,
            truncated: alignment.truncated,
            seconds: 0.0,
            reading,
        }
    }

    fn say(&self) {
        if self.truncated > 0 {
            let names = counted(self.truncated as u64, "name");
            crate::say!("{names} longer than the encoder's window; their vectors are of the beginning");
        }
        crate::say!(
            "{} and {}: {} compared, {} ({:.1} s)",
            counted(self.source as u64, "concept"),
            grouped(self.target as u64),
            counted(self.compared as u64, "pair"),
            counted(self.mappings as u64, "mapping"),
            self.seconds
        );
    }
}
