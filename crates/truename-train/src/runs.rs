//! The runs of a recipe: one on all data, those of its folds, or those of a chain.

use std::path::{Path, PathBuf};

use truename::LearntNames;

use crate::chain;
use crate::names::NameKeys;
use crate::task::learns_from_names;
use crate::{Dataset, Error, Recipe, Run, Start, begin, begin_on};

/// A run among those of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// The run on all data.
    Whole,
    /// A run without one of `folds` parts of the names, by which a ranker can be fitted.
    WithoutFold {
        /// The part that is left out, from 0.
        fold: usize,
        /// Number of parts.
        folds: usize,
    },
    /// A run of a chain.
    OfChain {
        /// Its number, from 0.
        number: usize,
        /// Number of runs.
        runs: usize,
    },
}

/// Makes the runs of a recipe: that on all data, and beside it those of `ranker.folds`; or those of a chain. `make` is given each run to
/// finish.
///
/// Returns their folders, that of the run on all data first.
///
/// # Errors
/// Where the data cannot be read or a run cannot begin, and the errors of `make`.
pub fn train<E: From<Error>>(
    recipe: &Recipe,
    out: &Path,
    start: Start,
    make: impl FnMut(Member, &mut dyn Run) -> Result<(), E>,
) -> Result<Vec<PathBuf>, E> {
    match recipe.kind() {
        chain::KIND => train_chain(recipe, out, start, make),
        _ => train_one(recipe, out, start, make),
    }
}

fn train_one<E: From<Error>>(
    recipe: &Recipe,
    out: &Path,
    start: Start,
    mut make: impl FnMut(Member, &mut dyn Run) -> Result<(), E>,
) -> Result<Vec<PathBuf>, E> {
    if learns_from_names(recipe) {
        return train_on(recipe, &Dataset::read(recipe)?, out, start, make);
    }
    make(Member::Whole, begin(recipe, out, start)?.as_mut())?;
    Ok(vec![out.to_owned()])
}

/// Makes the runs of a chain, each in a folder of its name. Where the time of one is over, those behind it start from its last weights.
fn train_chain<E: From<Error>>(
    recipe: &Recipe,
    out: &Path,
    start: Start,
    mut make: impl FnMut(Member, &mut dyn Run) -> Result<(), E>,
) -> Result<Vec<PathBuf>, E> {
    let runs = chain::runs(recipe, out)?;
    let mut folders = Vec::new();
    for (number, (name, recipe)) in runs.iter().enumerate() {
        let folder = out.join(name);
        let member = Member::OfChain { number, runs: runs.len() };
        train_one(recipe, &folder, start, |of, run| make(if of == Member::Whole { member } else { of }, run))?;
        folders.push(folder);
    }
    Ok(folders)
}

/// Makes the runs of a recipe, as [`train`], on given names.
///
/// # Errors
/// Where the task does not learn from names or a run cannot begin, and the errors of `make`.
pub fn train_on<E: From<Error>>(
    recipe: &Recipe,
    dataset: &Dataset,
    out: &Path,
    start: Start,
    mut make: impl FnMut(Member, &mut dyn Run) -> Result<(), E>,
) -> Result<Vec<PathBuf>, E> {
    let folds = recipe.keys::<NameKeys>()?.ranker.folds;
    let learnt = LearntNames::new(folds, dataset.labelled());
    let mut run = begin_on(recipe, dataset.clone(), out, start)?;
    learnt.write(out)?;
    make(Member::Whole, run.as_mut())?;
    let mut are_over = run.is_over();
    drop(run);
    let mut folders = vec![out.to_owned()];
    for fold in 0..folds {
        let folder = LearntNames::fold_folder(out, fold);
        let mut run = begin_on(recipe, dataset.without_fold(fold, folds), &folder, start)?;
        make(Member::WithoutFold { fold, folds }, run.as_mut())?;
        are_over &= run.is_over();
        folders.push(folder);
    }
    if are_over {
        learnt.finish(out)?;
    }
    Ok(folders)
}
