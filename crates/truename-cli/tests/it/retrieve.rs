//! Retrievers that `train` made, in `kb models`, `link` and `kb info`.

use std::sync::LazyLock;

use crate::folder::{Folder, ran};
use serde_json::Value;

static MODEL: LazyLock<String> = LazyLock::new(|| crate::folder::model("bert"));

/// No name of A:2 resembles the mention that stands for it.
const KB: &str = "id\tname\nA:1\tcommon cold\nA:2\twind chill\nA:2\tlow temperature\nA:3\taspirin\nA:4\tguests\n";
const RECIPE: &str = "\
[task]
kind = \"retrieve\"
[data]
train = [\"corpus.pubtator\"]
dev = [\"corpus.pubtator\"]
[encoder]
dropout = 0.0
[retriever]
window = 32
concept_tokens = 16
[negatives]
count = 3
hard = 0.4
[schedule]
epochs = 40
learning_rate = 3e-3
[evaluation]
every = 20
";

/// Mentions of a name that no concept has; the words around it tell which is meant.
fn corpus() -> String {
    let texts =
        [("flu or qqz", "A:1"), ("a heart and qqz", "A:1"), ("qqz is the wind", "A:2"), ("qqz as wind is", "A:2")];
    let document = |(number, (text, id)): (usize, (&str, &str))| {
        let start = text.find("qqz").unwrap();
        format!("{number}|t|{text}\n{number}\t{start}\t{}\tqqz\tThing\t{id}\n\n", start + 3)
    };
    texts.into_iter().enumerate().map(document).collect()
}

/// With a knowledge base in `kb` and a retriever in `retriever`.
fn trained(more: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("kb.tsv", KB);
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]), ran(0, "", ""));
    folder.write("corpus.pubtator", corpus());
    folder.write("recipe.toml", RECIPE);
    let train = ["train", "recipe.toml", "--kb", "kb", "--encoder", &MODEL, "--out", "retriever"];
    let run = folder.run(&[&train[..], more].concat());
    assert_eq!((run.code, run.out.as_str()), (0, "retriever\n"), "{}", run.err);
    assert!(run.err.contains("4 concepts; 4 mentions to learn, 4 to evaluate on"), "{}", run.err);
    assert!(run.err.contains("epoch 40: acc@1 100.00 %"), "{}", run.err);
    folder
}

/// The ids of the candidates of each mention.
fn candidates(folder: &Folder, more: &[&str]) -> Vec<Vec<String>> {
    let link = ["-q", "link", "corpus.pubtator", "--kb", "kb", "--mentions", "--top", "1"];
    let run = folder.run(&[&link[..], more].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let ids = |line: &str| {
        let document: Value = serde_json::from_str(line).unwrap();
        let candidates = document["mentions"][0]["candidates"].as_array().unwrap().clone();
        candidates.iter().map(|candidate| candidate["id"].as_str().unwrap().to_owned()).collect()
    };
    run.out.lines().map(ids).collect()
}

#[test]
fn the_context_proposes_concepts_that_no_name_does() {
    for more in [&[][..], &["--set", "negatives.shared=true", "--set", "retriever.pooling=mean"]] {
        let folder = trained(more);
        let without = folder.run(&["-q", "link", "corpus.pubtator", "--kb", "kb", "--mentions", "--explain"]);
        assert!(candidates(&folder, &[]).iter().all(|ids| ids.is_empty()), "no name resembles the mention");
        let added = folder.run(&["kb", "models", "add", "--retriever", "retriever", "--kb", "kb"]);
        assert_eq!(added.code, 0, "{}", added.err);
        assert!(added.err.contains("4 concepts encoded"), "{}", added.err);
        assert!(folder.run(&["kb", "models", "--kb", "kb"]).out.starts_with("model retriever: "));
        assert_eq!(candidates(&folder, &[]), [["A:1"], ["A:1"], ["A:2"], ["A:2"]]);
        assert!(candidates(&folder, &["--no-context"]).iter().all(|ids| ids.is_empty()));
        assert_eq!(folder.run(&["-q", "kb", "check", "--deep", "--kb", "kb"]).code, 0);
        // A concept that was changed has no vector until it is encoded again.
        folder.write("more.tsv", "id\tname\nA:2\tgale\n");
        assert_eq!(folder.run(&["-q", "kb", "update", "more.tsv", "--replace", "--kb", "kb"]).code, 0);
        assert!(candidates(&folder, &[]).concat().iter().all(|id| id != "A:2"));
        let added = folder.run(&["kb", "models", "add", "retriever", "--kb", "kb"]);
        assert!(added.err.contains("1 concept encoded"), "{}", added.err);
        assert_eq!(folder.run(&["-q", "kb", "models", "remove", "retriever", "--kb", "kb"]), ran(0, "", ""));
        folder.write("more.tsv", "id\tname\nA:2\twind chill\nA:2\tlow temperature\n");
        assert_eq!(folder.run(&["-q", "kb", "update", "more.tsv", "--replace", "--kb", "kb"]).code, 0);
        let removed = folder.run(&["-q", "link", "corpus.pubtator", "--kb", "kb", "--mentions", "--explain"]);
        assert_eq!(removed, without, "a retriever that is gone changes nothing");
    }
}

#[test]
fn an_unknown_pooling_is_refused() {
    let folder = Folder::with_kb();
    folder.write("corpus.pubtator", corpus());
    folder.write("recipe.toml", RECIPE);
    let train = ["train", "recipe.toml", "--kb", "kb", "--encoder", &MODEL, "--out", "retriever"];
    let run = folder.run(&[&train[..], &["--set", "retriever.pooling=sum"]].concat());
    assert_ne!(run.code, 0);
    assert!(run.err.contains("no mention of ") || run.err.contains("retriever.pooling is sum"), "{}", run.err);
}
