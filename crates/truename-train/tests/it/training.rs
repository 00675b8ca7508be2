//! Runs of a tiny encoder, from a recipe to weights that the engine reads.

use std::path::Path;
use std::sync::Arc;

use truename_infer::Encoder;
use truename_kb::Progress;
use truename_train::{Change, Dataset, Error, Event, NamedConcept, Query, Recipe, Run, Start};

const MODEL: &str = "../truename-infer/tests/models/bert";

/// Concepts that share no word with their other name, so that nothing but learning tells which go together.
const PAIRS: [(&str, [&str; 3]); 8] = [
    ("1", ["heart attack", "myocardial infarction", "coronary event"]),
    ("2", ["flu", "influenza", "grippe"]),
    ("3", ["stroke", "apoplexy", "cerebral infarct"]),
    ("4", ["high blood pressure", "hypertension", "raised tension"]),
    ("5", ["gout", "podagra", "urate arthritis"]),
    ("6", ["measles", "rubeola", "morbilli"]),
    ("7", ["jaundice", "icterus", "yellow skin"]),
    ("8", ["rabies", "lyssa", "hydrophobia"]),
];

fn named(id: &str, names: &[&str]) -> NamedConcept {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    NamedConcept { id: id.into(), names, ..NamedConcept::default() }
}

/// All names are learnt, and the last of each concept is asked for among the others.
fn dataset() -> Dataset {
    let concepts = PAIRS.iter().map(|(id, names)| named(id, &names[..2])).collect();
    let extra = PAIRS.iter().map(|(id, names)| named(&format!("x{id}"), &[names[0], names[2]])).collect();
    let queries = PAIRS.iter().map(|(id, names)| Query { name: names[1].into(), ids: vec![(*id).into()] }).collect();
    Dataset::new(concepts, extra, queries).unwrap()
}

const OF_GROUPS: &str = "[task]\nkind = \"groups\"\n[sampler]\ngroup = 2\ngroups = 3\n";
const OF_PAIRS: &str =
    "[task]\nkind = \"pairs\"\n[encoder]\ncharacters = \"lstm\"\nhidden = 16\n[objective]\nmargin = 1.0\n";

fn read(text: &str, changes: &[&str]) -> Recipe {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.toml");
    std::fs::write(&path, format!("{text}[schedule]\nepochs = 4\nlearning_rate = 1e-2\n")).unwrap();
    let changes: Vec<Change> = changes.iter().map(|change| Change::parse("--set", change).unwrap()).collect();
    Recipe::read(&path, &changes).unwrap()
}

/// Groups of names, by a small transformer.
fn recipe(changes: &[&str]) -> Recipe {
    let model = format!("encoder.from={MODEL}");
    read(OF_GROUPS, &[changes, &[&model]].concat())
}

/// Pairs of names, by a small character network.
fn pairs(changes: &[&str]) -> Recipe {
    read(OF_PAIRS, changes)
}

fn begin(recipe: Recipe, dataset: Dataset, out: &Path) -> Result<Box<dyn Run>, Error> {
    truename_train::begin_on(&recipe, dataset, out, Start::Anew)
}

fn resume(recipe: Recipe, dataset: Dataset, out: &Path) -> Result<Box<dyn Run>, Error> {
    truename_train::begin_on(&recipe, dataset, out, Start::Resumed)
}

fn finish(mut training: Box<dyn Run>) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = training.advance().unwrap() {
        events.push(event);
    }
    events
}

fn losses(events: &[Event]) -> Vec<f64> {
    let loss = |event: &Event| match event {
        Event::Step { loss, .. } => Some(*loss),
        _ => None,
    };
    events.iter().filter_map(loss).collect()
}

fn weights(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("model.safetensors")).unwrap()
}

#[test]
fn a_run_learns_and_leaves_what_the_engine_reads() {
    let out = tempfile::tempdir().unwrap();
    let recipe = recipe(&["schedule.epochs=30"]);
    let training = begin(recipe, dataset(), &out.path().join("run")).unwrap();
    let steps = training.steps();
    let events = finish(training);
    let losses = losses(&events);
    assert_eq!(losses.len() as u64, steps);
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    assert!(mean(&losses[losses.len() - 6..]) < 0.7 * mean(&losses[..6]), "{losses:?}");
    let Some(Event::Evaluation { scores: Some(scores), .. }) = events.last() else { panic!("{events:?}") };
    assert!(scores.get("acc@1") > 0.9, "{scores:?}");
    let encoder = Encoder::open(&out.path().join("run")).unwrap();
    assert_eq!(encoder.encode(&["gout"]).unwrap().row(0).len(), encoder.dimensions());
    for file in ["recipe.toml", "run.json", "metrics.jsonl", "training.svg", "checkpoint/state.json"] {
        assert!(out.path().join("run").join(file).exists(), "{file}");
    }
    let metrics = std::fs::read_to_string(out.path().join("run/metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().filter(|line| line.contains("\"step\",")).count() as u64, steps, "{metrics}");
}

#[test]
fn the_same_seed_gives_the_same_weights() {
    let out = tempfile::tempdir().unwrap();
    let run = |name: &str, changes: &[&str]| {
        let folder = out.path().join(name);
        finish(begin(recipe(changes), dataset(), &folder).unwrap());
        weights(&folder)
    };
    let first = run("first", &[]);
    assert_eq!(first, run("second", &[]));
    assert_ne!(first, run("third", &["seed=1"]));
}

#[test]
fn a_resumed_run_ends_with_the_weights_of_an_unbroken_one() {
    let changes = ["sampler.hard=0.5", "augmentation.misspelling=0.3", "schedule.accumulate=2"];
    for stop_after in [1, 3, 4, 7] {
        let out = tempfile::tempdir().unwrap();
        let (whole, broken) = (out.path().join("whole"), out.path().join("broken"));
        let expected = finish(begin(recipe(&changes), dataset(), &whole).unwrap());
        let mut training = begin(recipe(&changes), dataset(), &broken).unwrap();
        for _ in 0..stop_after {
            training.advance().unwrap();
        }
        training.save().unwrap();
        drop(training);
        let resumed = resume(recipe(&changes), dataset(), &broken).unwrap();
        let events = finish(resumed);
        assert_eq!(events[..], expected[stop_after..], "{stop_after}");
        assert_eq!(weights(&whole), weights(&broken), "{stop_after}");
        let without_seconds = |folder: &Path| -> Vec<String> {
            let text = std::fs::read_to_string(folder.join("metrics.jsonl")).unwrap();
            text.lines().map(|line| line.split(",\"seconds\"").next().unwrap().to_owned()).collect()
        };
        assert_eq!(without_seconds(&whole), without_seconds(&broken));
    }
}

#[test]
fn a_run_that_was_killed_before_an_evaluation_makes_it_when_it_goes_on() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path();
    let changes = ["evaluation.every=4"];
    let events = finish(begin(recipe(&changes), dataset(), folder).unwrap());
    let (whole, metrics) = (weights(folder), std::fs::read_to_string(folder.join("metrics.jsonl")).unwrap());
    // The checkpoint that an evaluation is made of, as it was before its outcome was known.
    let path = folder.join("checkpoint/state.json");
    let mut state: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(state["evaluated"], state["step"]);
    state["evaluated"] = 0.into();
    state["best"] = serde_json::Value::Null;
    std::fs::write(&path, state.to_string()).unwrap();
    std::fs::remove_file(folder.join("model.safetensors")).unwrap();
    let resumed = resume(recipe(&changes), dataset(), folder).unwrap();
    assert!(!resumed.is_over());
    assert_eq!(finish(resumed)[..], events[events.len() - 1..]);
    assert_eq!(weights(folder), whole);
    let lines = |text: &str| text.lines().count();
    assert_eq!(lines(&std::fs::read_to_string(folder.join("metrics.jsonl")).unwrap()), lines(&metrics));
}

#[test]
fn pooling_beside_a_character_network_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let characters = out.path().join("characters");
    finish(begin(pairs(&["schedule.max_steps=1"]), dataset(), &characters).unwrap());
    let from = format!("encoder.from={}", characters.display());
    let begin =
        |more: &[&str]| begin(read(OF_GROUPS, &[&[from.as_str()], more].concat()), dataset(), &out.path().join("out"));
    let error = begin(&["encoder.pooling=cls"]).err().unwrap();
    assert!(error.to_string().contains("encoder.pooling is cls; it must be left out"), "{error}");
    assert!(begin(&[]).is_ok());
}

#[test]
fn a_run_with_other_names_to_ask_for_is_another_run() {
    let out = tempfile::tempdir().unwrap();
    let mut run = begin(recipe(&[]), dataset(), out.path()).unwrap();
    run.advance().unwrap();
    run.save().unwrap();
    let other = Dataset::new(dataset().concepts().to_vec(), Vec::new(), dataset().queries()[1..].to_vec()).unwrap();
    let error = resume(recipe(&[]), other, out.path()).err().unwrap();
    assert!(error.to_string().contains("other data"), "{error}");
    let error = resume(recipe(&["evaluation.keep=\"last\""]), dataset(), out.path()).err().unwrap();
    assert!(error.to_string().contains("another recipe"), "{error}");
}

#[test]
fn the_result_is_the_best_weights_or_the_last() {
    let out = tempfile::tempdir().unwrap();
    for (keep, is_last) in [("best", false), ("last", true)] {
        // At this rate the scores soon fall.
        let changes = ["schedule.learning_rate=1.0", "schedule.max_grad_norm=0", &format!("evaluation.keep={keep}")];
        let folder = out.path().join(keep);
        let events = finish(begin(recipe(&changes), dataset(), &folder).unwrap());
        assert!(matches!(events.last(), Some(Event::Evaluation { is_best: false, .. })), "{events:?}");
        assert_eq!(weights(&folder) == weights(&folder.join("checkpoint")), is_last, "{keep}");
    }
}

#[test]
fn a_folder_without_a_checkpoint_begins_anew() {
    let out = tempfile::tempdir().unwrap();
    let (whole, broken) = (out.path().join("whole"), out.path().join("broken"));
    finish(begin(recipe(&[]), dataset(), &whole).unwrap());
    let mut killed = begin(recipe(&[]), dataset(), &broken).unwrap();
    killed.advance().unwrap();
    drop(killed);
    finish(resume(recipe(&[]), dataset(), &broken).unwrap());
    assert_eq!(weights(&whole), weights(&broken));
    std::fs::remove_dir_all(broken.join("checkpoint")).unwrap();
    let error = resume(recipe(&[]), dataset(), &broken).err().unwrap();
    assert!(error.to_string().ends_with("holds a model and no checkpoint of a run"), "{error}");
}

#[test]
fn a_run_that_ends_at_its_first_checkpoint_goes_on() {
    let out = tempfile::tempdir().unwrap();
    let (whole, broken) = (out.path().join("whole"), out.path().join("broken"));
    // Without names to ask for, the first checkpoint comes with the first result.
    let names = || Dataset::new(dataset().searched().to_vec(), Vec::new(), Vec::new()).unwrap();
    finish(begin(recipe(&[]), names(), &whole).unwrap());
    let mut training = begin(recipe(&[]), names(), &broken).unwrap();
    // As if the disk were full.
    std::fs::create_dir(broken.join("metrics.jsonl")).unwrap();
    let error = std::iter::repeat_with(|| training.advance()).take(20).find_map(Result::err).unwrap();
    assert!(error.to_string().contains("metrics.jsonl"), "{error}");
    drop(training);
    std::fs::remove_dir(broken.join("metrics.jsonl")).unwrap();
    finish(resume(recipe(&[]), names(), &broken).unwrap());
    assert_eq!(weights(&whole), weights(&broken));
    // Between the two renames of a checkpoint, with part of the next one.
    std::fs::rename(broken.join("checkpoint"), broken.join("checkpoint.old")).unwrap();
    std::fs::create_dir(broken.join("checkpoint.new")).unwrap();
    assert!(resume(recipe(&[]), names(), &broken).unwrap().is_over());
    let left = ["checkpoint", "checkpoint.old", "checkpoint.new"].map(|name| broken.join(name).exists());
    assert_eq!(left, [true, false, false]);
}

#[test]
fn a_model_that_no_run_wrote_is_not_replaced() {
    for file in ["model.safetensors", "config.json", "tokenizer.json", "truename.json"] {
        let out = tempfile::tempdir().unwrap();
        std::fs::write(out.path().join(file), "theirs").unwrap();
        for start in [Start::Anew, Start::Resumed] {
            let error = truename_train::begin_on(&recipe(&[]), dataset(), out.path(), start).err().unwrap();
            assert!(error.to_string().ends_with("holds a model and no checkpoint of a run"), "{error}");
        }
        assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_run_stopped_between_epochs_goes_on_to_the_same_weights() {
    for recipe in [recipe(&[]), pairs(&[])] {
        let recipe = || recipe.clone();
        let out = tempfile::tempdir().unwrap();
        let (whole, broken) = (out.path().join("whole"), out.path().join("broken"));
        finish(begin(recipe(), dataset(), &whole).unwrap());
        let mut training = begin(recipe(), dataset(), &broken).unwrap();
        let progress = Arc::new(Progress::default());
        progress.stop();
        training.stop_by(progress);
        // An evaluation, or before it the search for near names.
        let error = std::iter::repeat_with(|| training.advance()).take(20).find_map(Result::err).unwrap();
        assert!(error.is_interrupted(), "{error}");
        training.save().unwrap();
        drop(training);
        finish(resume(recipe(), dataset(), &broken).unwrap());
        assert_eq!(weights(&whole), weights(&broken));
    }
}

#[test]
fn a_run_ends_after_so_many_steps() {
    let changes = ["schedule.epochs=9", "schedule.max_steps=4"];
    for stop_after in [1, 4] {
        let out = tempfile::tempdir().unwrap();
        let mut training = begin(recipe(&changes), dataset(), out.path()).unwrap();
        assert_eq!(training.steps(), 4);
        for _ in 0..stop_after {
            training.advance().unwrap();
        }
        training.save().unwrap();
        assert!(!training.is_over(), "the last evaluation is to come");
        let mut resumed = resume(recipe(&changes), dataset(), out.path()).unwrap();
        assert!(!resumed.is_over());
        while resumed.advance().unwrap().is_some() {}
        assert_eq!(resumed.step(), 4);
        assert!(resumed.last_scores().is_some());
        assert!(resume(recipe(&changes), dataset(), out.path()).unwrap().is_over());
    }
}

#[test]
fn a_run_ends_at_a_checkpoint_when_its_time_is_over_and_goes_on_with_more() {
    let out = tempfile::tempdir().unwrap();
    let (whole, short) = (out.path().join("whole"), out.path().join("short"));
    let expected = finish(begin(recipe(&[]), dataset(), &whole).unwrap());
    let little = || recipe(&["schedule.max_minutes=1e-9"]);
    let events = finish(begin(little(), dataset(), &short).unwrap());
    let [Event::Step { step: 1, .. }, Event::OutOfTime, Event::Evaluation { epoch: 0, scores, is_best: true, .. }] =
        &events[..]
    else {
        panic!("{events:?}")
    };
    assert!(scores.is_some());
    Encoder::open(&short).unwrap();
    // The same time again makes no step more.
    let mut again = resume(little(), dataset(), &short).unwrap();
    assert_eq!((again.advance().unwrap(), again.advance().unwrap()), (Some(Event::OutOfTime), None));
    let rest = finish(resume(recipe(&[]), dataset(), &short).unwrap());
    assert_eq!(rest[..], expected[1..]);
    assert_eq!(weights(&whole), weights(&short));
    assert_eq!(weights(&whole.join("checkpoint")), weights(&short.join("checkpoint")));
}

#[test]
fn a_run_without_evaluation_leaves_the_last_weights_when_its_time_is_over() {
    let out = tempfile::tempdir().unwrap();
    let run = begin(recipe(&["schedule.max_minutes=1e-9"]), dataset().without_queries(), out.path()).unwrap();
    assert_eq!(finish(run).len(), 3);
    assert_eq!(weights(out.path()), weights(&out.path().join("checkpoint")));
}

#[test]
fn the_size_of_a_run_is_described() {
    let out = tempfile::tempdir().unwrap();
    let training = begin(recipe(&["schedule.accumulate=2"]), dataset(), out.path()).unwrap();
    let described = training.describe().unwrap();
    assert_eq!(described[0], "32 names of 16 concepts to learn, 8 names to ask for");
    // 16 groups in batches of 3, two batches a step; one group left alone joins the batch before.
    assert!(described[1].starts_with("about 3 steps, 32 texts and "), "{described:?}");
    assert!(described[1].ends_with(" tokens an epoch; 12 steps in all"), "{described:?}");
    assert!(described[2].contains("MiB of memory for a step of 7 texts"), "{described:?}");
    assert_eq!(training.seconds_left(), None);
}

#[test]
fn a_run_of_an_earlier_version_is_refused_with_a_hint() {
    let out = tempfile::tempdir().unwrap();
    finish(begin(recipe(&["schedule.epochs=1"]), dataset(), out.path()).unwrap());
    let path = out.path().join("recipe.toml");
    let stored = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, stored.replace("[task]\nkind = \"groups\"\n", "")).unwrap();
    let error = resume(recipe(&["schedule.epochs=1"]), dataset(), out.path()).err().unwrap();
    assert!(error.to_string().ends_with("written by an earlier version: it names no kind of task"), "{error}");
    assert!(error.hint().unwrap().to_string().contains("another `out`"));
}

#[test]
fn names_longer_than_the_window_are_counted() {
    let out = tempfile::tempdir().unwrap();
    let long = "heart ".repeat(200);
    let concepts = vec![named("1", &["flu", &long]), named("2", &["gout", "podagra"])];
    let dataset = Dataset::new(concepts, Vec::new(), Vec::new()).unwrap();
    let training = begin(recipe(&[]), dataset, &out.path().join("run")).unwrap();
    let described = training.describe().unwrap();
    assert!(described.contains(&"1 name cut to the encoder's window".to_owned()), "{described:?}");
}

#[test]
fn patience_ends_a_run_and_the_best_weights_stay() {
    let out = tempfile::tempdir().unwrap();
    let changes = ["evaluation.patience=2", "schedule.epochs=50", "schedule.learning_rate=1e-9"];
    let events = finish(begin(recipe(&changes), dataset(), &out.path().join("run")).unwrap());
    let evaluations = events.iter().filter(|event| matches!(event, Event::Evaluation { .. })).count();
    assert_eq!(evaluations, 3, "nothing gets better, so two evaluations after the first end it");
}

#[test]
fn a_run_evaluates_within_epochs() {
    let out = tempfile::tempdir().unwrap();
    let events = finish(begin(recipe(&["evaluation.steps=1", "schedule.epochs=2"]), dataset(), out.path()).unwrap());
    let evaluated: Vec<Option<u64>> = events
        .iter()
        .filter_map(|event| if let Event::Evaluation { step, .. } = event { Some(*step) } else { None })
        .collect();
    let steps = events.iter().filter(|event| matches!(event, Event::Step { .. })).count();
    assert_eq!(evaluated.len(), steps, "{events:?}");
    assert!(steps > 2 && evaluated[0] == Some(1) && evaluated.last() == Some(&None), "{events:?}");
}

#[test]
fn a_run_is_not_overwritten_nor_mixed_with_another() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("run");
    finish(begin(recipe(&["schedule.epochs=1"]), dataset(), &folder).unwrap());
    let error = begin(recipe(&[]), dataset(), &folder).err().unwrap();
    assert!(error.to_string().ends_with("holds a run already"), "{error}");
    let error = resume(recipe(&[]), dataset(), &folder).err().unwrap();
    assert!(error.to_string().contains("another recipe"), "{error}");
    let other = Dataset::new(vec![named("1", &["a"]), named("2", &["b"])], Vec::new(), Vec::new()).unwrap();
    let error = resume(recipe(&["schedule.epochs=1"]), other, &folder).err().unwrap();
    assert!(error.to_string().contains("other data"), "{error}");
    let asked = Dataset::new(dataset().searched().to_vec(), Vec::new(), dataset().queries()[1..].to_vec()).unwrap();
    let error = resume(recipe(&["schedule.epochs=1"]), asked, &folder).err().unwrap();
    assert!(error.to_string().contains("other data"), "{error}");
}

#[test]
fn a_rate_that_is_too_high_is_an_error_and_no_weights() {
    let out = tempfile::tempdir().unwrap();
    let mut recipe = recipe(&["schedule.max_grad_norm=0", "schedule.warmup_ratio=0"]);
    // Such a rate is refused where a recipe is read.
    recipe.schedule.learning_rate = 1e30;
    let mut training = begin(recipe, dataset(), &out.path().join("run")).unwrap();
    let error = std::iter::repeat_with(|| training.advance()).take(20).find_map(Result::err).unwrap();
    assert!(error.to_string().contains("is not finite; the loss is"), "{error}");
    assert!(!out.path().join("run/model.safetensors").exists());
}

#[test]
fn pairs_are_learnt_by_characters_and_near_names_are_mined() {
    let changes = ["schedule.epochs=12", "pairs.batch=16", "pairs.round=3", "pairs.nearest=3"];
    let recipe = || pairs(&changes);
    let out = tempfile::tempdir().unwrap();
    let (whole, broken) = (out.path().join("whole"), out.path().join("broken"));
    let events = finish(begin(recipe(), dataset(), &whole).unwrap());
    let Some(Event::Evaluation { scores: Some(scores), .. }) = events.last() else { panic!("{events:?}") };
    assert!(scores.get("acc@1") > 0.6, "{scores:?}");
    let of_epoch = |epoch: usize| {
        let ends = events.iter().enumerate().filter(|(_, event)| matches!(event, Event::Evaluation { .. }));
        let ends: Vec<usize> = ends.map(|(place, _)| place).collect();
        ends[epoch] - epoch.checked_sub(1).map_or(0, |before| ends[before] + 1)
    };
    assert!(of_epoch(3) > of_epoch(2), "mined pairs are learnt too");
    // Between rounds and inside one.
    for stop_after in
        [of_epoch(0) + 2, (0..3).map(of_epoch).sum::<usize>() + 3, (0..4).map(of_epoch).sum::<usize>() + 6]
    {
        let _ = std::fs::remove_dir_all(&broken);
        let mut training = begin(recipe(), dataset(), &broken).unwrap();
        for _ in 0..stop_after {
            training.advance().unwrap();
        }
        training.save().unwrap();
        drop(training);
        let rest = finish(resume(recipe(), dataset(), &broken).unwrap());
        assert_eq!(rest[..], events[stop_after..], "{stop_after}");
        assert_eq!(weights(&whole), weights(&broken), "{stop_after}");
    }
}
