//! Documents that the page saves, in each format: `scripts/page/saved.mjs` writes them by the page's own functions.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use truename::{Document, Mention, Span};
use truename_corpus::{ReadOptions, read_all};

use crate::folder::{Folder, KB};

static MODEL: LazyLock<String> = LazyLock::new(|| crate::folder::model("bert"));
const FILES: [&str; 3] = ["judged.jsonl", "judged.pubtator", "brat"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judged").join(name)
}

/// Names and ids of the mentions of a document, by start.
fn mentions(document: &Document) -> Vec<(String, &str, Option<&str>)> {
    let said = |mention: &Mention| mention.surface(&document.text).replace(['\r', '\n'], " ");
    document.mentions.iter().map(|one| (said(one), one.mention_type.as_str(), one.id.as_deref())).collect()
}

#[test]
fn each_format_has_the_judged_mentions() {
    for name in FILES {
        let mut documents = read_all(&path(name), &ReadOptions::default()).unwrap();
        documents.sort_by_key(|document| document.mentions.len());
        let [second, first] = &documents[..] else { panic!("{name}: {}", documents.len()) };
        let expected = [
            ("Heart attack", "disease", Some("X:1")),
            ("aspirin", "drug", Some("X:3")),
            ("heart  failure", "disease", Some("X:2")),
            ("cold", "Mention", None),
        ];
        assert_eq!(mentions(first), expected.map(|(text, kind, id)| (text.to_owned(), kind, id)), "{name}");
        assert_eq!(first.mentions[1].assertions.to_string(), "negated", "{name}");
        // PubTator has no fragments, and brat no blanks in types.
        let text = if name == "judged.pubtator" { "Acetylsalicylic or salicylic acid" } else { "Acetylsalicylic acid" };
        let kind = if name == "brat" { "drug_of_pain" } else { "drug of pain" };
        assert_eq!(mentions(second), [(text.to_owned(), kind, Some("X:3|D1"))], "{name}");
    }
    let lines = read_all(&path("judged.jsonl"), &ReadOptions::default()).unwrap();
    assert_eq!((lines[0].id.as_str(), lines[0].text.contains("\r\n")), ("n 1", true));
    assert_eq!(lines[0].passages[1].span, Span::new(18, lines[0].text.len()));
}

/// A folder with a knowledge base of eighty ills, whose names can be held out.
fn ills() -> Folder {
    let folder = Folder::new();
    let parts = ["lung", "kidney", "liver", "skin", "brain", "spleen", "stomach", "bladder", "thyroid", "retina"];
    let ills = ["carcinoma", "infarction", "fibrosis", "abscess", "edema", "atrophy", "tuberculosis", "rupture"];
    let mut kb = KB.to_owned();
    for (at, (part, ill)) in parts.iter().flat_map(|part| ills.iter().map(move |ill| (part, ill))).enumerate() {
        for name in [format!("{part} {ill}"), format!("{ill} of the {part}"), format!("{part}-{ill} syndrome")] {
            kb += &format!("I:{at}\t{name}\tdisease\n");
        }
    }
    folder.write("kb.tsv", kb);
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]).code, 0);
    folder
}

#[test]
fn what_labels_are_worth_is_told_before_and_after() {
    let folder = ills();
    // The concepts of the lung, the kidney and the liver; the last name has none.
    folder.write(
        "gold.csv",
        "name,id,chance\nlungs carcinomma,I:0,1\nkidny fibrosis,I:10,0.5\nliver absces,I:19,0.25\ninvoice for the clinic,,1\n",
    );
    let calibrate = |more: &[&str]| {
        let run = folder.run(&[&["-q", "calibrate", "--kb", "kb", "--gold", "gold.csv"], more].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        run.out
    };
    let table = calibrate(&[]);
    assert!(table.contains(" held out in turn, 4 judgements, "), "{table}");
    for row in [
        "answered as judged",
        "with a concept: right",
        "with a concept: wrong",
        "with a concept: NIL",
        "without one: NIL",
    ] {
        assert!(table.contains(&format!("  {row} (%)")), "{row}: {table}");
    }
    assert!(table.contains("\njunk cells: NIL (%)") && table.contains("\nlog-loss "), "{table}");
    let gain: serde_json::Value = serde_json::from_str(&calibrate(&["--json"])).unwrap();
    assert!(gain["junk"].as_u64().unwrap() > 80 && gain["gold"] == 4, "{gain}");
    let [before, after] = [0, 1].map(|at| gain["answers"][at]["as_judged"].as_f64().unwrap());
    let told = if gain["kept"] == true { "\nkept: " } else { "\nnothing was changed: " };
    assert!((after >= before || gain["kept"] == false) && table.contains(told), "{gain} {table}");
}

#[test]
fn saved_documents_are_evaluated_calibrated_with_and_learnt() {
    let folder = ills();
    for name in FILES {
        let gold = path(name).display().to_string();
        let run = folder.run(&["evaluate", "link", "--gold", &gold, "--kb", "kb"]);
        assert!(run.code == 0 && run.out.starts_with("2 documents, 5 mentions, 4 of them with an id"), "{run:?}");
        let run = folder.run(&["calibrate", "--kb", "kb", "--gold", &gold]);
        assert!(run.code == 0 && run.err.contains("judgement") || run.out.contains("judgement"), "{run:?}");
        let recipe = format!(
            "[task]\nkind = \"recognize\"\n[data]\ntrain = [{gold:?}]\ndev = [{gold:?}]\n[spans]\ndimensions = 16\n\
             [types]\ndisease = \"names of diseases\"\n[schedule]\nepochs = 1\n"
        );
        folder.write("recipe.toml", recipe);
        let run = folder.run(&["train", "recipe.toml", "--encoder", &MODEL, "--out", &format!("of {name}")]);
        assert!(run.code == 0 && run.err.contains("2 documents to learn"), "{run:?}");
    }
}
