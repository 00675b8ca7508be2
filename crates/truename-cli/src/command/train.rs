//! `truename train` and `truename recipe`.

use std::io::Write;
use std::path::Path;

use indicatif::ProgressBar;
use truename_train::{Dataset, EXPLAINED, Event, Recipe, Run, Start, begin, fold_folder};

use crate::arguments::{RecipeChanges, RecipeCommand, Train};
use crate::interrupt;
use crate::progress::{bar, counted};

/// The bar of a run.
const STEPS: &str = "{bar:30} {human_pos}/{human_len} steps  {msg}  {eta} left";

pub fn recipe(command: &RecipeCommand) -> anyhow::Result<()> {
    match command {
        RecipeCommand::Explain => Ok(std::io::stdout().write_all(EXPLAINED.as_bytes())?),
    }
}

pub fn run(arguments: &Train, quiet: bool) -> anyhow::Result<()> {
    let Train { recipe, out, changes, resume } = arguments;
    let recipe = resolved(recipe, changes)?;
    let dataset = Dataset::read(&recipe)?;
    let start = if *resume { Start::Resumed } else { Start::Anew };
    train(&Place { out, start, way_on: "`--resume` goes on from there" }, &recipe, &dataset, quiet)?;
    writeln!(std::io::stdout(), "{}", out.display())?;
    Ok(())
}

/// The folder of a run.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub out: &'a Path,
    pub start: Start,
    /// The way to go on with the run, said where it is interrupted.
    pub way_on: &'a str,
}

/// Makes a run, and those beside it that miss a part of the names each, where the recipe asks for them.
pub fn train(place: &Place, recipe: &Recipe, dataset: &Dataset, quiet: bool) -> anyhow::Result<()> {
    interrupt::check()?;
    train_one(place, recipe, dataset.clone(), quiet)?;
    let folds = recipe.ranker.folds;
    for fold in 0..folds {
        if !quiet {
            crate::say!("training without part {} of {folds} of the names:", fold + 1);
        }
        let out = fold_folder(place.out, fold);
        train_one(&Place { out: &out, ..*place }, recipe, dataset.without_fold(fold, folds), quiet)?;
    }
    Ok(())
}

fn train_one(place: &Place, recipe: &Recipe, dataset: Dataset, quiet: bool) -> anyhow::Result<()> {
    let mut run = begin(recipe, dataset, place.out, place.start)?;
    if !quiet {
        run.describe()?.iter().for_each(|line| crate::say!("{line}"));
    }
    finish(run.as_mut(), place.way_on, quiet)?;
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

/// The recipe with what the command line says in its place.
pub fn resolved(recipe: &Path, changes: &RecipeChanges) -> anyhow::Result<Recipe> {
    let RecipeChanges { kb, names, encoder, device, set } = changes;
    let mut recipe = Recipe::read(recipe, set)?;
    if !kb.is_empty() {
        recipe.data.kb.clone_from(kb);
    }
    if !names.is_empty() {
        recipe.data.names.clone_from(names);
    }
    if let Some(encoder) = encoder {
        recipe.encoder.from.clone_from(encoder);
    }
    if let Some(device) = device {
        recipe.device.clone_from(device);
    }
    Ok(recipe.checked()?)
}

fn steps(run: &mut dyn Run, bar: &ProgressBar, quiet: bool) -> anyhow::Result<()> {
    let mut learnt = 0;
    let start = std::time::Instant::now();
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
                bar.set_message(format!("loss {loss:.4}, rate {learning_rate:.1e}, {rate:.0} names/s"));
            }
            Some(Event::Evaluation { epoch, scores: Some(scores), is_best }) if !quiet => {
                let values = scores.values.iter().map(|(name, value)| format!("{name} {:.2} %", 100.0 * value));
                let values = values.collect::<Vec<_>>().join(", ");
                let mark = if is_best { ", the best so far" } else { "" };
                bar.suspend(|| {
                    crate::say!("epoch {epoch}: {values} of {}{mark}", counted(scores.names as u64, "name"))
                });
            }
            Some(_) => {}
            None => break,
        }
    }
    Ok(())
}
