//! `truename train` and `truename recipe`.

use std::io::Write;
use std::path::Path;

use indicatif::ProgressBar;
use truename_train::{Accuracy, Dataset, EXPLAINED, Event, Recipe, Training, fold_folder};

use crate::arguments::{RecipeChanges, RecipeCommand, Train};
use crate::interrupt;
use crate::problems::say_truncated;
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
    train(&Run { out, goes_on: *resume, way_on: "`--resume` goes on from there" }, &recipe, &dataset, quiet)?;
    writeln!(std::io::stdout(), "{}", out.display())?;
    Ok(())
}

/// Where a run goes.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    pub out: &'a Path,
    /// Whether to go on from the checkpoint in the folder, where there is one.
    pub goes_on: bool,
    /// How to go on with it, said where it is interrupted.
    pub way_on: &'a str,
}

/// A run, and those beside it that miss a part of the names each, where the recipe asks for them.
pub fn train(run: &Run, recipe: &Recipe, dataset: &Dataset, quiet: bool) -> anyhow::Result<()> {
    interrupt::check()?;
    train_one(run, recipe.clone(), dataset.clone(), quiet)?;
    let folds = recipe.ranker.folds;
    for fold in 0..folds {
        if !quiet {
            crate::say!("training without part {} of {folds} of the names:", fold + 1);
        }
        let out = fold_folder(run.out, fold);
        let run = Run { out: &out, ..*run };
        train_one(&run, recipe.clone(), dataset.without_fold(fold, folds), quiet)?;
    }
    Ok(())
}

/// One run from its beginning, or from its checkpoint.
fn train_one(run: &Run, recipe: Recipe, dataset: Dataset, quiet: bool) -> anyhow::Result<()> {
    let Run { out, goes_on, way_on } = *run;
    let mut training =
        if goes_on { Training::resume(recipe, dataset, out)? } else { Training::begin(recipe, dataset, out)? };
    if !quiet {
        let dataset = training.dataset();
        let [names, asked] = [dataset.name_count(), dataset.queries().len()].map(|count| counted(count as u64, "name"));
        crate::say!("{names} of {} to learn, {asked} to ask for", counted(dataset.concepts().len() as u64, "concept"));
        say_truncated(training.truncated() as u64);
    }
    finish(&mut training, way_on, quiet)?;
    if !quiet {
        crate::say!("{} ({:.0} s)", counted(training.step(), "step"), training.seconds());
    }
    Ok(())
}

/// Makes all steps that are left; a run that is interrupted saves a checkpoint and is an error.
pub fn finish(training: &mut Training, way_on: &str, quiet: bool) -> anyhow::Result<()> {
    interrupt::keeps(&format!("the last checkpoint is kept, and {way_on}"));
    let bar = bar(training.steps(), STEPS, quiet);
    bar.set_position(training.step());
    training.stop_by(interrupt::progress());
    let outcome = steps(training, &bar, quiet);
    bar.finish_and_clear();
    outcome?;
    if interrupt::asked() && !training.is_over() {
        interrupt::saving(|| training.save())?;
        let (step, steps) = (training.step(), training.steps());
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

fn steps(training: &mut Training, bar: &ProgressBar, quiet: bool) -> anyhow::Result<()> {
    let mut learnt = 0;
    let start = std::time::Instant::now();
    while !interrupt::asked() {
        let event = match training.advance() {
            Err(error) if error.is_interrupted() => break,
            event => event?,
        };
        match event {
            Some(Event::Step { step, loss, learning_rate, names }) => {
                learnt += names;
                let rate = learnt as f64 / start.elapsed().as_secs_f64();
                bar.set_position(step);
                bar.set_message(format!("loss {loss:.4}, rate {learning_rate:.1e}, {rate:.0} names/s"));
            }
            Some(Event::Evaluation { epoch, accuracy: Some(accuracy), is_best }) => {
                let Accuracy { names: asked, at_1, at_3, at_5 } = accuracy;
                let [one, three, five] = [at_1, at_3, at_5].map(|share| format!("{:.2}", 100.0 * share));
                let names = counted(asked as u64, "name");
                let mark = if is_best { ", the best so far" } else { "" };
                if !quiet {
                    bar.suspend(|| {
                        crate::say!("epoch {epoch}: acc@1 {one} %, acc@3 {three} %, acc@5 {five} % of {names}{mark}");
                    });
                }
            }
            Some(_) => {}
            None => break,
        }
    }
    Ok(())
}
