//! Encoders that learnt to read mentions in their sentences, in `train`, `kb embed`, `link`, `match` and `calibrate`.

use serde_json::Value;

use crate::folder::{Folder, model, ran};
use crate::rerank::{ILL, WIND, corpus_of};

/// Two concepts share a name, and the words around it tell which is meant.
const KB: &str = "id\tname\nA:1\tcommon cold\nA:1\tcold\nA:2\tlow temperature\nA:2\tcold\nA:3\taspirin\nA:3\tacid\n";

const RECIPE: &str = "\
[task]
kind = \"in-context\"
[data]
train = [\"corpus.pubtator\"]
dev = [\"dev.pubtator\"]
[encoder]
dropout = 0.0
[sampler]
names = 2
[schedule]
epochs = 60
learning_rate = 3e-3
[evaluation]
every = 60
keep = \"last\"
";

/// With a knowledge base in `kb`, documents to learn and to evaluate on, and a recipe in `recipe.toml`.
pub fn prepared(recipe: &str) -> Folder {
    let folder = Folder::new();
    folder.write("kb.tsv", KB);
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]), ran(0, "", ""));
    folder.write("corpus.pubtator", corpus_of(1, |text, _| text.to_owned()));
    // The same tokens, which are not learnt.
    folder.write("dev.pubtator", corpus_of(1, |text, _| text.replacen(' ', "  ", 1)));
    folder.write("recipe.toml", recipe);
    folder
}

/// With an encoder in `encoder` whose vectors the knowledge base `kb` has.
fn trained() -> Folder {
    let folder = prepared(RECIPE);
    let run = folder.run(&["train", "recipe.toml", "--kb", "kb", "--encoder", &model("bert"), "--out", "encoder"]);
    assert_eq!((run.code, run.out.as_str()), (0, "encoder\n"), "{}", run.err);
    assert!(run.err.contains("3 concepts; 8 mentions to learn, 8 to evaluate on"), "{}", run.err);
    assert!(run.err.contains("5 distinct names"), "{}", run.err);
    assert!(run.err.contains("epoch 60: acc@1 100.00 %"), "{}", run.err);
    assert_eq!(folder.run(&["-q", "kb", "embed", "--kb", "kb", "--encoder", "encoder"]).code, 0);
    folder
}

fn best(folder: &Folder, text: &str, more: &[&str]) -> Value {
    folder.write("note.txt", text);
    let link = ["-q", "link", "note.txt", "--kb", "kb", "--min-probability", "0", "--explain"];
    let run = folder.run(&[&link[..], more].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    document["mentions"][0].clone()
}

#[test]
fn the_sentence_decides_between_concepts_that_share_a_name() {
    let folder = trained();
    for (texts, id) in [(ILL, "A:1"), (WIND, "A:2")] {
        for text in texts {
            let mention = best(&folder, text, &[]);
            assert_eq!(mention["id"], id, "{text}");
            assert!(mention["candidates"][0]["scores"]["retriever"].is_f64(), "{mention}");
            let explained = mention["explanation"].as_str().unwrap();
            assert!(explained.contains("Before the context was read it had "), "{explained}");
        }
    }
    let answers = |more: &[&str]| [ILL[0], WIND[0]].map(|text| best(&folder, text, more)["id"].clone());
    let [ill, wind] = answers(&["--no-context"]);
    assert_eq!(ill, wind, "by names alone");
    folder.write("names.csv", format!("name,note\ncold,{}\nCold,{}\n", ILL[0], WIND[1]));
    let asked = ["-q", "match", "names.csv", "--kb", "kb", "--context-column", "note", "--min-probability", "0"];
    let run = folder.run(&asked);
    let ids: Vec<&str> = run.out.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
    assert_eq!(ids, ["A:1", "A:2"], "{}", run.err);
}

#[test]
fn a_short_form_is_read_as_its_long_form() {
    let folder = trained();
    folder.write("kb.tsv", KB.to_owned() + "A:4\tcold agglutinin\nA:5\tcold agglutinin\n");
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb", "--force"]).code, 0);
    assert_eq!(folder.run(&["-q", "kb", "embed", "--kb", "kb", "--encoder", "encoder"]).code, 0);
    folder.write("note.txt", "cold agglutinin (CA) with a wind. CA is cold.");
    let run = folder.run(&["-q", "link", "note.txt", "--kb", "kb", "--min-probability", "0"]);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let mentions = document["mentions"].as_array().unwrap();
    let short: Vec<&Value> = mentions.iter().filter(|mention| mention["text"] == "CA").collect();
    assert!(!short.is_empty(), "{}", run.out);
    assert!(short.iter().all(|mention| mention["candidates"][0]["scores"]["retriever"].is_f64()), "{}", run.out);
}

#[test]
fn documents_that_it_did_not_learn_calibrate_it() {
    let folder = trained();
    let filler: String =
        (0..80).map(|number| format!("B:{number}\tsubstance {}{number}\n", "abcdefgh".repeat(number % 3))).collect();
    folder.write("kb.tsv", format!("{KB}{filler}"));
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb", "--force"]), ran(0, "", ""));
    assert_eq!(folder.run(&["-q", "kb", "embed", "--kb", "kb", "--encoder", "encoder"]).code, 0);
    let calibrate = |gold: &str| folder.run(&["calibrate", "--kb", "kb", "--gold", gold]);
    let refused = calibrate("corpus.pubtator");
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("a model of the knowledge base learnt 8 of 8 documents"), "{}", refused.err);
    folder.write("more.pubtator", corpus_of(10, |text, copy| text.replacen(' ', &" ".repeat(2 + copy), 1)));
    let run = calibrate("more.pubtator");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains(" mentions in context, by a mapping fitted to other documents"), "{}", run.out);
    let line = run.out.lines().find(|line| line.starts_with("in context: first (%)")).unwrap();
    assert!(line.ends_with("100.000"), "{}", run.out);
    assert_eq!(best(&folder, WIND[0], &[])["id"], "A:2");
}

#[test]
fn a_re_ranker_weighs_the_cosines_of_its_encoder() {
    let folder = trained();
    let rerank = RECIPE.replace("in-context", "rerank").replace("[sampler]\nnames = 2\n", "")
        + "[candidates]\nencoder = \"encoder\"\n[prompt]\ncandidates = 3\nname_tokens = 6\nwindow = 56\nquestion = \"none\"\n";
    folder.write("rerank.toml", rerank);
    let run = folder.run(&["train", "rerank.toml", "--kb", "kb", "--encoder", "encoder", "--out", "reranker"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let manifest: Value = serde_json::from_slice(&folder.read("reranker/truename.json")).unwrap();
    assert!(manifest["heads"]["cloze"]["mapping"]["retriever"].as_f64().unwrap() > 0.0, "{manifest}");
    let learnt = RECIPE
        .replace("dev.pubtator", "corpus.pubtator")
        .replace("\"corpus.pubtator\"]\ndev", "\"dev.pubtator\"]\ndev");
    folder.write(
        "learnt.toml",
        learnt
            .replace("in-context", "rerank")
            .replace("[sampler]\nnames = 2\n", "[candidates]\nencoder = \"encoder\"\n"),
    );
    let run = folder.run(&["train", "learnt.toml", "--kb", "kb", "--encoder", "encoder", "--out", "none"]);
    assert!(run.code != 0 && run.err.contains("the encoder in"), "{}", run.err);
    assert_eq!(folder.run(&["-q", "kb", "models", "add", "reranker", "--kb", "kb"]), ran(0, "", ""));
    for (texts, id) in [(ILL, "A:1"), (WIND, "A:2")] {
        assert_eq!(best(&folder, texts[0], &[])["id"], id);
    }
}
