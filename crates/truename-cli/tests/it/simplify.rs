//! `simplify` and `evaluate substitutes`.

use std::sync::LazyLock;

use crate::folder::{Folder, ran};
use serde_json::Value;

static MODEL: LazyLock<String> = LazyLock::new(|| crate::folder::model("bert"));

const SYNONYMS: &str = "word,synonyms\ndivert,detour,turn\narid,dry,waterless\n";
const FREQUENCIES: &str = "the\t500000\nturned\t400\ndry\t300\nwere\t90000\nland\t5000\nstreams\t4000\narid\t1\n";
const TEXT: &str = "The streams were diverted. An arid land.";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("synonyms.csv", SYNONYMS);
    folder.write("frequencies.tsv", FREQUENCIES);
    folder.write("note.txt", format!("{TEXT}\n"));
    folder
}

/// With a masked-language model in `masked` that learnt a few sentences.
fn with_model() -> Folder {
    let folder = folder();
    folder
        .write("notes.txt", "the patient had fever again. the patient was seen on the day. a heart attack and fever.");
    let recipe = "[task]\nkind = \"pretrain\"\n[data]\ntext = [\"notes.txt\"]\n[schedule]\nepochs = 3\n";
    folder.write("recipe.toml", recipe);
    let run = folder.run(&["-q", "train", "recipe.toml", "--encoder", &MODEL, "--out", "masked"]);
    assert_eq!(run.code, 0, "{}", run.err);
    folder
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn named_words_get_substitutes_in_their_form() {
    let folder = folder();
    let asked = [
        "simplify",
        TEXT,
        "--words",
        "diverted,ARID",
        "--synonyms",
        "synonyms.csv",
        "--frequencies",
        "frequencies.tsv",
    ];
    let run = folder.run(&asked);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let first = "{\"word\":\"diverted\",\"start\":17,\"end\":25,\"replacement\":\"turned\",\"substitutes\":[\
                 {\"word\":\"turned\",\"rank\":1.0,\"frequency\":400,\"synonym\":true},\
                 {\"word\":\"detoured\",\"rank\":2.0,\"frequency\":0,\"synonym\":true}]}";
    assert_eq!(run.out.lines().next(), Some(first));
    assert_eq!(lines(&run.out)[1]["replacement"], "dry");
    let run = folder.run(&[&asked[..], &["--format", "terminal"]].concat());
    assert_eq!(run, ran(0, "diverted → turned  (detoured)\narid → dry  (waterless)\n", ""));
    let run = folder.run(&[&asked[..], &["--replace"]].concat());
    assert_eq!(run, ran(0, "The streams were turned. A dry land.\n", ""));
    let run = folder.run(&[&asked[..], &["--top", "1", "--format", "terminal"]].concat());
    assert_eq!(run.out, "diverted → turned\narid → dry\n");
}

#[test]
fn without_words_the_rare_ones_are_simplified() {
    let folder = folder();
    let asked = ["simplify", "note.txt", "--synonyms", "synonyms.csv", "--frequencies", "frequencies.tsv"];
    let found = lines(&folder.run(&asked).out);
    let words: Vec<&str> = found.iter().map(|line| line["word"].as_str().unwrap()).collect();
    assert_eq!(words, ["diverted", "arid"]);
    assert_eq!(found[0]["document"], "note");
    let pattern = ["simplify", "no*.txt", "--synonyms", "synonyms.csv", "--frequencies", "frequencies.tsv"];
    assert_eq!(lines(&folder.run(&pattern).out), found);
    let run = folder.run(&[&asked[..], &["--replace", "--out", "simple.txt"]].concat());
    assert_eq!(run, ran(0, "", ""));
    assert_eq!(folder.read("simple.txt"), b"The streams were turned. A dry land.\n");
    let run = folder.run(&[&asked[..], &["--rare", "0"]].concat());
    assert_eq!(run, ran(0, "", "hint: no word is rarer than --rare 0\n"));
    let run = folder.run(&["simplify", "note.txt", "--synonyms", "synonyms.csv", "--words", "possessor"]);
    assert_eq!(run, ran(0, "", "hint: no text has possessor\n"));
}

#[test]
fn names_of_a_knowledge_base_are_synonyms() {
    let folder = Folder::with_kb();
    let run =
        folder.run(&["simplify", "He takes Aspirin daily", "--words", "aspirin", "--kb", "kb", "--format", "terminal"]);
    assert_eq!(run, ran(0, "Aspirin → Acetylsalicylic acid\n", ""));
}

#[test]
fn a_masked_language_model_proposes_words_whatever_the_threads() {
    let folder = with_model();
    let asked = [
        "simplify",
        "the patient had fever again",
        "--words",
        "fever",
        "--model",
        "masked",
        "--encoder",
        &MODEL,
        "--frequencies",
        "frequencies.tsv",
        "--window",
        "5",
    ];
    let run = folder.run(&asked);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let found = &lines(&run.out)[0]["substitutes"];
    assert_eq!(found.as_array().unwrap().len(), 10);
    for substitute in found.as_array().unwrap() {
        let word = substitute["word"].as_str().unwrap();
        assert!(!["fever", "fev"].contains(&word), "{word} is the word itself");
        assert!(substitute["fit"].as_f64().unwrap() < 0.0 && substitute["cross_entropy"].as_f64().unwrap() > 0.0);
        assert!(substitute["similarity"].as_f64().unwrap() < 1.0);
        assert_eq!(substitute["synonym"], Value::Null, "no vocabulary");
    }
    for threads in ["1", "3"] {
        assert_eq!(folder.run(&[&asked[..], &["--threads", threads]].concat()).out, run.out);
    }
    let asked = &asked[..asked.len() - 2];
    let whole = folder.run(asked);
    let half = folder.run(&[asked, &["--mask-original", "0.5"]].concat());
    assert_eq!((half.code, half.out == whole.out), (0, false), "{}", half.err);
    let both = folder.run(&[asked, &["--mask-original", "0.5", "--masked-alone"]].concat());
    assert_eq!((both.code, both.err.contains("cannot be used with '--masked-alone'")), (2, true), "{}", both.err);
    let alone = folder.run(&[asked, &["--masked-alone", "--candidates", "3"]].concat());
    let alone = &lines(&alone.out)[0]["substitutes"];
    assert_eq!(alone.as_array().unwrap().len(), 3);
    assert_eq!(alone[0]["cross_entropy"], Value::Null);
}

#[test]
fn what_cannot_work_is_refused() {
    let folder = folder();
    let run = folder.run(&["simplify", "note.txt", "--synonyms", "synonyms.csv"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("name the words by --words, or give --frequencies"), "{}", run.err);
    let run = folder.run(&["simplify", "none.txt", "--synonyms", "synonyms.csv", "--words", "arid"]);
    assert_eq!((run.code, run.err.contains("there is no file none.txt")), (2, true), "{}", run.err);
    let run = folder.run(&["simplify", TEXT, "--words", "arid"]);
    assert_eq!((run.code, run.err.contains("--model <DIR>")), (2, true), "{}", run.err);
    let run = folder.run(&["simplify", TEXT, "--words", "arid", "--model", &MODEL]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("has no masked-language head\nhint: train one:"), "{}", run.err);
    folder.write("bad.tsv", "the\t5\nuse\tmany\n");
    let run = folder.run(&["simplify", TEXT, "--synonyms", "synonyms.csv", "--frequencies", "bad.tsv"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("bad.tsv:2: expected a word, a tab and its count, found \"use\\tmany\""), "{}", run.err);
}

#[test]
fn substitutes_are_scored_in_both_forms_of_gold() {
    let folder = folder();
    folder.write(
        "mturk.txt",
        "Sentence\tWord\tLabels\nAn arid land.\tarid\tDry\tbarren\tdry\nIt diverted it\tdiverted\tmoved\t\n",
    );
    folder.write("bench.txt", "an arid land .\tarid\t1\t1:dry\t2:barren\nit diverted it .\tdiverted\t1\t1:moved\n");
    let sources = ["--synonyms", "synonyms.csv", "--frequencies", "frequencies.tsv", "--json", "scores.json"];
    for gold in ["mturk.txt", "bench.txt"] {
        let asked = ["evaluate", "substitutes", "--gold", gold, "--predictions", "predictions.jsonl"];
        let run = folder.run(&[&asked[..], &sources].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(
            run.out.starts_with("2 words\ncandidates: precision 25.00 %, recall 33.33 %, F1 28.57 %"),
            "{}",
            run.out
        );
        let scores: Value = serde_json::from_slice(&folder.read("scores.json")).unwrap();
        assert_eq!(
            (&scores["precision"], &scores["accuracy"], &scores["words"]),
            (&0.25.into(), &0.5.into(), &2.into())
        );
        let predictions = String::from_utf8(folder.read("predictions.jsonl")).unwrap();
        let first = &lines(&predictions)[0];
        assert_eq!((&first["answer"], &first["candidates"][1]), (&"dry".into(), &"waterless".into()));
    }
    folder.write("latin.txt", b"Sentence\tWord\tLabels\nCaf\xe9 arid\tarid\tdry\n");
    let asked = ["evaluate", "substitutes", "--gold", "latin.txt"];
    let run = folder.run(&[&asked[..], &sources].concat());
    assert_eq!(
        (run.code, run.err.contains("latin.txt:2: byte 4 of the line is not UTF-8\nhint: say --encoding")),
        (1, true),
        "{}",
        run.err
    );
    let run = folder.run(&[&asked[..], &sources, &["--encoding", "windows-1252"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let run = folder.run(&["evaluate", "substitutes", "--gold", "frequencies.tsv", "--synonyms", "synonyms.csv"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("hint: one sentence a line, as LexMTurk"), "{}", run.err);
}
