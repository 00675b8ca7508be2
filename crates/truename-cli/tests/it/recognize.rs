//! `truename recognize`, and recognizers that `train` made in `link`, `kb models` and `evaluate mentions`.

use std::sync::LazyLock;

use crate::folder::{Folder, ran};
use serde_json::Value;

static MODEL: LazyLock<String> = LazyLock::new(|| crate::folder::model("bert"));

/// CoNLL: the word before the tab, its tag after it.
const CORPUS: &str = "\
Aspirin\tB-Drug\nafter\tO\na\tO\nheart\tB-Disease\nattack\tI-Disease\n.\tO\n\n\
Naïve\tO\n😀\tO\nguests\tO\nhave\tO\nheart\tB-Disease\nfailure\tI-Disease\n.\tO\n\n\
No\tO\naspirin\tB-Drug\nfor\tO\nthe\tO\nguests\tO\n.\tO\n\n";

const RECIPE: &str = "\
[task]
kind = \"recognize\"
[data]
train = [\"corpus.conll\"]
dev = [\"corpus.conll\"]
[types]
Disease = \"names of diseases\"
Drug = [\"names of drugs\", \"substances that cure\"]
[encoder]
dropout = 0.0
[spans]
dimensions = 16
[schedule]
epochs = 60
learning_rate = 1e-2
[evaluation]
every = 30
";

/// With a knowledge base in `kb` and a recognizer in `recognizer`.
fn trained() -> Folder {
    let folder = Folder::with_kb();
    folder.write("corpus.conll", CORPUS);
    folder.write("recipe.toml", RECIPE);
    let run = folder.run(&["train", "recipe.toml", "--encoder", &MODEL, "--out", "recognizer"]);
    assert_eq!((run.code, run.out.as_str()), (0, "recognizer\n"), "{}", run.err);
    assert!(run.err.contains("3 documents to learn, 3 passages, mentions: 2 Disease, 2 Drug"), "{}", run.err);
    assert!(run.err.contains("epoch 60: f1 100.00 %"), "{}", run.err);
    folder
}

fn mentions(line: &str) -> Vec<(String, String)> {
    let document: Value = serde_json::from_str(line).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mention = |mention: &Value| (text(&mention["text"]), text(&mention["types"][0]));
    document["mentions"].as_array().unwrap().iter().map(mention).collect()
}

#[test]
fn mentions_are_found_with_types_scores_and_offsets() {
    let folder = trained();
    let text = "Naïve 😀 guests\r\nhave heart failure .\r\n";
    folder.write("note.txt", text);
    let run = folder.run(&["recognize", "note.txt", "--recognizer", "recognizer"]);
    assert!(run.code == 0 && run.err.starts_with("1 document: 1 mention (Disease 1) ("), "{}", run.err);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let letters: Vec<char> = text.chars().collect();
    for mention in document["mentions"].as_array().unwrap() {
        let [start, end] = ["start", "end"].map(|key| mention[key].as_u64().unwrap() as usize);
        assert_eq!(mention["text"], letters[start..end].iter().collect::<String>());
        assert!(mention["score"].as_f64() > mention["threshold"].as_f64(), "{mention}");
        assert!(
            mention.get("id").is_none() && mention.get("candidates").is_none() && mention.get("zero_shot").is_none()
        );
    }
    assert_eq!(mentions(&run.out), [("heart failure".to_owned(), "Disease".to_owned())]);

    let joint = folder.run(&["-q", "recognize", "note.txt", "--recognizer", "recognizer", "--joint"]);
    assert!(joint.code == 0 && mentions(&joint.out).len() <= 1, "{joint:?}");
    let by_margin = |margin: &str| {
        let run = folder.run(&["-q", "recognize", "note.txt", "--recognizer", "recognizer", "--min-margin", margin]);
        mentions(&run.out).len()
    };
    assert!(by_margin("1000") == 0 && by_margin("-1000") > 1, "{} {}", by_margin("1000"), by_margin("-1000"));
    for format in ["pubtator", "bioc-xml", "bioc-json", "html", "terminal"] {
        let run = folder.run(&["-q", "recognize", "note.txt", "--recognizer", "recognizer", "--format", format]);
        assert!(run.code == 0 && run.err.is_empty() && run.out.contains("Disease"), "{format}: {run:?}");
        assert!(!run.out.contains("NIL"), "{format}: {}", run.out);
    }
    let run =
        folder.run(&["-q", "recognize", "note.txt", "--recognizer", "recognizer", "--format", "brat", "--out", "brat"]);
    assert_eq!(run, ran(0, "", ""));
    assert!(String::from_utf8(folder.read("brat/note.ann")).unwrap().contains("heart failure"));
}

#[test]
fn joint_inference_needs_learnt_starts_and_ends() {
    let folder = Folder::new();
    folder.write("corpus.conll", CORPUS);
    folder.write("recipe.toml", RECIPE);
    let spans_alone = ["--set", "objective.alpha=0", "--set", "objective.gamma=0", "--set", "schedule.max_steps=1"];
    let train = ["-q", "train", "recipe.toml", "--encoder", &MODEL, "--out", "recognizer"];
    let run = folder.run(&[&train[..], &spans_alone[..]].concat());
    assert_eq!((run.code, run.out.as_str()), (0, "recognizer\n"), "{}", run.err);
    let found = ["-q", "recognize", "corpus.conll", "--recognizer", "recognizer"];
    assert_eq!(folder.run(&found).code, 0);
    let joint = folder.run(&[&found[..], &["--joint"]].concat());
    assert!(joint.code == 1 && joint.err.contains("did not learn starts and ends"), "{joint:?}");

    let run = folder.run(&[&train[..6], &["too-long", "--set", "text.window=100000"]].concat());
    assert!(run.code == 2 && run.err.contains("text.window is 100000; it must be at most"), "{}", run.err);
}

#[test]
fn a_document_has_the_same_mentions_alone_and_among_others() {
    let folder = trained();
    let whole = folder.run(&["-q", "recognize", "corpus.conll", "--recognizer", "recognizer"]);
    assert_eq!(whole.out.lines().count(), 3);
    for (number, sentence) in CORPUS.split("\n\n").filter(|sentence| !sentence.is_empty()).enumerate() {
        folder.write("one.conll", format!("{sentence}\n\n"));
        let alone = folder.run(&["-q", "recognize", "one.conll", "--recognizer", "recognizer"]);
        let part = |line: &str| line.split_once("\"text\"").unwrap().1.to_owned();
        assert_eq!(part(&alone.out), part(&format!("{}\n", whole.out.lines().nth(number).unwrap())));
    }
}

#[test]
fn link_uses_the_recognizer_that_is_named_or_attached() {
    let folder = trained();
    folder.write("note.txt", "No aspirin for the guests . Myocardial infarction .");
    let link = |more: &[&str]| {
        let run = folder.run(&[&["-q", "link", "note.txt", "--kb", "kb"], more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        (run.out.contains("\"threshold\""), mentions(&run.out).into_iter().map(|(text, _)| text).collect::<Vec<_>>())
    };
    let dictionary = (false, vec!["aspirin".to_owned(), "Myocardial infarction".to_owned()]);
    assert_eq!(link(&[]), dictionary);
    let (has_scores, found) = link(&["--recognizer", "recognizer"]);
    assert!(has_scores && found.contains(&"aspirin".to_owned()), "{found:?}");

    assert_eq!(folder.run(&["kb", "models", "add", "recognizer", "--kb", "kb"]), ran(0, "", ""));
    let listed = folder.run(&["kb", "models", "--kb", "kb"]).out;
    assert!(listed.starts_with("model recognizer: ") && listed.lines().count() == 1, "{listed}");
    assert_eq!(link(&[]), (true, found));
    assert_eq!(link(&["--recognizer", "dictionary"]), dictionary);
    let (has_scores, both) = link(&["--recognizer", "both"]);
    assert!(has_scores && both.len() >= 2, "{both:?}");

    // A copy of the knowledge base answers the same.
    std::fs::rename(folder.path("kb"), folder.path("moved")).unwrap();
    std::fs::remove_dir_all(folder.path("recognizer")).unwrap();
    let run = folder.run(&["-q", "link", "note.txt", "--kb", "moved"]);
    assert!(run.code == 0 && run.out.contains("\"threshold\""), "{run:?}");
    let weights = listed.split_once(": ").unwrap().1.split(" (").next().unwrap().replace("kb/", "moved/");
    folder.write(&format!("{weights}/truename.json"), "{\"format\": 1}");
    let changed = folder.run(&["-q", "link", "note.txt", "--kb", "moved"]);
    assert!(changed.code == 1 && changed.err.contains("\nhint: "), "{}", changed.err);
    assert_eq!(folder.run(&["kb", "models", "remove", "recognizer", "--kb", "moved"]), ran(0, "", ""));
    assert_eq!(folder.run(&["kb", "models", "--kb", "moved"]), ran(0, "", ""));
}

#[test]
fn types_may_be_described_at_run_time() {
    let folder = trained();
    folder.write("types.toml", "Disease = \"names of diseases\"\nGuest = [\"people who visit\", \"guests\"]\n");
    let asked = ["-q", "recognize", "corpus.conll", "--recognizer", "recognizer"];
    let run = folder
        .run(&[&asked[..], &["--entity-types", "types.toml", "--entity-type", "place: names of places"]].concat());
    assert!(run.code == 0 && run.out.contains("Disease"), "{run:?}");
    assert!(!run.out.contains("\"Drug\""), "{}", run.out);
    for line in run.out.lines() {
        let document: Value = serde_json::from_str(line).unwrap();
        for mention in document["mentions"].as_array().unwrap() {
            assert_eq!(mention.get("zero_shot").is_some(), mention["types"][0] != "Disease", "{mention}");
        }
    }
    for (more, expected) in [
        (["--entity-type", "vaccine"], "--entity-type \"vaccine\" has no description"),
        (["--entity-types", "recipe.toml"], "cannot read recipe.toml as types with descriptions"),
        (["--entity-types", "none.toml"], "cannot open none.toml"),
    ] {
        let run = folder.run(&[&asked[..], &more].concat());
        assert!(run.code != 0 && run.err.contains(expected), "{expected}: {}", run.err);
    }
    let run =
        folder.run(&["recognize", "corpus.conll", "--recognizer", "dictionary", "--kb", "kb", "--entity-type", "a: b"]);
    assert!(run.code == 1 && run.err.contains("need a trained recognizer"), "{}", run.err);
    let run = folder.run(&["recognize", "corpus.conll", "--recognizer", "nowhere"]);
    assert!(
        run.code == 1 && run.err.contains("there is no folder nowhere") && run.err.contains("hint: "),
        "{}",
        run.err
    );
    let run = folder.run(&["recognize", "corpus.conll", "--recognizer", &MODEL]);
    assert!(run.code == 1 && run.err.contains("it has no head \"spans\"") && run.err.contains("hint: "), "{}", run.err);
}

#[test]
fn mentions_are_evaluated_with_a_curve_of_thresholds() {
    let folder = trained();
    let asked = ["-q", "evaluate", "mentions", "--gold", "corpus.conll", "--recognizer", "recognizer"];
    let run = folder.run(&[&asked[..], &["--json", "scores.json", "--plot", "curve.svg"]].concat());
    assert!(run.code == 0 && run.out.contains("100.00    100.00    100.00         4         4\n"), "{run:?}");
    let scores: Value = serde_json::from_slice(&folder.read("scores.json")).unwrap();
    assert_eq!(scores["mentions"]["strict"]["f1"], 1.0);
    assert_eq!(scores["types"]["Drug"]["mentions"]["strict"]["gold"], 2);
    assert_eq!(scores["thresholds"]["own"]["f1"], 1.0);
    assert!(folder.read("curve.svg").starts_with(b"<svg"));
}

#[test]
fn probabilities_have_that_of_the_mention_as_a_factor() {
    let folder = trained();
    folder.write("note.txt", "No aspirin for the guests .");
    let link = || -> Value {
        let run = folder.run(&["-q", "link", "note.txt", "--kb", "kb", "--recognizer", "recognizer"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let mentions = serde_json::from_str::<Value>(&run.out).unwrap()["mentions"].take();
        assert_eq!(mentions.as_array().unwrap().len(), 1, "{mentions}");
        mentions[0].clone()
    };
    let before = link();
    assert!(before.get("mention_probability").is_none(), "{before}");
    // Right in one text, wrong in the other.
    let texts = [("No aspirin for the guests .", 3, 10, "drug"), ("guests have heart failure .", 0, 6, "disease")];
    let gold = |count: usize| -> String {
        let documents = (0..count).flat_map(|number| {
            texts.map(|(text, start, end, kind)| {
                let mention = format!("{{\"start\": {start}, \"end\": {end}, \"type\": \"{kind}\"}}");
                format!("{{\"id\": \"{number}{kind}\", \"text\": \"{text}\", \"mentions\": [{mention}]}}\n")
            })
        });
        documents.collect()
    };
    folder.write("few.jsonl", gold(3));
    let few = folder.run(&["model", "calibrate", "recognizer", "--gold", "few.jsonl", "--kb", "kb"]);
    assert_eq!(few.code, 1);
    assert!(few.err.contains("3 right and 3 wrong mentions are too few"), "{}", few.err);
    assert_eq!(link(), before, "nothing is kept");
    folder.write("gold.jsonl", gold(60));
    let run = folder.run(&["-q", "model", "calibrate", "recognizer", "--gold", "gold.jsonl", "--kb", "kb"]);
    assert!(run.code == 0 && run.out.starts_with("mentions  120\n"), "{run:?}");
    let after = link();
    let weight = after["mention_probability"].as_f64().unwrap();
    assert!((0.0..1.0).contains(&weight), "{after}");
    let [before, after] = [&before, &after].map(|one| one["probability"].as_f64().unwrap());
    assert!((after - before * weight).abs() < 1e-12, "{before} {weight} {after}");
}
