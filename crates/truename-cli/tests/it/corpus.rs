//! `truename corpus build`.

use crate::folder::{Folder, Ran};
use serde_json::Value;

const CONCEPTS: &str = r#"{"id": "X:1", "name": "myocardial infarction", "synonyms": ["heart attack"], "definition": "Death of heart muscle; \"he survived his heart attack\""}
{"id": "X:2", "name": "acetylsalicylic acid", "synonyms": ["aspirin"], "xrefs": ["CHEBI:15365"]}
{"id": "X:3", "name": "decompensated cardiac insufficiency", "synonyms": ["heart failure"], "parents": ["X:4"]}
{"id": "X:4", "name": "cardiac disease"}
"#;

fn with_kb() -> Folder {
    let folder = Folder::new();
    folder.write("kb.jsonl", CONCEPTS);
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.jsonl", "--out", "kb"]).code, 0);
    folder.write("a.pubtator", "1|t|A heart attack.\n1|a|Aspirin helps. So it was.\n1\t2\t14\theart attack\tDisease\tX:1\n1\t2\t7\theart\tOrgan\tY:9\n");
    folder.write("b.txt", "Dr. Smith gave aspirin early. No heart\nattack followed.");
    folder
}

fn build(folder: &Folder, more: &[&str]) -> Ran {
    folder.run(&[&["corpus", "build", "--kb", "kb", "--out", "out"], more].concat())
}

/// Concept, text, entity and source of each sentence.
fn sentences(folder: &Folder) -> Vec<[String; 4]> {
    let text = String::from_utf8(folder.read("out/sentences.jsonl")).unwrap();
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let string = |key: &str| row[key].as_str().unwrap().to_owned();
        let place = |key: &str| row[key].as_u64().unwrap() as usize;
        let text = string("text");
        let entity = text[place("start")..place("end")].to_owned();
        [string("concept"), text, entity, string("source")]
    };
    text.lines().map(row).collect()
}

fn report(folder: &Folder) -> Value {
    serde_json::from_slice(&folder.read("out/corpus.json")).unwrap()
}

#[test]
fn sentences_come_from_annotations_links_and_definitions() {
    let folder = with_kb();
    let run = build(&folder, &["a.pubtator", "b.txt", "--parents", "--licence", "ours: CC0"]);
    assert_eq!((run.code, run.out.as_str()), (0, "out\n"), "{}", run.err);
    let wanted = [
        ["X:1", "A heart attack.", "heart attack", "a.pubtator"],
        ["X:1", "No heart attack followed.", "heart attack", "b.txt"],
        ["X:1", "he survived his heart attack", "heart attack", "example"],
        ["X:1", "myocardial infarction: Death of heart muscle", "myocardial infarction", "definition"],
        ["X:2", "Dr. Smith gave acetylsalicylic acid early.", "acetylsalicylic acid", "replaced in b.txt"],
        ["X:2", "Dr. Smith gave aspirin early.", "aspirin", "b.txt"],
        [
            "X:3",
            "decompensated cardiac insufficiency: a kind of cardiac disease",
            "decompensated cardiac insufficiency",
            "parents",
        ],
        ["X:3", "heart failure: a kind of cardiac disease", "heart failure", "replaced in parents"],
    ];
    let found = sentences(&folder);
    let replaced = ["X:1", "A myocardial infarction.", "myocardial infarction", "replaced in a.pubtator"];
    let is_wanted = |row: &[String; 4]| wanted.iter().any(|wanted| row == wanted);
    // One more sentence of X:1 may have the rarer name; which one is drawn by the seed.
    let others: Vec<_> = found.iter().filter(|row| !is_wanted(row)).collect();
    assert_eq!(found.len() - others.len(), wanted.len(), "{found:#?}");
    assert!(others.len() == 1 && others[0][2] == replaced[2] && others[0][3].starts_with("replaced in "), "{others:?}");

    let report = report(&folder);
    assert_eq!((&report["read"]["documents"], &report["read"]["annotations"]), (&2.into(), &1.into()));
    assert_eq!((&report["read"]["unknown_id"], &report["read"]["links"]), (&1.into(), &2.into()));
    assert_eq!(report["left_out"]["concepts_without_sentence"], 1);
    assert_eq!((&report["written"]["concepts"], &report["written"]["sentences"]), (&3.into(), &9.into()));
    assert_eq!(report["licences"][0], "ours: CC0");
    let sheet = String::from_utf8(folder.read("out/README.md")).unwrap();
    for line in [
        "| concepts | 3 |",
        "| sentences, b.txt | 2 |",
        "- ours: CC0",
        "- linker: recognizer the knowledge base's own, else the dictionary; encoder",
    ] {
        assert!(sheet.contains(line), "{line}\n{sheet}");
    }
    assert!(run.err.contains("9 sentences of 3 concepts, "), "{}", run.err);
    assert!(run.err.contains("left out: 1 annotations without a concept"), "{}", run.err);
}

#[test]
fn options_choose_concepts_and_sentences() {
    let concepts = |more: &[&str]| {
        let folder = with_kb();
        folder.write("exclude.txt", "# evaluation\nCHEBI:15365\n");
        folder.write("names.txt", "Heart-attack\n");
        let run = build(&folder, more);
        assert_eq!(run.code, 0, "{}", run.err);
        let mut concepts: Vec<String> = sentences(&folder).into_iter().map(|[concept, ..]| concept).collect();
        concepts.dedup();
        (concepts.join(" "), report(&folder))
    };
    assert_eq!(concepts(&["b.txt"]).0, "X:1 X:2");
    assert_eq!(concepts(&["b.txt", "--link", "never"]).0, "X:1");
    // The annotated document is read by the linker too.
    assert_eq!(concepts(&["a.pubtator"]).0, "X:1");
    assert_eq!(concepts(&["a.pubtator", "--link", "always"]).0, "X:1 X:2");
    assert_eq!(concepts(&["b.txt", "--parents"]).0, "X:1 X:2 X:3");
    let (left, report) = concepts(&["b.txt", "--exclude", "exclude.txt"]);
    assert_eq!((left.as_str(), &report["left_out"]["excluded_concepts"]), ("X:1", &1.into()));
    assert_eq!(report["left_out"]["unknown_exclusions"], 0);
    let both = ["b.txt", "--exclude", "exclude.txt", "--exclude", "names.txt", "--parents"];
    assert_eq!(concepts(&both).0, "X:3");
    // python: rapidfuzz.distance.Levenshtein.distance("acetylsalicylic acid", "aspirin") = 16
    assert_eq!(concepts(&["b.txt", "--min-edit-distance", "16"]).0, "X:1 X:2");
    let (left, report) = concepts(&["b.txt", "--parents", "--min-edit-distance", "17"]);
    assert_eq!((left.as_str(), &report["left_out"]["near_names"]), ("X:3", &2.into()));
    assert_eq!(concepts(&["b.txt", "--max-per-concept", "1"]).1["written"]["pairs"], 2);
    let (_, report) = concepts(&["b.txt", "--max-length", "20", "--link", "missing"]);
    assert!(report["written"]["mean_length"].as_f64().unwrap() <= 20.0, "{report}");
}

#[test]
fn excluded_lines_without_a_concept_are_listed() {
    let folder = with_kb();
    folder.write("exclude.txt", "CHEBI:15365\nmumps\n");
    let run = build(&folder, &["b.txt", "--exclude", "exclude.txt"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("warning: --exclude: no concept has \"mumps\"\n"), "{}", run.err);
    let report = report(&folder);
    assert_eq!(report["left_out"]["unknown_exclusions"], 1);
    assert_eq!(report["left_out"]["first_unknown_exclusions"], serde_json::json!(["mumps"]));
}

/// With a knowledge base of titles of Wikipedia.
fn with_titles() -> Folder {
    let folder = Folder::new();
    folder.write(
        "kb.jsonl",
        "{\"id\": \"Evandale%2C_Tasmania\", \"name\": \"Evandale\", \"synonyms\": [\"the town on the South Esk\"]}\n",
    );
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.jsonl", "--out", "kb"]).code, 0);
    folder
}

#[test]
fn links_to_wikipedia_are_read() {
    let folder = with_titles();
    std::fs::create_dir(folder.path("RawText")).unwrap();
    folder.write("RawText/Apsley", "It has Évandale. And more.");
    folder.write("wiki.xml", "<wiki.entityAnnotation><document docName=\"Apsley\"><annotation><mention>Évandale</mention><wikiName>Evandale, Tasmania</wikiName><offset>7</offset><length>8</length></annotation></document></wiki.entityAnnotation>\n");
    let run = build(&folder, &["wiki.xml"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let texts: Vec<String> = sentences(&folder).into_iter().map(|[_, text, ..]| text).collect();
    assert!(texts.contains(&"It has Évandale.".to_owned()), "{texts:?}");
    assert!(texts.contains(&"It has the town on the South Esk.".to_owned()), "{texts:?}");
}

#[test]
fn links_within_the_text_are_read() {
    let folder = with_titles();
    folder.write("apsley.wiki", "So does [[Evandale, Tasmania|its neighbour]] on the river.");
    let run = build(&folder, &["apsley.wiki"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let texts: Vec<String> = sentences(&folder).into_iter().map(|[_, text, ..]| text).collect();
    assert!(texts.contains(&"So does its neighbour on the river.".to_owned()), "{texts:?}");
}

#[test]
fn what_cannot_be_built_is_told() {
    let folder = with_kb();
    folder.write("bad.jsonl", "{\"text\": \"aspirin\"}\nno document\n");
    let run = build(&folder, &["bad.jsonl", "--strict"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("bad.jsonl:2"), "{}", run.err);
    let run = build(&folder, &["bad.jsonl", "--resume"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("warning: bad.jsonl:2"), "{}", run.err);
    let run = build(&folder, &["bad.jsonl"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("error: out is there already\nhint: name another folder with --out"), "{}", run.err);

    let none = folder.run(&["corpus", "build", "--kb", "kb", "--out", "none", "--min-edit-distance", "100"]);
    assert_eq!(none.code, 1);
    assert!(
        none.err.contains("no concept has two sentences whose names are 100 edits or more apart\nhint: lower"),
        "{}",
        none.err
    );
    assert!(!folder.path("none").exists());
    let other = folder.run(&["corpus", "build", "--kb", "kb", "--out", "none", "--resume"]);
    assert_eq!(other.code, 1);
    assert!(other.err.contains("the corpus in none.unfinished was begun with other options"), "{}", other.err);
    for usage in [["--min-probability", "2"], ["--link", "some"], ["--max-per-concept", "0"], ["--encoding", "klingon"]]
    {
        assert_eq!(build(&folder, &usage).code, 2, "{usage:?}");
    }
    let missing = folder.run(&["corpus", "build", "nothing.txt", "--kb", "kb", "--out", "missing"]);
    assert_eq!(missing.code, 1);
    assert!(missing.err.contains("cannot read nothing.txt"), "{}", missing.err);
    assert!(!folder.path("missing.unfinished").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_goes_on() {
    use rustix::process::{Pid, Signal, kill_process};

    let folder = with_kb();
    let document = |number: usize| {
        format!("{{\"id\": \"{number}\", \"text\": \"Case {number} took aspirin. It ended in heart failure.\"}}\n")
    };
    folder.write("many.jsonl", (0..20_000).map(document).collect::<String>());
    let arguments = ["corpus", "build", "many.jsonl", "--kb", "kb", "--out", "out"];
    for moment in [0, 200, 400, 800] {
        let mut child = folder.command(&[&arguments[..], &["--resume", "-q"]].concat()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(moment));
        // It may be over.
        let _ = kill_process(Pid::from_child(&child), if moment == 400 { Signal::KILL } else { Signal::INT });
        child.wait().unwrap();
        assert!(!folder.path("out").exists() || folder.path("out/sentences.jsonl").exists());
    }
    if !folder.path("out").exists() {
        assert_eq!(folder.run(&[&arguments[..], &["--resume"]].concat()).code, 0);
    }
    let resumed = (folder.read("out/sentences.jsonl"), folder.read("out/corpus.json"));
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    let _ = std::fs::remove_dir_all(folder.path("out.unfinished"));
    assert_eq!(folder.run(&[&arguments[..], &["--threads", "1"]].concat()).code, 0);
    assert_eq!((folder.read("out/sentences.jsonl"), folder.read("out/corpus.json")), resumed);
}
