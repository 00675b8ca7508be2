//! `truename tune`.

use std::io::Write;

use truename_train::{Dataset, Recipe, Setting, Trial, Tuning, draw, grid};

use crate::arguments::{RecipeChanges, Tune};
use crate::command::train::{finish, resolved};
use crate::spread::Spread;

pub fn run(arguments: &Tune, quiet: bool) -> anyhow::Result<()> {
    let Tune { axes, folds, random, .. } = arguments;
    let base = resolved(&arguments.recipe, &arguments.changes)?;
    let settings = match random {
        Some(count) => draw(axes, *count as usize, base.seed),
        None => grid(axes)?,
    };
    // All before the first is trained, so that an error is known at once.
    let recipes: Vec<Recipe> = settings.iter().map(|setting| changed(arguments, setting)).collect::<Result<_, _>>()?;
    let dataset = Dataset::read(&base)?;
    let mut tuning = Tuning::open(&arguments.out)?;
    let mut trials: Vec<Vec<Trial>> = vec![Vec::new(); settings.len()];
    for fold in 0..arguments.first.map_or(*folds, |first| *folds.min(&(first as usize))) {
        let part = dataset.fold(fold, *folds);
        for ((recipe, setting), trials) in recipes.iter().zip(&settings).zip(&mut trials) {
            if !quiet {
                crate::say!("fold {} of {folds}: {}", fold + 1, setting.join(" "));
            }
            trials.push(trial(&mut tuning, recipe, setting, &part, fold, quiet)?);
        }
    }
    print(&settings, &trials)
}

fn changed(arguments: &Tune, setting: &Setting) -> anyhow::Result<Recipe> {
    let set = arguments.changes.set.iter().chain(setting).cloned().collect();
    let changes = RecipeChanges { set, ..arguments.changes.clone() };
    resolved(&arguments.recipe, &changes)
}

/// Returns a trial that was finished before, or trains.
fn trial(
    tuning: &mut Tuning,
    recipe: &Recipe,
    setting: &Setting,
    dataset: &Dataset,
    fold: usize,
    quiet: bool,
) -> anyhow::Result<Trial> {
    if let Some(known) = tuning.find(recipe, dataset)? {
        return Ok(known.clone());
    }
    let mut run = tuning.begin(recipe, dataset)?;
    finish(run.as_mut(), "the same command goes on from there", quiet)?;
    Ok(tuning.record(recipe, dataset, run.as_ref(), setting.clone(), fold)?.clone())
}

/// A line a setting, the best first: the mean over the folds and the standard deviation.
fn print(settings: &[Setting], trials: &[Vec<Trial>]) -> anyhow::Result<()> {
    let spread = |trials: &[Trial], value: fn(&Trial) -> f64| Spread::of(&trials.iter().map(value).collect::<Vec<_>>());
    let mut rows: Vec<(Spread, String)> = Vec::new();
    for (setting, trials) in settings.iter().zip(trials) {
        let first = spread(trials, |trial| 100.0 * trial.scores.get("acc@1"));
        let three = spread(trials, |trial| 100.0 * trial.scores.get("acc@3"));
        let five = spread(trials, |trial| 100.0 * trial.scores.get("acc@5"));
        let seconds = spread(trials, |trial| trial.seconds).mean;
        rows.push((first, format!("{first}  {three}  {five}  {seconds:7.0}  {}", setting.join(" "))));
    }
    rows.sort_by(|left, right| right.0.mean.total_cmp(&left.0.mean));
    let mut out = std::io::stdout().lock();
    writeln!(out, "        acc@1          acc@3          acc@5  seconds  setting")?;
    for (_, row) in rows {
        writeln!(out, "{row}")?;
    }
    Ok(())
}
