//! Classification and regression of texts and pairs, by the small BERT of `truename-infer`.

use std::io::Write;
use std::path::Path;

use truename_infer::{Classifier, ClassifyText};
use truename_train::{Change, Error, Recipe, Run, Scores, Start, begin};

const BERT: &str = "../truename-infer/tests/models/bert";

/// Pairs with a label and a value.
const PAIRS: [(&str, &str, &str, f64); 8] = [
    ("flu", "influenza", "same", 5.0),
    ("heart attack", "the heart attack", "same", 4.5),
    ("aspirin", "aspirin", "same", 5.0),
    ("guests", "the guests", "same", 4.0),
    ("flu", "heart attack", "other", 1.0),
    ("aspirin", "the guests", "other", 0.0),
    ("heart attack", "aspirin", "other", 0.5),
    ("the patient", "flu", "other", 1.0),
];

fn table() -> String {
    let row =
        |(first, second, label, value): &(&str, &str, &str, f64)| format!("{label}\t{value:.1}\t{first}\t{second}\n");
    "label\tscore\tone\ttwo\n".to_owned() + &PAIRS.iter().map(row).collect::<String>()
}

fn recipe(folder: &Path, set: &[&str]) -> Result<Recipe, Error> {
    let text = format!(
        "[task]\nkind = \"classify\"\n[data]\ntrain = \"pairs.tsv\"\ndev = \"pairs.tsv\"\nfirst = \"one\"\nsecond = \"two\"\n\
         [encoder]\nfrom = \"{BERT}\"\ndropout = 0.0\n[classes]\nbatch = 4\nwindow = 24\npooling = \"mean\"\n[schedule]\n\
         epochs = 40\nlearning_rate = 0.01\n[evaluation]\nevery = 20\n"
    );
    let path = folder.join("recipe.toml");
    std::fs::write(&path, text).unwrap();
    let changes: Vec<Change> = set.iter().map(|change| Change::parse("--set", change)).collect::<Result<_, _>>()?;
    Recipe::read(&path, &changes)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pairs.tsv"), table()).unwrap();
    folder
}

fn trained(recipe: &Recipe, out: &Path) -> (Box<dyn Run>, Scores) {
    let mut run = begin(recipe, out, Start::Anew).unwrap();
    run.finish().unwrap();
    let scores = run.last_scores().unwrap();
    (run, scores)
}

fn error(folder: &Path, set: &[&str]) -> String {
    let shown = |error: Error| error.to_string().replace(&folder.display().to_string(), "");
    let recipe = match recipe(folder, set) {
        Ok(recipe) => recipe,
        Err(error) => return shown(error),
    };
    begin(&recipe, &folder.join("none"), Start::Anew).err().map(shown).unwrap_or_default()
}

#[test]
fn labels_are_learnt_and_a_resumed_run_has_the_same_weights() {
    let folder = folder();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    let recipe = recipe(folder.path(), &[]).unwrap();
    let (run, scores) = trained(&recipe, &whole);
    assert_eq!((scores.names, scores.get("accuracy"), scores.get("f1"), scores.get("matthews")), (8, 1.0, 1.0, 1.0));
    let lines = run.describe().unwrap();
    assert_eq!(lines[..2], ["8 pairs to learn, 8 to evaluate on", "labels: 4 other, 4 same"]);

    let classifier = Classifier::open(&whole).unwrap();
    let config = classifier.config();
    assert_eq!(
        (classifier.labels(), config.positive.as_deref()),
        (&["other", "same"].map(str::to_owned)[..], Some("same"))
    );
    assert_eq!(
        (&config.columns[..], config.label_column.as_deref()),
        (&["one", "two"].map(str::to_owned)[..], Some("label"))
    );
    let asked = PAIRS.map(|(first, second, ..)| ClassifyText { first, second: Some(second) });
    for (scores, (.., label, _)) in classifier.scores(&asked).unwrap().iter().zip(PAIRS) {
        assert_eq!(config.best(scores).0, label);
    }

    let mut run = begin(&recipe, &parts, Start::Anew).unwrap();
    (0..31).for_each(|_| drop(run.advance().unwrap()));
    run.save().unwrap();
    drop(run);
    begin(&recipe, &parts, Start::Resumed).unwrap().finish().unwrap();
    for file in ["model.safetensors", "truename.json"] {
        let [one, other] = [&whole, &parts].map(|folder| std::fs::read(folder.join(file)).unwrap());
        assert!(one == other, "{file}");
    }
}

#[test]
fn values_are_learnt_in_their_unit() {
    let folder = folder();
    let out = folder.path().join("out");
    let recipe = recipe(folder.path(), &["classes.regression=true", "data.label=score"]).unwrap();
    let (run, scores) = trained(&recipe, &out);
    assert!(scores.get("pearson") > 0.95 && scores.get("spearman") > 0.8, "{scores:?}");
    assert!(run.describe().unwrap()[1].starts_with("values: mean 2.625, standard deviation "));
    let classifier = Classifier::open(&out).unwrap();
    assert!(classifier.labels().is_empty());
    let asked = PAIRS.map(|(first, second, ..)| ClassifyText { first, second: Some(second) });
    for (found, (.., value)) in classifier.scores(&asked).unwrap().iter().zip(PAIRS) {
        assert!((f64::from(found[0]) - value).abs() < 1.0, "{found:?} {value}");
    }
}

#[test]
fn the_score_of_the_recipe_decides() {
    let folder = folder();
    let out = folder.path().join("out");
    let set = ["classes.score=matthews", "schedule.epochs=2", "evaluation.every=1"];
    trained(&recipe(folder.path(), &set).unwrap(), &out);
    let metrics = std::fs::read_to_string(out.join("metrics.jsonl")).unwrap();
    let evaluation = metrics.lines().find(|line| line.contains("\"macro_f1\"")).unwrap();
    assert!(evaluation.contains("\"score\":\"matthews\""), "{evaluation}");
}

#[test]
fn a_share_is_held_out_and_equal_texts_stay_together() {
    let folder = folder();
    let rows: String = (0..60).map(|at| format!("flu {}\t{}\n", at / 2, at % 2)).collect();
    std::fs::write(folder.path().join("texts.tsv"), format!("text\tlabel\n{rows}")).unwrap();
    let set = [
        "data.train=[\"texts.tsv\"]",
        "data.dev=[]",
        "data.first=text",
        "data.second=",
        "data.dev_share=0.2",
        "schedule.max_steps=1",
    ];
    let recipe = recipe(folder.path(), &set).unwrap();
    let (run, scores) = trained(&recipe, &folder.path().join("out"));
    assert!(run.describe().unwrap()[0].starts_with("48 texts to learn, 12 to evaluate on"), "{:?}", run.describe());
    // A text with both labels in each pair of rows: half of the answers are right.
    assert_eq!((scores.names, scores.get("accuracy")), (12, 0.5));
}

#[test]
fn tables_of_a_folder_and_of_a_pattern_are_those_of_their_files_in_any_form() {
    let folder = folder();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let table = table();
    let (rows, header) = (table.lines().skip(1).collect::<Vec<_>>(), table.lines().next().unwrap());
    let part = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(part(&rows[..5]).as_bytes()).unwrap();
    std::fs::write(data.join("a.tsv.gz"), packed.finish().unwrap()).unwrap();
    let wide: Vec<u8> = part(&rows[5..]).encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(data.join("b.tsv"), [&[0xff, 0xfe][..], &wide].concat()).unwrap();
    let hash = |train: &str, out: &str| {
        let recipe = recipe(folder.path(), &[train, "schedule.max_steps=1"]).unwrap();
        let out = folder.path().join(out);
        trained(&recipe, &out);
        let run = std::fs::read_to_string(out.join("run.json")).unwrap();
        let run: serde_json::Value = serde_json::from_str(&run).unwrap();
        (run["data_hash"].clone(), run["files"].as_array().unwrap().len())
    };
    let whole = hash("data.train=pairs.tsv", "whole");
    let paths = ["data", "data/*.tsv*", "[\"data/a.tsv.gz\", \"data/b.tsv\"]"];
    for (number, paths) in paths.iter().enumerate() {
        let parts = hash(&format!("data.train={paths}"), &number.to_string());
        assert_eq!((&parts.0, parts.1), (&whole.0, whole.1 + 1), "{paths}");
    }
}

#[test]
fn records_of_ditto_and_long_pairs_are_read() {
    let folder = folder();
    let row = |(first, second, label, _): &(&str, &str, &str, f64)| {
        format!(
            "COL title VAL {first} COL note VAL heart attack and flu\tCOL title VAL {second}\t{}\n",
            u8::from(*label == "same")
        )
    };
    std::fs::write(folder.path().join("train.txt"), PAIRS.iter().map(row).collect::<String>()).unwrap();
    let set = [
        "data.train=train.txt",
        "data.dev=train.txt",
        "data.first=",
        "data.second=",
        "classes.window=12",
        "schedule.max_steps=2",
    ];
    let recipe = recipe(folder.path(), &set).unwrap();
    let (run, scores) = trained(&recipe, &folder.path().join("out"));
    assert_eq!(scores.names, 8);
    let lines = run.describe().unwrap();
    assert!(
        lines.contains(&"8 pairs to learn are longer than the 12 tokens of classes.window and cut".to_owned()),
        "{lines:?}"
    );
    let config = Classifier::open(&folder.path().join("out")).unwrap().config().clone();
    assert!(config.is_pair && config.columns.is_empty() && config.positive.as_deref() == Some("1"), "{config:?}");
}

#[test]
fn what_cannot_be_learnt_is_told_with_its_place() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("same.tsv", "label\tscore\tone\ttwo\na\t1\tx\ty\na\t2\tx\tz\n");
    write("other.tsv", "label\tscore\tone\ttwo\nsame\t1\tx\ty\nnew\tmuch\tx\tz\n");
    write("single.tsv", "label\tone\nsame\tx\n");
    let cases: [(&[&str], &str); 9] = [
        (&["data.label=score"], "/pairs.tsv:3: the label 4.5 is a value; set classes.regression to learn values"),
        (&["data.train=same.tsv"], "/same.tsv:2: all texts have the label \"a\""),
        (&["data.dev=other.tsv"], "/other.tsv:3: no text to learn from has the label \"new\""),
        (&["classes.regression=true"], "/pairs.tsv:2: the value \"same\" is not a number"),
        (&["data.dev=single.tsv"], "/single.tsv:1: no column \"two\" among \"label\", \"one\""),
        (&["classes.score=pearson"], "classes.score is pearson; it must be accuracy, f1, macro_f1 or matthews"),
        (&["classes.positive=none"], "classes.positive is none; it must be other, same"),
        (&["data.format=xml"], "data.format is xml; it must be csv, tsv, jsonl or pairs, or nothing"),
        (&["classes.pooling="], ""),
    ];
    for (set, expected) in cases {
        assert_eq!(error(folder.path(), set), expected, "{set:?}");
    }
    assert!(error(folder.path(), &["data.train=[]"]).contains("the recipe does not set data.train"));
    assert!(error(folder.path(), &["classes.window=4096"]).contains("4096 tokens"));
}

#[test]
fn a_classifier_is_a_start_where_it_has_as_many_outputs() {
    let folder = folder();
    let out = folder.path().join("out");
    trained(&recipe(folder.path(), &["schedule.max_steps=2"]).unwrap(), &out);
    let from = format!("encoder.from={}", out.display());
    assert_eq!(error(folder.path(), &[&from]), "");
    let message = error(folder.path(), &[&from, "classes.regression=true", "data.label=score"]);
    assert!(
        message.contains("a classifier with 2 outputs; it must be an encoder, or a classifier with 1"),
        "{message}"
    );
}
