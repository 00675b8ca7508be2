//! Recipes of every kind: defaults against explanations, conditions, changes, and those that the project ships.

use toml::Value;

use super::*;
use crate::task::Kind;

fn read(text: &str, changes: &[&str]) -> Result<Recipe, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.toml");
    std::fs::write(&path, text).unwrap();
    let changes: Vec<Change> = changes.iter().map(|change| Change::parse("--set", change)).collect::<Result<_, _>>()?;
    Recipe::read(&path, &changes)
}

fn message(error: &Error) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The keys that count only beside another value are comments.
fn with_every_key(explained: &str) -> Table {
    let is_key = |line: &str| line.starts_with('#') && !line.starts_with("# ");
    let lines = explained.lines().map(|line| if is_key(line) { &line[1..] } else { line });
    toml::from_str(&lines.collect::<Vec<_>>().join("\n")).unwrap()
}

fn all_keys(table: &Table, section: &str) -> Vec<(String, Value)> {
    let keys = table.iter().map(|(key, value)| (format!("{section}{key}"), value));
    let of = |(key, value): (String, &Value)| match value.as_table() {
        Some(table) => all_keys(table, &format!("{key}.")),
        None => vec![(key, value.clone())],
    };
    keys.flat_map(of).collect()
}

#[test]
fn explained_recipes_hold_every_key_with_its_default() {
    for kind in Kind::all() {
        let mut defaults = kind.schema.defaults();
        if kind.name() == "chain" {
            // Its runs have schedules of their own.
            defaults.retain(|section, _| !["schedule", "evaluation"].contains(&section));
        }
        merge(&mut defaults, toml::from_str(&format!("task.kind = \"{}\"", kind.name())).unwrap());
        assert_eq!(with_every_key(kind.explained()), defaults, "{}", kind.name());
        let is_key = |line: &&str| !line.is_empty() && !line.starts_with("# ") && !line.starts_with('[');
        let before = kind.explained().lines().zip(kind.explained().lines().skip(1)).filter(|(_, line)| is_key(line));
        for (before, line) in before {
            assert!(before.starts_with('#') || before.contains('='), "{line} is not explained");
        }
    }
}

#[test]
fn an_explained_recipe_is_a_recipe_with_every_default() {
    for kind in Kind::all() {
        assert_eq!(read(kind.explained(), &[]).unwrap(), Recipe::new(kind.name()));
    }
}

#[test]
fn a_stored_recipe_is_a_recipe_again() {
    let loss = "[task]\nkind = \"groups\"\n[objective]\nloss = \"triplet\"\nmargin = 2\n";
    for text in [Kind::all()[0].explained(), Kind::all()[1].explained(), loss] {
        let recipe = read(text, &[]).unwrap();
        let stored = toml::to_string(&recipe.effective().unwrap()).unwrap();
        assert_eq!(read(&stored, &[]).unwrap(), recipe, "{stored}");
    }
}

#[test]
fn every_number_has_a_range() {
    for kind in Kind::all() {
        // Another value beside which the key counts.
        let beside = |key: &str| {
            let condition = kind.schema.conditions().find(|condition| condition.keys.contains(&key))?;
            Some(format!("{}={}", condition.on, condition.values[0]))
        };
        let defaults = kind.schema.defaults();
        let is_number = |value: &Value| value.is_integer() || value.is_float();
        let numbers = all_keys(&defaults, "").into_iter().filter(|(key, value)| key != "seed" && is_number(value));
        for (key, _) in numbers {
            for value in ["1000000000000", "-1000000000000"] {
                let changes: Vec<String> = beside(&key).into_iter().chain([format!("{key}={value}")]).collect();
                let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
                let error = read(&format!("[task]\nkind = \"{}\"\n", kind.name()), &changes).unwrap_err();
                assert!(
                    error.kind() == ErrorKind::Recipe && message(&error).contains(&key),
                    "{key}: {}",
                    message(&error)
                );
            }
        }
    }
}

#[test]
fn the_recipes_of_the_project_can_be_read() {
    let files: Vec<PathBuf> = std::fs::read_dir("../../recipes").unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        Recipe::read(&file, &[]).unwrap_or_else(|error| panic!("{}", message(&error)));
    }
}

#[test]
fn keys_are_changed_for_one_run() {
    let changes = ["schedule.epochs=3", "task.kind=pairs", "data.kb=a.jsonl"];
    let recipe = read("seed = 4\n", &changes).unwrap();
    assert_eq!((recipe.seed, recipe.schedule.epochs, recipe.kind()), (4, 3, "pairs"));
    let kb = find(&recipe.effective().unwrap(), "data.kb").unwrap().clone();
    assert!(kb[0].as_str().is_some_and(|path| path.len() > 20 && path.ends_with("a.jsonl")), "{kb}");
}

#[test]
fn a_key_is_taken_out_by_a_change_without_a_value() {
    let text = "[task]\nkind = \"groups\"\n[objective]\ntemperature = 0.1\n[encoder]\npooling = \"cls\"\n";
    let changes = ["objective.loss=triplet", "objective.temperature=", "encoder.pooling="];
    assert_eq!(read(text, &changes).unwrap(), read(text, &[&changes[1..], &changes[..1]].concat()).unwrap());
    let recipe = read(text, &changes).unwrap().effective().unwrap();
    assert_eq!(find(&recipe, "encoder.pooling").and_then(Value::as_str), Some(""));
    assert_eq!(find(&recipe, "objective.temperature"), None);
    let recipe = read(text, &["objective.temperature="]).unwrap().effective().unwrap();
    assert_eq!(find(&recipe, "objective.temperature").and_then(Value::as_float), Some(0.05));
}

#[test]
fn every_renamed_key_is_a_key_of_some_kind() {
    for (old, new) in document::RENAMED {
        let has = |key: &str| Kind::all().iter().any(|kind| find(&kind.schema.defaults(), key).is_some());
        assert!(has(new) && !has(old), "{old} {new}");
    }
}

#[test]
fn paths_of_arguments_count_from_the_working_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.toml");
    std::fs::write(&path, "[task]\nkind = \"groups\"\n[data]\nextra = \"b.tsv\"\nnames = [\"src/*.rs\", \"*.tsv\"]\n")
        .unwrap();
    let flag = Change::paths("--kb", "data.kb", &["a.tsv".into()]);
    let recipe = Recipe::read(&path, &[flag]).unwrap().effective().unwrap();
    assert_eq!(find(&recipe, "data.kb").unwrap()[0].as_str(), Some("a.tsv"));
    let beside = |name: &str| folder.path().join(name).to_str().map(str::to_owned);
    let path_of = |key: &str, number: usize| find(&recipe, key).unwrap()[number].as_str().map(str::to_owned);
    assert_eq!(path_of("data.extra", 0), beside("b.tsv"));
    // A pattern counts from the working folder if a file there matches it.
    assert_eq!([path_of("data.names", 0), path_of("data.names", 1)], [Some("src/*.rs".to_owned()), beside("*.tsv")]);
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let pairs = "[task]\nkind = \"pairs\"\n";
    let groups = "[task]\nkind = \"groups\"\n";
    let cases: [(String, &[&str], &str); 24] = [
        (format!("{groups}[sampler]\ngroup = 1\n"), &[], "sampler.group is 1; it must be from 2 to 10000"),
        (format!("{groups}[schedule]\nepoch = 1\n"), &[], "recipe.toml, line 4: groups has no key schedule.epoch"),
        (groups.into(), &["schedule.epochs"], "--set is schedule.epochs; it must be KEY=VALUE"),
        (groups.into(), &["schedule.epoch=1"], "--set schedule.epoch=1: groups has no key schedule.epoch"),
        (groups.into(), &["schedule.epochs=a"], "schedule.epochs"),
        (format!("device = \"abacus\"\n{groups}"), &[], "there is no device \"abacus\""),
        (groups.into(), &["encoder.pooling=sum"], "encoder.pooling is sum"),
        (groups.into(), &["augmentation.version=0.9", "augmentation.acronym=0.2"], "the sum of augmentation is 1.1"),
        (groups.into(), &["augmentation.adversarial=4"], "it must be 1 where augmentation.misspelling is 0"),
        (
            pairs.into(),
            &["pairs.fold_case=false", "pairs.variants=false", "pairs.related=0"],
            "pairs.fold_case is false; it must be true where",
        ),
        (groups.into(), &["ranker.folds=1"], "ranker.folds is 1; it must be 0 or from 2 to 20"),
        ("seed = 1\n".into(), &["seed.a=1"], "`seed` is a key, not a section"),
        ("[task]\nkind = \"spells\"\n".into(), &[], "task.kind is \"spells\"; it must be one of chain"),
        (
            format!("{pairs}[sampler]\ngroup = 3\n"),
            &[],
            "line 4: sampler.group is a key of groups and synonyms, not of pairs",
        ),
        (format!("{groups}pairs.batch = 3\n"), &[], "groups has no key task.pairs.batch"),
        (format!("{groups}[pairs]\nbatch = 3\n"), &[], "line 4: pairs.batch is a key of pairs, not of groups"),
        (format!("{groups}[schedule]\nwarm_up = 0.1\n"), &[], "line 4: schedule.warm_up is now schedule.warmup_ratio"),
        (pairs.into(), &["pairs.most=9"], "--set pairs.most=9: pairs.most is now pairs.max_pairs"),
        // Also with the value that it has by default.
        (
            format!("{groups}[objective]\nmargin = 0.3\n"),
            &[],
            "line 4: objective.margin counts only where objective.loss is \"triplet\"; it is \"supervised-contrastive\"",
        ),
        (
            format!("{groups}[objective]\nmargin = 0.3\n"),
            &["objective.loss=multi-similarity"],
            "it is \"multi-similarity\"",
        ),
        (
            format!("{pairs}[encoder]\nfrom = \"a\"\n"),
            &["encoder.characters=lstm"],
            "line 4: encoder.from counts only where encoder.characters is \"\"; it is \"lstm\"",
        ),
        (
            groups.into(),
            &["encoder.characters=lstm", "encoder.pooling=cls"],
            "--set encoder.pooling=cls: encoder.pooling counts only where encoder.characters is \"\"",
        ),
        (groups.into(), &["encoder.hidden=16"], "--set encoder.hidden=16: encoder.hidden counts only where"),
        (groups.into(), &["objective.loss=contrastive"], "contrastive"),
    ];
    for (text, changes, expected) in cases {
        let error = read(&text, changes).unwrap_err();
        assert!(message(&error).contains(expected), "{expected}: {}", message(&error));
        assert!(error.kind() == ErrorKind::Recipe && error.hint().is_some(), "{error}");
    }
}

#[test]
fn a_flag_that_would_be_ignored_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.toml");
    std::fs::write(&path, "[task]\nkind = \"groups\"\n[encoder]\ncharacters = \"lstm\"\n").unwrap();
    let error = Recipe::read(&path, &[Change::path("--encoder", "encoder.from", Path::new("a"))]).unwrap_err();
    assert!(error.to_string().starts_with("--encoder: encoder.from counts only where"), "{error}");
}

#[test]
fn a_recipe_without_a_kind_is_told_which_line_to_add() {
    for (text, line) in [("", "`kind = \"groups\"`"), ("objective.loss = \"contrastive\"", "`kind = \"pairs\"`")] {
        let error = read(text, &[]).unwrap_err();
        assert!(error.to_string().ends_with("recipe.toml names no kind of task"), "{error}");
        assert!(error.hint().unwrap().to_string().contains(line), "{:?}", error.hint());
    }
}

#[test]
fn a_section_is_no_key() {
    let error = read("task.kind = \"groups\"", &["schedule=3"]).unwrap_err();
    assert_eq!(error.to_string(), "`schedule` is a section, not a key");
    assert_eq!(error.hint().unwrap().to_string(), "set a key in it, e.g. `schedule.epochs = 3`");
}
