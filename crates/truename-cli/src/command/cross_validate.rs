//! `truename evaluate names --folds`: what names that are not in the knowledge base will find.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use truename::{CalibrateOptions, Concept, Encoder, KnowledgeBase, LinkOptions, Linker, Partial};
use truename_eval::{GoldName, Judged};
use truename_train::{Accuracy, Dataset, Named, Query, Recipe, Start, fold_encoders};

use crate::arguments::{EvaluateNames, RecipeChanges};
use crate::command::judge::{DEPTH, judge};
use crate::command::train::{Place, resolved, train};
use crate::interrupt;
use crate::progress::counted;
use crate::spread::Spread;

/// Names searched with an encoder alone at most: all of them.
const ALL: usize = usize::MAX;

/// Asks for each part of the names with all else fitted to the other parts, and prints the accuracy of each stage.
pub fn run(arguments: &EvaluateNames, folds: usize, quiet: bool) -> anyhow::Result<Vec<Judged>> {
    let recipe = recipe(arguments)?;
    let dataset = Dataset::read(&recipe)?;
    let folder = tempfile::tempdir()?;
    // Also removed where the process ends before.
    let _partial = Partial::new(folder.path().to_owned());
    let (mut judged, mut letters, mut alone, mut linked) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for fold in 0..folds {
        let part = dataset.fold(fold, folds);
        interrupt::check()?;
        anyhow::ensure!(!part.queries().is_empty(), "fold {} of {folds} has no name to ask for", fold + 1);
        if !quiet {
            crate::say!("fold {} of {folds}: {}", fold + 1, counted(part.queries().len() as u64, "name"));
        }
        let runs = arguments.runs.as_deref().unwrap_or(folder.path());
        let encoders = encoders(arguments, &recipe, &part, &runs.join(format!("fold-{fold}-of-{folds}")), quiet)?;
        if let Some(encoder) = encoders.first() {
            alone.extend(
                Accuracy::of(encoder, &part, ALL, 0, &interrupt::progress())?
                    .map(|found| [found.at_1, found.at_3, found.at_5]),
            );
        }
        let kb = knowledge_base(part.searched(), &encoders, &folder.path().join(format!("kb-{fold}")))?;
        letters.push(by_letters(&kb, &part)?);
        let options = LinkOptions::default()
            .top(DEPTH)
            .min_probability(arguments.min_probability)
            .placeholders(arguments.placeholders.read()?);
        let gold = part.queries().iter().cloned().map(|Query { name, ids }| GoldName { name, ids, kind: None });
        let answers = judge(&Linker::new(kb)?.with_options(options)?, gold.collect(), quiet)?;
        let share = |depth| answers.iter().filter(|judged| judged.is_right_at(depth)).count() as f64;
        linked.push([1, 3, 5].map(|depth| share(depth) / answers.len() as f64));
        judged.extend(answers);
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:14}        acc@1          acc@3          acc@5", format!("{folds} folds"))?;
    print(&mut out, "TF-IDF", &letters)?;
    print(&mut out, "encoder alone", &alone)?;
    print(&mut out, "linked", &linked)?;
    writeln!(out)?;
    Ok(judged)
}

/// The recipe, or where none is given one that says what is read.
fn recipe(arguments: &EvaluateNames) -> anyhow::Result<Recipe> {
    let kb = arguments.kb.kb.kb.iter().cloned().collect();
    match &arguments.recipe {
        Some(path) => {
            let (encoder, set) = (arguments.kb.encoder.folder().map(Path::to_owned), arguments.set.clone());
            resolved(path, &RecipeChanges { kb, encoder, set, ..RecipeChanges::default() })
        }
        None => {
            let mut recipe = Recipe::default();
            recipe.data.kb = kb;
            Ok(recipe)
        }
    }
}

/// The encoder of a fold, trained where there is a recipe, and those that did not see a part of what it learnt.
fn encoders(
    arguments: &EvaluateNames,
    recipe: &Recipe,
    part: &Dataset,
    out: &Path,
    quiet: bool,
) -> anyhow::Result<Vec<Arc<Encoder>>> {
    let folders = match (&arguments.recipe, arguments.kb.encoder.folder()) {
        (Some(_), _) => {
            // Without the names that are asked for, or the weights that suit them best would be taken.
            let way_on = match arguments.runs {
                Some(_) => "the same command goes on from there",
                None => "with --runs DIR the same command would go on from there",
            };
            let place = Place { out, start: Start::Resumed, way_on };
            train(&place, recipe, &part.clone().without_queries(), quiet)?;
            std::iter::once(out.to_owned()).chain(fold_encoders(out)).collect()
        }
        (None, Some(encoder)) => vec![encoder.to_owned()],
        (None, None) => Vec::new(),
    };
    Ok(folders.iter().map(|folder| Encoder::open(folder).map(Arc::new)).collect::<Result<_, _>>()?)
}

/// A knowledge base of names alone, calibrated to them.
fn knowledge_base(concepts: &[Named], encoders: &[Arc<Encoder>], out: &Path) -> anyhow::Result<KnowledgeBase> {
    let concepts = concepts.iter().filter(|concept| !concept.names.is_empty()).map(|Named { id, names, .. }| {
        let mut concept = Concept::new(id.parse()?, names[0].clone());
        concept.synonyms = names[1..].to_vec();
        Ok(concept)
    });
    let kb = KnowledgeBase::create(concepts.collect::<anyhow::Result<_>>()?, out)?;
    let options = CalibrateOptions { progress: interrupt::progress(), ..CalibrateOptions::default() };
    let (kb, fitted) = match encoders {
        [] => {
            let fitted = kb.calibrate(&[], &options);
            (kb, fitted)
        }
        [encoder, others @ ..] => {
            kb.embed(
                encoder,
                |_, _| if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) },
            )?;
            interrupt::check()?;
            let kb = kb.with_encoder(Arc::clone(encoder))?;
            let fitted = if others.is_empty() {
                kb.calibrate(&[], &options)
            } else {
                kb.calibrate_out_of_fold(others, &[], &options)
            };
            (kb, fitted)
        }
    };
    match fitted {
        Err(error) if error.is_too_few_names() => crate::say!("{error}; the ranker that comes with truename is used"),
        Err(error) => return Err(error.into()),
        Ok(_) => {}
    }
    Ok(kb)
}

/// How often the right concept is among the first by the cosine of TF-IDF over character n-grams alone, the best name of
/// each concept counting.
fn by_letters(kb: &KnowledgeBase, part: &Dataset) -> anyhow::Result<[f64; 3]> {
    /// Names looked at, of which several may be of one concept.
    const NEAR: usize = 500;
    let rank = |query: &Query| -> Result<usize, truename::Error> {
        let mut seen = Vec::new();
        for near in kb.nearest_by_ngrams(&query.name, NEAR)? {
            if query.ids.iter().any(|id| near.id == *id.as_str()) {
                return Ok(seen.len());
            }
            if !seen.contains(&near.id) {
                seen.push(near.id);
            }
        }
        Ok(usize::MAX)
    };
    let ranks: Vec<usize> = part.queries().par_iter().map(rank).collect::<Result<_, _>>()?;
    Ok([1, 3, 5].map(|depth| ranks.iter().filter(|rank| **rank < depth).count() as f64 / ranks.len() as f64))
}

fn print(out: &mut impl Write, label: &str, folds: &[[f64; 3]]) -> std::io::Result<()> {
    if folds.is_empty() {
        return Ok(());
    }
    let spread = |depth: usize| Spread::of(&folds.iter().map(|shares| 100.0 * shares[depth]).collect::<Vec<_>>());
    writeln!(out, "{label:14} {}  {}  {}", spread(0), spread(1), spread(2))
}
