//! `truename evaluate`.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use truename_error::grouped;
use truename_eval::{
    JudgedName, NameError, NameErrorKind, NameReport, NameScores, check_same_names, compare, plot, read_gold,
    read_judged, write_judged,
};

use crate::arguments::{Evaluate, EvaluateNames};
use crate::atomic_file;
use crate::command::judge::{judge, options};
use crate::command::{check_vectors, cross_validate, open_linker};
use crate::{interrupt, output};

pub fn run(command: Evaluate, quiet: bool) -> anyhow::Result<()> {
    let arguments = match command {
        Evaluate::Names(arguments) => arguments,
        Evaluate::Clusters(arguments) => return super::evaluate_clusters::run(&arguments, quiet),
        Evaluate::Link(arguments) => return super::evaluate_link::run(&arguments, quiet),
        Evaluate::Mentions(arguments) => return super::evaluate_mentions::run(&arguments, quiet),
        Evaluate::Classes(arguments) => return super::evaluate_classes::run(&arguments, quiet),
        Evaluate::Assertions(arguments) => return super::evaluate_assertions::run(&arguments),
        Evaluate::Substitutes(arguments) => return super::evaluate_substitutes::run(&arguments, quiet),
        Evaluate::Mappings(arguments) => return super::evaluate_mappings::run(&arguments),
        Evaluate::Pairs(arguments) => return super::evaluate_pairs::run(&arguments, quiet),
    };
    if let Some(files) = &arguments.compare {
        return compare_files(files, &arguments);
    }
    let (nil_share, errors) = (arguments.nil.nil_share, arguments.errors as usize);
    match (&arguments.gold, arguments.folds) {
        (Some(gold), _) => {
            let gold = read_gold(gold)?;
            let linker = open_linker(&arguments.kb, quiet)?.with_options(options(&arguments)?)?;
            check_vectors("--vote", arguments.vote > 0, linker.knowledge_base().encoder()?.is_some())?;
            let linked = judge(&linker, gold, quiet)?;
            write(&linked.judged, &linked.report(linker.knowledge_base(), nil_share, errors)?, &arguments)
        }
        (None, Some(folds)) => {
            let (judged, dataset) = cross_validate::run(&arguments, folds, quiet)?;
            let concepts = dataset.searched().iter().map(|concept| (concept.id.as_str(), &concept.names));
            let names: HashMap<&str, &Vec<String>> = concepts.collect();
            let names = |id: &str| Ok(names.get(id).map_or_else(Vec::new, |names| names.to_vec()));
            write(&judged, &NameReport::of::<truename::Error>(&judged, names, nil_share, errors)?, &arguments)
        }
        (None, None) => Ok(()),
    }
}

fn print_report(report: &NameReport, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{}", report.scores)?;
    if report.nil_trade_off.iter().any(|point| point.nil.is_some()) {
        print_trade_off(report, out)?;
    }
    let mut kinds: Vec<(NameErrorKind, usize)> =
        report.error_kinds.iter().map(|(kind, count)| (*kind, *count)).collect();
    kinds.sort_by_key(|(_, count)| Reverse(*count));
    if !kinds.is_empty() {
        writeln!(out, "\nerrors, asked → right; answered")?;
    }
    for (kind, count) in kinds {
        writeln!(out, "{} {}", kind.as_str(), grouped(count as u64))?;
        report.errors.iter().filter(|error| error.kind == kind).try_for_each(|error| print_error(out, error))?;
    }
    Ok(())
}

fn print_trade_off(report: &NameReport, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "\nNIL below  right  wrong  right NIL  decisions, in %")?;
    for point in &report.nil_trade_off {
        let [right, wrong, nil, decisions] =
            [Some(point.right), Some(point.wrong), point.nil, point.decisions].map(percent);
        writeln!(out, "{:9.2}  {right}  {wrong}      {nil}      {decisions}", point.threshold)?;
    }
    Ok(())
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

fn write(judged: &[JudgedName], report: &NameReport, arguments: &EvaluateNames) -> anyhow::Result<()> {
    let _committing = interrupt::commit()?;
    let mut out = output::stdout();
    print_report(report, &mut out)?;
    out.finish()?;
    atomic_file::write_json(arguments.json.as_deref(), report)?;
    if let Some(folder) = &arguments.plots {
        write_plots(folder, report)?;
    }
    if let Some(path) = &arguments.predictions {
        let mut file = atomic_file::AtomicFile::create(path)?;
        write_judged(&mut file, judged).with_context(|| format!("cannot write {}", path.display()))?;
        file.finish()?;
    }
    Ok(())
}

fn write_plots(folder: &PathBuf, report: &NameReport) -> anyhow::Result<()> {
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
    match &comparisons[..] {
        [only] => atomic_file::write_json(arguments.json.as_deref(), only)?,
        all => atomic_file::write_json(arguments.json.as_deref(), &all)?,
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
