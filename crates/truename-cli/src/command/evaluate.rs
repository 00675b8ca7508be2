//! `truename evaluate`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use truename::{ConceptId, KnowledgeBase, LinkOptions, Linker};
use truename_eval::{
    JudgedName, NameError, NameErrorKind, NameErrors, NameScores, NilTradeOff, check_same_names, compare, plot,
    read_gold, read_judged, write_judged,
};

use crate::arguments::{Evaluate, EvaluateNames};
use crate::atomic_file;
use crate::command::judge::{DEPTH, judge};
use crate::command::{check_vectors, cross_validate, open_linker};
use crate::count::grouped;
use crate::{interrupt, output};

pub fn run(command: Evaluate, quiet: bool) -> anyhow::Result<()> {
    let arguments = match command {
        Evaluate::Names(arguments) => arguments,
        Evaluate::Clusters(arguments) => return super::evaluate_clusters::run(&arguments, quiet),
        Evaluate::Link(arguments) => return super::evaluate_link::run(&arguments, quiet),
        Evaluate::Mentions(arguments) => return super::evaluate_mentions::run(&arguments, quiet),
        Evaluate::Classes(arguments) => return super::evaluate_classes::run(&arguments, quiet),
        Evaluate::Substitutes(arguments) => return super::evaluate_substitutes::run(&arguments, quiet),
        Evaluate::Pairs(arguments) => return super::evaluate_pairs::run(&arguments, quiet),
    };
    if let Some(files) = &arguments.compare {
        return compare_files(files, &arguments);
    }
    match (&arguments.gold, arguments.folds) {
        (Some(gold), _) => {
            let (judged, linker) = answers(gold, &arguments, quiet)?;
            report(&judged, |id| names_of(linker.knowledge_base(), id), &arguments)
        }
        (None, Some(folds)) => {
            let (judged, dataset) = cross_validate::run(&arguments, folds, quiet)?;
            let concepts = dataset.searched().iter().map(|concept| (concept.id.as_str(), &concept.names));
            let names: HashMap<&str, &Vec<String>> = concepts.collect();
            report(&judged, |id| Ok(names.get(id).map_or_else(Vec::new, |names| names.to_vec())), &arguments)
        }
        (None, None) => Ok(()),
    }
}

fn answers(gold: &Path, arguments: &EvaluateNames, quiet: bool) -> anyhow::Result<(Vec<JudgedName>, Linker)> {
    let gold = read_gold(gold)?;
    let options = arguments.concepts.apply(arguments.nil.apply(LinkOptions::default()));
    let (vote, placeholders) = (arguments.vote as usize, arguments.placeholders.read()?);
    let options = LinkOptions { top: DEPTH, vote, placeholders, ..options };
    let linker = open_linker(&arguments.kb, quiet)?.with_options(options)?;
    check_vectors("--vote", arguments.vote > 0, linker.knowledge_base().encoder()?.is_some())?;
    Ok((judge(&linker, gold, quiet)?, linker))
}

/// Returns the names of a concept; none if the knowledge base does not have it, as judgements may name other ids.
fn names_of(kb: &KnowledgeBase, id: &str) -> anyhow::Result<Vec<String>> {
    let Ok(id) = id.parse::<ConceptId>() else { return Ok(Vec::new()) };
    match kb.concept(&id) {
        Ok(concept) => Ok(concept.names().map(str::to_owned).collect()),
        Err(error) if error.is_not_found() => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The scores and errors, as `--json` has them.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    scores: NameScores,
    nil_trade_off: Vec<NilTradeOff>,
    error_kinds: BTreeMap<NameErrorKind, usize>,
    errors: Vec<NameError>,
}

impl Report {
    fn of(
        judged: &[JudgedName],
        names: impl Fn(&str) -> anyhow::Result<Vec<String>>,
        arguments: &EvaluateNames,
    ) -> anyhow::Result<Self> {
        let NameErrors { kinds: error_kinds, mut errors, .. } = NameErrors::of(judged, names)?;
        let mut shown: BTreeMap<NameErrorKind, u32> = BTreeMap::new();
        errors.retain(|error| {
            let shown = shown.entry(error.kind).or_default();
            *shown += 1;
            *shown <= arguments.errors
        });
        let nil_trade_off = NilTradeOff::of(judged, arguments.nil.nil_share);
        Ok(Self { scores: NameScores::of(judged), nil_trade_off, error_kinds, errors })
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "{}", self.scores)?;
        if self.nil_trade_off.iter().any(|point| point.nil.is_some()) {
            self.print_trade_off(out)?;
        }
        let mut kinds: Vec<(NameErrorKind, usize)> =
            self.error_kinds.iter().map(|(kind, count)| (*kind, *count)).collect();
        kinds.sort_by_key(|(_, count)| Reverse(*count));
        if !kinds.is_empty() {
            writeln!(out, "\nerrors, asked → right; answered")?;
        }
        for (kind, count) in kinds {
            writeln!(out, "{} {}", kind.as_str(), grouped(count as u64))?;
            self.errors.iter().filter(|error| error.kind == kind).try_for_each(|error| print_error(out, error))?;
        }
        Ok(())
    }

    fn print_trade_off(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "\nNIL below  right  wrong  right NIL  decisions, in %")?;
        for point in &self.nil_trade_off {
            let [right, wrong, nil, decisions] =
                [Some(point.right), Some(point.wrong), point.nil, point.decisions].map(percent);
            writeln!(out, "{:9.2}  {right}  {wrong}      {nil}      {decisions}", point.threshold)?;
        }
        Ok(())
    }
}

/// A share in percent, or a dash.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "    –".into(), |share| format!("{:5.1}", 100.0 * share))
}

fn print_error(out: &mut impl Write, error: &NameError) -> std::io::Result<()> {
    let NameError { name, gold, answers, nil, count, .. } = error;
    let right = if gold.is_empty() { "NIL".to_owned() } else { gold.join(" | ") };
    let nil = if *nil { "NIL, before it " } else { "" };
    writeln!(out, "{count:6}  “{name}” → {right}; {nil}{}", answers.join(" / "))
}

fn report(
    judged: &[JudgedName],
    names: impl Fn(&str) -> anyhow::Result<Vec<String>>,
    arguments: &EvaluateNames,
) -> anyhow::Result<()> {
    let report = Report::of(judged, names, arguments)?;
    let _committing = interrupt::commit()?;
    let mut out = output::stdout();
    report.print(&mut out)?;
    out.finish()?;
    if let Some(path) = &arguments.json {
        atomic_file::write(path, &(serde_json::to_string_pretty(&report)? + "\n"))?;
    }
    if let Some(folder) = &arguments.plots {
        write_plots(folder, &report)?;
    }
    if let Some(path) = &arguments.predictions {
        let mut file = atomic_file::AtomicFile::create(path)?;
        write_judged(&mut file, judged).with_context(|| format!("cannot write {}", path.display()))?;
        file.finish()?;
    }
    Ok(())
}

fn write_plots(folder: &PathBuf, report: &Report) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    atomic_file::write(&folder.join("nil-roc.svg"), &plot::nil_roc(&report.scores))?;
    atomic_file::write(&folder.join("nil-trade-off.svg"), &plot::nil_trade_off(&report.nil_trade_off))?;
    atomic_file::write(&folder.join("reliability.svg"), &plot::reliability(&report.scores))
}

/// Compares each file of predictions with the first.
fn compare_files(files: &[PathBuf], arguments: &EvaluateNames) -> anyhow::Result<()> {
    let judged: Vec<Vec<JudgedName>> = files.iter().map(|file| read_judged(file)).collect::<Result<_, _>>()?;
    let (first, others) = judged.split_first().context("--compare takes two files or more")?;
    let mut comparisons = Vec::new();
    for (file, other) in files[1..].iter().zip(others) {
        check_same_names((first, &files[0]), (other, file))?;
        comparisons.push(compare(first, other));
    }
    let mut out = output::stdout();
    for (file, comparison) in files[1..].iter().zip(&comparisons) {
        if comparisons.len() > 1 {
            writeln!(out, "{} and {}", files[0].display(), file.display())?;
        }
        writeln!(out, "{comparison}")?;
    }
    out.finish()?;
    if let Some(path) = &arguments.json {
        let json = match &comparisons[..] {
            [only] => serde_json::to_string_pretty(only)?,
            all => serde_json::to_string_pretty(all)?,
        };
        atomic_file::write(path, &(json + "\n"))?;
    }
    if let Some(folder) = &arguments.plots {
        let stems: BTreeSet<_> = files.iter().map(|file| file.file_stem()).collect();
        let name = |file: &PathBuf| match file.file_stem() {
            Some(stem) if stems.len() == files.len() => stem.to_string_lossy().into_owned(),
            _ => file.display().to_string(),
        };
        let systems: Vec<_> = files.iter().map(name).zip(judged.iter().map(|judged| NameScores::of(judged))).collect();
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        atomic_file::write(&folder.join("nil-roc.svg"), &plot::nil_rocs(&systems))?;
    }
    Ok(())
}
