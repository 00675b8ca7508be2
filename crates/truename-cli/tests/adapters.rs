//! Adapters that `train` made from synonyms in their sentences, and `--adapter`.

mod folder;

use std::sync::LazyLock;

use folder::{Folder, ran};
use truename_infer::Checkpoint;

static MODEL: LazyLock<String> = LazyLock::new(|| folder::model("bert"));

const RECIPE: &str = "\
[task]
kind = \"synonyms\"
[data]
sentences = [\"sentences.jsonl\"]
dev_share = 0.3
[encoder]
dropout = 0.0
[adapter]
name = \"general\"
depth = 1
[sampler]
batch = 8
window = 24
[schedule]
epochs = 12
learning_rate = 1e-3
[evaluation]
keep = \"last\"
every = 12
";

/// Sentences of a dozen concepts, each with three names.
fn sentences() -> String {
    let names = ["heart attack", "flu", "fever", "cough", "aspirin", "headache"];
    let line = |(concept, name): (usize, &str)| {
        let text = format!("The patient had {name} today.");
        format!(
            "{{\"concept\":\"C{concept}\",\"text\":\"{text}\",\"start\":16,\"end\":{},\"source\":\"test\"}}\n",
            16 + name.len()
        )
    };
    let concepts = (0..12).flat_map(|concept| {
        let of = move |shift: usize| (concept, names[(concept + shift) % names.len()]);
        [of(0), of(2), of(3)]
    });
    concepts.map(line).collect()
}

/// With an adapter named general in `one`, and another beside it in `two`.
fn adapted() -> Folder {
    let folder = Folder::with_kb();
    folder.write("sentences.jsonl", sentences());
    folder.write("recipe.toml", RECIPE);
    let run = folder.run(&["train", "recipe.toml", "--encoder", &MODEL, "--out", "one"]);
    assert_eq!((run.code, run.out.as_str()), (0, "one\n"), "{}", run.err);
    assert!(run.err.contains("concepts to learn") && run.err.contains("epoch 12: acc@1"), "{}", run.err);
    let name = ["--set", "adapter.name=biomedical"];
    let run = folder.run(&[&["-q", "train", "recipe.toml", "--encoder", "one", "--out", "two"][..], &name].concat());
    assert_eq!(run, ran(0, "two\n", ""));
    folder
}

fn tensors(folder: &Folder, name: &str) -> Vec<(String, Vec<f32>)> {
    let checkpoint = Checkpoint::open(&folder.path(name)).unwrap();
    let names = ["adapters.general.0.up.weight", "adapters.general.1.up.weight", "adapters.biomedical.0.up.weight"];
    let has = names.into_iter().filter(|name| checkpoint.tensors().has(name));
    has.map(|name| (name.to_owned(), checkpoint.tensors().tensor(name).unwrap().into_values())).collect()
}

#[test]
fn adapters_are_learnt_one_beside_the_other() {
    let folder = adapted();
    let info = folder.run(&["model", "info", "two"]).out;
    assert!(info.contains("adapters      biomedical, general\n"), "{info}");
    let (one, two) = (tensors(&folder, "one"), tensors(&folder, "two"));
    assert_eq!((one.len(), two.len()), (2, 3));
    assert_eq!(one[..], two[..2], "the first adapter stays as it was");
    let again = folder.run(&["train", "recipe.toml", "--encoder", "one", "--out", "three"]);
    assert!(again.code != 0 && again.err.contains("adapter.name is general"), "{}", again.err);
    let vector = ["--set", "adapter.name=third", "--set", "objective.vector=aggregated"];
    let other = folder.run(&[&["train", "recipe.toml", "--encoder", "one", "--out", "three"][..], &vector].concat());
    assert!(
        other.code != 0 && other.err.contains("objective.vector is aggregated; it must be pooled"),
        "{}",
        other.err
    );
}

#[test]
fn every_command_takes_the_adapters_that_are_named() {
    let folder = adapted();
    folder.write("names.txt", "heart attak\n");
    let vectors = |kb: &str, adapter: &[&str]| {
        assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", kb]), ran(0, "", ""));
        let embed = ["-q", "kb", "embed", "--kb", kb, "--encoder", "two"];
        assert_eq!(folder.run(&[&embed[..], adapter].concat()), ran(0, "", ""));
        // The knowledge base opens its copy with the same adapters.
        let run = folder.run(&["-q", "match", "names.txt", "--kb", kb, "--format", "jsonl", "--explain"]);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    let both = vectors("both", &[]);
    assert_eq!(vectors("all", &["--adapter", "all"]), both);
    assert_eq!(vectors("swapped", &["--adapter", "general,biomedical"]), both, "their order does not count");
    let general = vectors("general", &["--adapter", "general"]);
    let none = vectors("none", &["--adapter", "none"]);
    assert!(both != general && general != none && both != none);
    let refused = folder.run(&["match", "names.txt", "--kb", "general", "--encoder", "two"]);
    assert!(refused.code == 1 && refused.err.contains("by another encoder"), "{}", refused.err);
    assert_eq!(folder.run(&["-q", "kb", "check", "--kb", "general"]).code, 0);
}

#[test]
fn adapters_that_are_not_there_are_named() {
    let folder = adapted();
    let run = folder.run(&["kb", "embed", "--kb", "kb", "--encoder", "two", "--adapter", "legal"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no adapter legal; the model has biomedical, general"), "{}", run.err);
    let run = folder.run(&["kb", "embed", "--kb", "kb", "--encoder", &MODEL, "--adapter", "general"]);
    assert!(run.code == 1 && run.err.contains("the model has none"), "{}", run.err);
    let run = folder.run(&["kb", "embed", "--kb", "kb", "--encoder", "two", "--adapter", "a b"]);
    assert!(run.code == 2 && run.err.contains("\"a b\" is not the name of an adapter"), "{}", run.err);
    assert_eq!(folder.run(&["kb", "embed", "--kb", "kb", "--adapter", "general"]).code, 2, "an encoder is to be named");
}
