//! `truename train` and `truename recipe`.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use indicatif::ProgressBar;
use truename_error::counted;
use truename_train::{Change, Event, Kind, Member, Recipe, Run, Start};

use crate::arguments::{RecipeChanges, RecipeCommand, Train};
use crate::bars::bar;
use crate::interrupt;

/// The bar of a run.
const STEPS: &str = "{bar:30} {human_pos}/{human_len} steps  {msg}  {eta} left";

pub fn recipe(command: &RecipeCommand) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match command {
        RecipeCommand::Explain { kind: Some(kind) } => {
            let kind = Kind::find(kind).with_context(|| format!("there is no kind of task {kind}"))?;
            write!(out, "{}", kind.explained())?;
        }
        RecipeCommand::Explain { kind: None } => {
            writeln!(out, "Kinds of tasks; `truename recipe explain KIND` prints a recipe with every key of one.")?;
            for kind in Kind::all() {
                writeln!(out, "  {:11}{}", kind.name(), kind.summary())?;
            }
        }
    }
    Ok(())
}

pub fn run(arguments: &Train, quiet: bool) -> anyhow::Result<()> {
    let Train { recipe, out, changes, resume } = arguments;
    train(&resolved(recipe, changes)?, out, *resume, quiet)
}

/// Makes the runs of a recipe, and prints their folder.
pub fn train(recipe: &Recipe, out: &Path, resume: bool, quiet: bool) -> anyhow::Result<()> {
    let start = if resume { Start::Resumed } else { Start::Anew };
    interrupt::check()?;
    truename_train::train(recipe, out, start, |member, run| make(member, run, "`--resume` goes on from there", quiet))?;
    writeln!(std::io::stdout(), "{}", out.display())?;
    Ok(())
}

/// Makes one of the runs of a recipe; `way_on` is the way to go on with it, said where it is interrupted.
pub fn make(member: Member, run: &mut dyn Run, way_on: &str, quiet: bool) -> anyhow::Result<()> {
    if !quiet {
        match member {
            Member::WithoutFold { fold, folds } => {
                crate::say!("training without part {} of {folds} of the names:", fold + 1);
            }
            Member::OfChain { number, runs } => crate::say!("run {} of {runs}:", number + 1),
            Member::Whole => {}
        }
        run.describe()?.iter().for_each(|line| crate::say!("{line}"));
    }
    finish(run, way_on, quiet)?;
    if !quiet {
        crate::say!("{} ({:.0} s)", counted(run.step(), "step"), run.seconds());
    }
    Ok(())
}

/// Makes all steps that are left; a run that is interrupted saves a checkpoint and is an error.
pub fn finish(run: &mut dyn Run, way_on: &str, quiet: bool) -> anyhow::Result<()> {
    interrupt::keeps(&format!("the last checkpoint is kept, and {way_on}"));
    let bar = bar(run.steps(), STEPS, quiet);
    bar.set_position(run.step());
    run.stop_by(interrupt::progress());
    let outcome = steps(run, &bar, quiet);
    bar.finish_and_clear();
    outcome?;
    if interrupt::asked() && !run.is_over() {
        interrupt::saving(|| run.save())?;
        let (step, steps) = (run.step(), run.steps());
        anyhow::bail!("interrupted after step {step} of {steps}; {way_on}");
    }
    Ok(())
}

/// Returns the recipe with the changes of the command line.
pub fn resolved(recipe: &Path, changes: &RecipeChanges) -> anyhow::Result<Recipe> {
    Ok(Recipe::read(recipe, &changed_keys(changes)?)?)
}

/// Returns the changes of the command line to single keys.
pub fn changed_keys(changes: &RecipeChanges) -> anyhow::Result<Vec<Change>> {
    let RecipeChanges { kb, names, encoder, adapter, device, set } = changes;
    let mut all: Vec<Change> = set.iter().map(|change| Change::parse("--set", change)).collect::<Result<_, _>>()?;
    let paths = [("--kb", "data.kb", kb), ("--names", "data.names", names)];
    let paths = paths.into_iter().filter(|(.., paths)| !paths.is_empty());
    all.extend(paths.map(|(flag, key, paths)| Change::paths(flag, key, paths)));
    all.extend(encoder.iter().map(|encoder| Change::path("--encoder", "encoder.from", encoder)));
    all.extend(adapter.iter().map(|adapter| Change::text("--adapter", "encoder.adapters", &adapter.to_string())));
    all.extend(device.iter().map(|device| Change::text("--device", "device", device)));
    Ok(all)
}

fn steps(run: &mut dyn Run, bar: &ProgressBar, quiet: bool) -> anyhow::Result<()> {
    let mut learnt = 0;
    let start = std::time::Instant::now();
    let mut is_time_told = quiet;
    while !interrupt::asked() {
        let event = match run.advance() {
            Err(error) if error.is_interrupted() => break,
            event => event?,
        };
        match event {
            Some(Event::Step { step, loss, learning_rate, texts }) => {
                learnt += texts;
                let rate = learnt as f64 / start.elapsed().as_secs_f64();
                bar.set_position(step);
                bar.set_message(format!("loss {loss:.4}, rate {learning_rate:.1e}, {rate:.0} texts/s"));
                if let Some(seconds) = run.seconds_left().filter(|_| !is_time_told) {
                    is_time_told = true;
                    bar.suspend(|| crate::say!("an estimated {} left, without evaluations", duration(seconds)));
                }
            }
            Some(Event::OutOfTime) if !quiet => {
                let (step, steps) = (run.step(), run.steps());
                bar.suspend(|| crate::say!("the time of schedule.max_minutes is over after step {step} of {steps}"));
            }
            Some(Event::Evaluation { epoch, step, scores: Some(scores), is_best }) if !quiet => {
                let place = step.map_or_else(|| format!("epoch {epoch}"), |step| format!("step {step}"));
                let values = scores.values.iter().map(|(name, value)| format!("{name} {:.2} %", 100.0 * value));
                let values = values.collect::<Vec<_>>().join(", ");
                let mark = if is_best { ", the best so far" } else { "" };
                bar.suspend(|| crate::say!("{place}: {values} on {}{mark}", counted(scores.names as u64, "example")));
            }
            Some(_) => {}
            None => break,
        }
    }
    Ok(())
}

/// Formats seconds for a reader.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 100.0 => format!("{seconds:.0} s"),
        seconds if seconds < 6000.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}
