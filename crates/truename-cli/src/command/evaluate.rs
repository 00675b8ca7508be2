//! `truename evaluate`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use truename::{LinkOptions, Linker};
use truename_eval::{Answer, GoldName, Judged, NameScores, compare, plot, read_gold, read_judged, write_judged};

use crate::arguments::{Evaluate, EvaluateNames};
use crate::command::{cross_validate, open_linker};
use crate::problems::say_truncated;
use crate::{atomic_file, interrupt, progress};

/// Candidates taken of each name, which the ranks need.
pub const DEPTH: usize = 50;
/// Names linked between two looks at the clock and at Ctrl-C.
const PIECE: usize = 1024;

pub fn run(command: Evaluate, quiet: bool) -> anyhow::Result<()> {
    let arguments = match command {
        Evaluate::Names(arguments) => arguments,
        Evaluate::Link(arguments) => return super::evaluate_link::run(&arguments, quiet),
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
    let options = LinkOptions {
        top: DEPTH,
        min_probability: arguments.min_probability,
        types: arguments.types.clone(),
        ..LinkOptions::default()
    };
    let linker = open_linker(&arguments.kb, quiet)?.with_options(options)?;
    judge(&linker, gold, quiet)
}

fn report(judged: &[Judged], arguments: &EvaluateNames) -> anyhow::Result<()> {
    let scores = NameScores::of(judged);
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

pub fn judge(linker: &Linker, gold: Vec<GoldName>, quiet: bool) -> anyhow::Result<Vec<Judged>> {
    let bar = progress::count_bar(gold.len() as u64, quiet);
    let (mut judged, mut truncated) = (Vec::with_capacity(gold.len()), 0);
    for piece in gold.chunks(PIECE) {
        anyhow::ensure!(!interrupt::asked(), "interrupted");
        let names: Vec<&str> = piece.iter().map(|gold| gold.name.as_str()).collect();
        for (gold, link) in piece.iter().zip(linker.link_names(&names)?) {
            truncated += u64::from(link.is_truncated);
            let answers = link.candidates.into_iter().map(|c| Answer { id: c.id, probability: c.probability });
            judged.push(Judged {
                name: gold.name.clone(),
                gold: gold.ids.clone(),
                kind: gold.kind.clone(),
                answers: answers.collect(),
                nil: link.is_nil,
            });
        }
        bar.inc(piece.len() as u64);
    }
    bar.finish_and_clear();
    if !quiet {
        say_truncated(truncated);
    }
    Ok(judged)
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
