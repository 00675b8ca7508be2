//! `truename evaluate names --folds`: the accuracy on names that the knowledge base does not have.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use truename::{CalibrateOptions, Encoder, Linker};
use truename_error::counted;
use truename_eval::{GoldName, JudgedName};
use truename_files::Partial;
use truename_train::{Accuracy, AccuracySearch, CrossValidation, Dataset, FittedFold, FoldEncoder, Query, Recipe};

use crate::arguments::{EncoderArgument, EncoderChoice, EvaluateNames, RecipeChanges};
use crate::command::judge::{judge, options};
use crate::command::train::{make, resolved};
use crate::command::{check_vectors, open_kb};
use crate::interrupt;
use crate::spread::Spread;

/// Asks for each part of the names with all else fitted to the other parts, and prints the accuracy of each stage. Returns the
/// answers and all names.
pub fn run(arguments: &EvaluateNames, folds: usize, quiet: bool) -> anyhow::Result<(Vec<JudgedName>, Dataset)> {
    let recipe = recipe(arguments)?;
    let dataset = match &recipe {
        Some(recipe) => Dataset::read(recipe)?,
        None => Dataset::read_kb(arguments.kb.kb.kb.as_slice())?,
    };
    let folder = tempfile::tempdir()?;
    // Also removed where the process ends before.
    let _partial = Partial::new(folder.path().to_owned());
    let runs = arguments.runs.as_deref().unwrap_or(folder.path());
    let ready = if recipe.is_none() { ready_encoder(arguments)? } else { None };
    let encoder = match (&recipe, &ready) {
        (Some(recipe), _) => FoldEncoder::Trained { recipe, runs },
        (None, Some(encoder)) => FoldEncoder::Ready(encoder),
        (None, None) => FoldEncoder::None,
    };
    check_vectors("--vote", arguments.vote > 0, !matches!(encoder, FoldEncoder::None))?;
    let calibration = CalibrateOptions { progress: interrupt::progress(), ..CalibrateOptions::default() };
    let validation = CrossValidation { dataset: &dataset, folds, encoder, calibration };
    let way_on = match arguments.runs {
        Some(_) => "the same command goes on from there",
        None => "with --runs DIR the same command would go on from there",
    };
    let mut stages = Stages::default();
    for fold in 0..folds {
        let names = validation.part(fold).queries().len();
        interrupt::check()?;
        anyhow::ensure!(names > 0, "fold {} of {folds} has no name to ask for", fold + 1);
        if !quiet {
            crate::say!("fold {} of {folds}: {}", fold + 1, counted(names as u64, "name"));
        }
        let out = folder.path().join(format!("kb-{fold}"));
        let fitted = validation.fit(fold, &out, |member, run| make(member, run, way_on, quiet));
        interrupt::check()?;
        stages.ask(fitted?, arguments, quiet)?;
    }
    stages.print(folds)?;
    Ok((stages.judged, dataset))
}

/// Accuracy at 1, 3 and 5 of each stage, fold by fold.
#[derive(Default)]
struct Stages {
    ngrams: Vec<[f64; 3]>,
    encoder: Vec<[f64; 3]>,
    linked: Vec<[f64; 3]>,
    judged: Vec<JudgedName>,
}

impl Stages {
    fn ask(&mut self, fitted: FittedFold, arguments: &EvaluateNames, quiet: bool) -> anyhow::Result<()> {
        let FittedFold { dataset, encoder, kb, unfitted, .. } = fitted;
        if let Some(reason) = unfitted {
            crate::say!("{reason}; the ranker that comes with truename is used");
        }
        if let Some(encoder) = encoder {
            self.encoder.extend(
                Accuracy::of(&encoder, &dataset, &AccuracySearch::default(), &interrupt::progress())?.map(shares),
            );
        }
        self.ngrams.push(shares(Accuracy::of_ngrams(&kb, &dataset)?));
        let gold =
            dataset.queries().iter().cloned().map(|Query { name, ids }| GoldName { name, ids, ..GoldName::default() });
        let answers = judge(&Linker::new(kb)?.with_options(options(arguments)?)?, gold.collect(), quiet)?.judged;
        let share = |depth| answers.iter().filter(|judged| judged.is_right_at(depth)).count() as f64;
        self.linked.push([1, 3, 5].map(|depth| share(depth) / answers.len() as f64));
        self.judged.extend(answers);
        Ok(())
    }

    fn print(&self, folds: usize) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{:14}        acc@1          acc@3          acc@5", format!("{folds} folds"))?;
        print(&mut out, "TF-IDF", &self.ngrams)?;
        print(&mut out, "encoder alone", &self.encoder)?;
        print(&mut out, "linked", &self.linked)?;
        writeln!(out)
    }
}

/// Returns the recipe, where one is given.
fn recipe(arguments: &EvaluateNames) -> anyhow::Result<Option<Recipe>> {
    let Some(path) = &arguments.recipe else { return Ok(None) };
    let kb = arguments.kb.kb.kb.iter().cloned().collect();
    let (encoder, set) = (arguments.kb.encoder.folder().map(Path::to_owned), arguments.set.clone());
    let adapter = arguments.kb.encoder.adapter.adapter.clone();
    resolved(path, &RecipeChanges { kb, encoder, adapter, set, ..RecipeChanges::default() }).map(Some)
}

/// Opens the encoder named, or the knowledge base's own.
fn ready_encoder(arguments: &EvaluateNames) -> anyhow::Result<Option<Arc<Encoder>>> {
    let EncoderArgument { encoder, adapter } = &arguments.kb.encoder;
    match encoder {
        Some(EncoderChoice::Folder(folder)) => Ok(Some(Arc::new(adapter.open(folder)?))),
        Some(EncoderChoice::None) => Ok(None),
        None => Ok(open_kb(&arguments.kb.kb)?.attached_encoder()?),
    }
}

fn shares(accuracy: Accuracy) -> [f64; 3] {
    [accuracy.at_1, accuracy.at_3, accuracy.at_5]
}

fn print(out: &mut impl Write, label: &str, folds: &[[f64; 3]]) -> std::io::Result<()> {
    if folds.is_empty() {
        return Ok(());
    }
    let spread = |depth: usize| Spread::of(&folds.iter().map(|shares| 100.0 * shares[depth]).collect::<Vec<_>>());
    writeln!(out, "{label:14} {}  {}  {}", spread(0), spread(1), spread(2))
}
