//! `truename evaluate`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use truename::LinkOptions;
use truename_eval::{Judged, NameScores, compare, plot, read_gold, read_judged, write_judged};

use crate::arguments::{Evaluate, EvaluateNames};
use crate::atomic_file;
use crate::command::judge::{DEPTH, judge};
use crate::command::{cross_validate, open_linker};
use crate::interrupt;

pub fn run(command: Evaluate, quiet: bool) -> anyhow::Result<()> {
    let arguments = match command {
        Evaluate::Names(arguments) => arguments,
        Evaluate::Link(arguments) => return super::evaluate_link::run(&arguments, quiet),
        Evaluate::Mentions(arguments) => return super::evaluate_mentions::run(&arguments, quiet),
    };
    if let Some(files) = &arguments.compare {
        return compare_files(&files[0], &files[1], arguments.json.as_deref());
    }
    let judged = match (&arguments.gold, arguments.folds) {
        (Some(gold), _) => answers(gold, &arguments, quiet)?,
        (None, Some(folds)) => cross_validate::run(&arguments, folds, quiet)?,
        (None, None) => return Ok(()),
    };
    report(&judged, &arguments)
}

fn answers(gold: &Path, arguments: &EvaluateNames, quiet: bool) -> anyhow::Result<Vec<Judged>> {
    let gold = read_gold(gold)?;
    let options = LinkOptions::default()
        .top(DEPTH)
        .min_probability(arguments.min_probability)
        .types(arguments.types.clone())
        .placeholders(arguments.placeholders.read()?);
    let linker = open_linker(&arguments.kb, quiet)?.with_options(options)?;
    judge(&linker, gold, quiet)
}

fn report(judged: &[Judged], arguments: &EvaluateNames) -> anyhow::Result<()> {
    let scores = NameScores::of(judged);
    let _committing = interrupt::commit()?;
    writeln!(std::io::stdout(), "{scores}")?;
    if let Some(path) = &arguments.json {
        atomic_file::write(path, &(serde_json::to_string_pretty(&scores)? + "\n"))?;
    }
    if let Some(folder) = &arguments.plots {
        write_plots(folder, &scores)?;
    }
    if let Some(path) = &arguments.predictions {
        let mut file = atomic_file::AtomicFile::create(path)?;
        write_judged(&mut file, judged).with_context(|| format!("cannot write {}", path.display()))?;
        file.finish()?;
    }
    Ok(())
}

fn write_plots(folder: &PathBuf, scores: &NameScores) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    atomic_file::write(&folder.join("nil-roc.svg"), &plot::nil_roc(scores))?;
    atomic_file::write(&folder.join("reliability.svg"), &plot::reliability(scores))
}

fn compare_files(left: &Path, right: &Path, json: Option<&Path>) -> anyhow::Result<()> {
    let (first, second) = (read_judged(left)?, read_judged(right)?);
    let differs = |(a, b): &(&Judged, &Judged)| a.name != b.name || a.gold != b.gold;
    if let Some((one, _)) = first.iter().zip(&second).find(differs) {
        return Err(truename_eval::Error::different(&one.name, left, right).into());
    }
    if first.len() != second.len() {
        let longer = if first.len() > second.len() { &first } else { &second };
        return Err(truename_eval::Error::different(&longer[first.len().min(second.len())].name, left, right).into());
    }
    let comparison = compare(&first, &second);
    writeln!(std::io::stdout(), "{comparison}")?;
    if let Some(path) = json {
        atomic_file::write(path, &(serde_json::to_string_pretty(&comparison)? + "\n"))?;
    }
    Ok(())
}
