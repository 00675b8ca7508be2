//! Recipes of several runs.

use std::sync::LazyLock;

use crate::folder::{Folder, ran};

static MODEL: LazyLock<String> = LazyLock::new(|| crate::folder::model("bert"));

const RECIPE: &str = "\
seed = 3
[task]
kind = \"chain\"
[chain]
runs = [\"aligned\", \"retriever\", \"reranker\"]
[run.aligned]
task.kind = \"groups\"
sampler.groups = 2
sampler.group = 2
schedule.epochs = 1
[run.retriever]
task.kind = \"retrieve\"
encoder.from = \"run:aligned\"
retriever.window = 32
retriever.concept_tokens = 16
schedule.epochs = 1
[run.reranker]
task.kind = \"rerank\"
encoder.from = \"run:aligned\"
prompt.candidates = 2
prompt.window = 48
schedule.epochs = 1
";

const KB: &str = "id\tname\nA:1\tcommon cold\nA:1\tcold\nA:2\tlow temperature\nA:2\tcold\nA:3\taspirin\nA:3\tASA\n";

/// With a knowledge base in `kb`, a corpus and the recipe of a chain.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("kb.tsv", KB);
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]), ran(0, "", ""));
    let document =
        |number: usize, id: &str| format!("{number}|t|flu or a cold {number}\n{number}\t9\t13\tcold\tThing\t{id}\n\n");
    let corpus: String = (0..8).map(|number| document(number, if number % 2 == 0 { "A:1" } else { "A:2" })).collect();
    folder.write("corpus.pubtator", corpus);
    folder.write("recipe.toml", RECIPE);
    folder
}

const TRAIN: [&str; 6] = ["train", "recipe.toml", "--kb", "kb", "--out", "models"];
const CORPUS: [&str; 2] = ["--set", "data.train=[\"corpus.pubtator\"]"];

#[test]
fn each_run_starts_from_those_before_and_a_finished_chain_stays() {
    let folder = folder();
    let train = |more: &[&str]| folder.run(&[&TRAIN[..], &CORPUS, &["--encoder", &MODEL], more].concat());
    let run = train(&[]);
    assert_eq!((run.code, run.out.as_str()), (0, "models\n"), "{}", run.err);
    assert!(run.err.contains("run 1 of 3:") && run.err.contains("run 3 of 3:"), "{}", run.err);
    let weights =
        || ["aligned", "retriever", "reranker"].map(|run| folder.read(&format!("models/{run}/model.safetensors")));
    let before = weights();
    let recipe = String::from_utf8(folder.read("models/retriever/recipe.toml")).unwrap();
    assert!(recipe.contains("models/aligned") && recipe.contains("seed = 3"), "{recipe}");
    assert_eq!(train(&["--resume"]).code, 0);
    assert_eq!(weights(), before, "nothing was left to do");
    let models = ["--retriever", "models/retriever", "--reranker", "models/reranker"];
    assert_eq!(folder.run(&[&["-q", "kb", "models", "add", "--kb", "kb"][..], &models].concat()), ran(0, "", ""));
    let listed = folder.run(&["kb", "models", "--kb", "kb"]).out;
    assert!(listed.contains("model retriever: ") && listed.contains("model reranker: "), "{listed}");
    let linked = folder.run(&["-q", "link", "corpus.pubtator", "--kb", "kb"]);
    assert_eq!((linked.code, linked.out.lines().count()), (0, 8), "{}", linked.err);
}

#[test]
fn what_is_wrong_with_a_chain_is_said() {
    for (from, to, said) in [
        ("\"aligned\", \"retriever\"", "\"retriever\", \"aligned\"", "run:aligned"),
        ("\"aligned\", ", "\"other\", ", "[run.other]"),
        ("retriever.window = 32", "retriever.width = 32", "retriever.width"),
        ("runs = [\"aligned\", \"retriever\", \"reranker\"]", "runs = []", "chain.runs is empty"),
        ("seed = 3", "schedule.epochs = 3", "schedule.epochs"),
        ("task.kind = \"groups\"", "task.kind = \"chain\"", "a chain has no chains"),
    ] {
        let folder = folder();
        folder.write("recipe.toml", RECIPE.replace(from, to));
        let run = folder.run(&[&TRAIN[..], &CORPUS, &["--encoder", &MODEL]].concat());
        assert_ne!(run.code, 0, "{to}");
        assert!(run.err.contains(said), "{to}: {}", run.err);
        assert!(!folder.path("models/aligned/model.safetensors").exists(), "{to}: no run began");
    }
}
