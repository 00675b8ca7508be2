//! `truename classify` and `evaluate classes`, by classifiers that `train` made.

use std::sync::LazyLock;

use crate::folder::{Folder, ran};
use serde_json::Value;

static MODEL: LazyLock<String> = LazyLock::new(|| crate::folder::model("bert"));

const TEXTS: &str = "\
text\tlabel
heart attack\tdisease
flu\tdisease
the heart failure\tdisease
aspirin\tdrug
the aspirin\tdrug
aspirin for the guests\tdrug
";

const RECIPE: &str = "\
[task]
kind = \"classify\"
[data]
train = \"texts.tsv\"
dev = \"texts.tsv\"
[encoder]
dropout = 0.0
[classes]
batch = 3
window = 24
pooling = \"mean\"
[schedule]
epochs = 60
learning_rate = 1e-2
[evaluation]
every = 60
";

/// With a classifier of single texts in `model`.
fn trained() -> Folder {
    let folder = Folder::new();
    folder.write("texts.tsv", TEXTS);
    folder.write("recipe.toml", RECIPE);
    let run = folder.run(&["train", "recipe.toml", "--encoder", &MODEL, "--out", "model"]);
    assert_eq!((run.code, run.out.as_str()), (0, "model\n"), "{}", run.err);
    assert!(run.err.contains("6 texts to learn, 6 to evaluate on\nlabels: 3 disease, 3 drug\n"), "{}", run.err);
    assert!(run.err.contains("epoch 60: accuracy 100.00 %"), "{}", run.err);
    folder
}

/// With a regression of pairs in `model`.
fn trained_on_values() -> Folder {
    let folder = Folder::new();
    folder.write(
        "pairs.csv",
        "one,two,score\n\"flu, the\",flu,5.0\nheart attack,aspirin,0.5\naspirin,aspirin,4.5\nguests,flu,1\n",
    );
    folder.write("recipe.toml", RECIPE);
    let set = [
        "data.train=pairs.csv",
        "data.dev=pairs.csv",
        "data.first=one",
        "data.second=two",
        "data.label=score",
        "classes.regression=true",
    ];
    let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
    let run = folder.run(&[&["train", "recipe.toml", "--encoder", &MODEL, "--out", "model"], &set[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    folder
}

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_slice(&folder.read(name)).unwrap()
}

#[test]
fn classes_are_scored() {
    let folder = trained();
    let run = folder.run(&["evaluate", "classes", "--gold", "texts.tsv", "--model", "model", "--json", "scores.json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert!(run.out.starts_with("6 texts\naccuracy    100.00 %\nF1          100.00 %  of drug\n"), "{}", run.out);
    let scores = json(&folder, "scores.json");
    ["accuracy", "f1", "matthews"].into_iter().for_each(|score| assert_eq!(scores[score], 1.0, "{score}"));
    assert_eq!(scores["labels"]["drug"]["gold"], 3);
    assert_eq!(scores["truncated"], 0);

    // Another layout, a wrong label, and a text longer than the window.
    let long = "the guests ".repeat(20);
    folder.write(
        "gold.jsonl",
        format!("{{\"t\": \"aspirin\", \"l\": \"disease\"}}\n{{\"t\": \"{long}\", \"l\": \"drug\"}}\n"),
    );
    let columns = ["--first", "t", "--label", "l", "--positive", "disease", "--json", "scores.json"];
    let asked = ["-q", "evaluate", "classes", "--gold", "gold.jsonl", "--model", "model"];
    let run = folder.run(&[&asked[..], &columns].concat());
    assert!(
        run.code == 0 && run.out.ends_with("1 text longer than the 24 tokens that the model reads, and cut\n"),
        "{run:?}"
    );
    let scores = json(&folder, "scores.json");
    assert_eq!(scores["positive"], "disease");
    assert_eq!(scores["truncated"], 1);
    assert_eq!(scores["labels"]["disease"]["gold"], 1);
}

#[test]
fn values_are_scored_and_given() {
    let folder = trained_on_values();
    let run =
        folder.run(&["-q", "evaluate", "classes", "--gold", "pairs.csv", "--model", "model", "--json", "scores.json"]);
    assert!(run.code == 0 && run.out.starts_with("4 texts\nPearson"), "{run:?}");
    let scores = json(&folder, "scores.json");
    assert!(scores["pearson"].as_f64() > Some(0.9) && scores["spearman"].as_f64() > Some(0.7), "{scores}");
    let run = folder.run(&["-q", "classify", "pairs.csv", "--model", "model", "--out", "out.csv"]);
    assert_eq!(run, ran(0, "", ""));
    let out = String::from_utf8(folder.read("out.csv")).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((lines[0], lines.len()), ("one,two,score,value", 5));
    let value = lines[1].strip_prefix("\"flu, the\",flu,5.0,").unwrap().parse::<f64>().unwrap();
    assert!((value - 5.0).abs() < 1.5, "{out}");
    let refused = folder.run(&["-q", "classify", "pairs.csv", "--model", "model", "--out", "out.jsonl"]);
    assert!(refused.code == 2 && refused.err.contains("call it .csv"), "{refused:?}");
}

#[test]
fn rows_pass_through_with_label_and_probability() {
    let folder = trained();
    let run = folder.run(&["classify", "texts.tsv", "--model", "model"]);
    assert!(run.code == 0 && run.err.starts_with("6 texts: 3 disease, 3 drug ("), "{}", run.err);
    let lines: Vec<&str> = run.out.lines().collect();
    // The table has a column of that name already.
    assert_eq!(lines[0], "text\tlabel\ttruename_label\ttruename_probability");
    for (line, row) in lines.iter().zip(TEXTS.lines()).skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!((&cells[..2].join("\t")[..], cells[1]), (row, cells[2]));
        let probability: f64 = cells[3].parse().unwrap();
        assert!(probability > 0.5 && probability <= 1.0, "{line}");
    }

    // A text has the same answer alone, in another format.
    folder.write("one.jsonl", "\n{\"n\": 1, \"name\": \"aspirin\"}\n{\"n\": 2}\n");
    let run = folder.run(&["classify", "one.jsonl", "--model", "model", "--first", "name"]);
    let answered = run.out.lines().nth(1).unwrap();
    let object: Value = serde_json::from_str(answered).unwrap();
    assert!(answered.starts_with("{\"n\": 1, \"name\": \"aspirin\",\"label\":\"drug\",\"probability\":"), "{answered}");
    let alone: f64 = lines[4].rsplit('\t').next().unwrap().parse().unwrap();
    assert!((object["probability"].as_f64().unwrap() - alone).abs() < 1e-4);
    assert_eq!(run.out.lines().nth(2), Some("{\"n\": 2,\"label\":null,\"probability\":null}"));
    assert!(run.err.starts_with("warning: one.jsonl:3: no field \"name\"\n1 malformed rows"), "{}", run.err);

    // Stdin, without a header, packed.
    let asked = ["-q", "classify", "-", "--model", "model", "--no-header", "--first", "2"];
    let run = folder.run_with_input(&asked, b"1\tflu\r\n2\taspirin");
    assert!(
        run.code == 0 && run.out.starts_with("1\tflu\tdisease\t") && run.out.contains("\r\n2\taspirin\tdrug\t"),
        "{run:?}"
    );
}

#[test]
fn parts_of_a_table_are_classified_as_one() {
    let folder = trained();
    std::fs::create_dir(folder.path("parts")).unwrap();
    let lines: Vec<&str> = TEXTS.lines().collect();
    folder.write("parts/1.tsv", lines[..3].join("\n"));
    folder.write("parts/2.tsv", [&lines[..1], &lines[3..]].concat().join("\n") + "\n");
    let classified = |path| folder.run(&["-q", "classify", path, "--model", "model"]);
    assert_eq!(classified("parts"), classified("texts.tsv"));
    folder.write("parts/3.tsv", "label\ttext\ndrug\taspirin\n");
    let refused = classified("parts/*.tsv");
    let message = "error: parts/3.tsv: the columns are \"label\", \"text\", those of parts/1.tsv \"text\", \"label\"\n";
    assert!(refused.code == 1 && refused.out.is_empty() && refused.err.starts_with(message), "{refused:?}");
}

#[test]
fn threads_and_neighbours_change_no_answer() {
    let folder = trained();
    let [one, many] = ["1", "3"]
        .map(|threads| folder.run(&["-q", "--threads", threads, "classify", "texts.tsv", "--model", "model"]).out);
    assert_eq!(one, many);
}

#[test]
fn records_of_ditto_are_classified() {
    let folder = Folder::new();
    let row = |one: &str, two: &str, label: u8| format!("COL name VAL {one}\tCOL name VAL {two}\t{label}\n");
    let rows = [row("flu", "flu", 1), row("aspirin", "flu", 0), row("heart", "heart", 1), row("guests", "heart", 0)];
    folder.write("pairs.txt", rows.concat());
    folder.write("recipe.toml", RECIPE);
    let set = [
        "--set",
        "data.train=pairs.txt",
        "--set",
        "data.dev=pairs.txt",
        "--set",
        "schedule.epochs=2",
        "--set",
        "evaluation.every=1",
    ];
    let run = folder.run(&[&["-q", "train", "recipe.toml", "--encoder", &MODEL, "--out", "model"], &set[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let run = folder.run(&["-q", "evaluate", "classes", "--gold", "pairs.txt", "--model", "model"]);
    assert!(run.code == 0 && run.out.starts_with("4 texts"), "{run:?}");
    let run = folder.run(&["-q", "classify", "pairs.txt", "--model", "model"]);
    for (line, row) in run.out.lines().zip(&rows) {
        assert!(line.starts_with(row.trim_end()) && line.split('\t').count() == 5, "{line}");
    }
    let run = folder.run_with_input(&["-q", "classify", "-", "--model", "model"], b"text\nflu\n");
    assert!(run.code == 2 && run.err.contains("the model classifies pairs of texts"), "{run:?}");
}

#[test]
fn what_is_wrong_is_told_with_a_way_out() {
    let folder = trained();
    folder.write("other.tsv", "text\tlabel\nflu\tvirus\n");
    folder.write("wide.tsv", "text\tlabel\nflu\tdisease\tx\n");
    folder.write("short.tsv", "id\ttext\n1\n2\tflu\n");
    folder.write("names.tsv", "texts\nflu\n");
    let model = MODEL.as_str();
    let cases: [(&[&str], i32, &[&str]); 9] = [
        (
            &["evaluate", "classes", "--gold", "other.tsv", "--model", "model"],
            1,
            &["other.tsv:2: the model has no label \"virus\", only disease, drug"],
        ),
        (
            &["evaluate", "classes", "--gold", "texts.tsv", "--model", "model", "--positive", "x"],
            1,
            &["the model has no label \"x\", only disease, drug", "hint: give one of them as --positive"],
        ),
        (
            &["evaluate", "classes", "--gold", "texts.tsv", "--model", "model", "--second", "label"],
            2,
            &["the model classifies single texts"],
        ),
        (&["evaluate", "classes", "--gold", "none.tsv", "--model", "model"], 1, &["cannot open none.tsv"]),
        (&["classify", "texts.tsv", "--model", model], 1, &["is no classifier", "hint: train a classifier"]),
        (&["classify", "wide.tsv", "--model", "model"], 1, &["wide.tsv:2: row has 3 cells, the first row has 2"]),
        (&["classify", "short.tsv", "--model", "model", "--strict"], 1, &["short.tsv:2: row has 1 of 2 cells"]),
        (
            &["classify", "names.tsv", "--model", "model"],
            2,
            &["no column \"text\" among \"texts\"", "did you mean --first texts?"],
        ),
        (
            &["classify", "texts.tsv", "--model", "model", "--no-header"],
            2,
            &["no column \"text\" among \"1\", \"2\"", "name one with --first"],
        ),
    ];
    for (arguments, code, expected) in cases {
        let run = folder.run(&[&["-q"], arguments].concat());
        assert_eq!(run.code, code, "{arguments:?} {run:?}");
        for part in expected {
            assert!(run.err.contains(part), "{arguments:?}: {}", run.err);
        }
    }
    let run = folder.run(&["classify", "short.tsv", "--model", "model"]);
    assert!(
        run.code == 0 && run.out.starts_with("id\ttext\tlabel\tprobability\n1\t\t\t\n2\tflu\tdisease\t"),
        "{run:?}"
    );
    assert!(run.err.contains("1 malformed rows left without an answer"), "{}", run.err);
}
