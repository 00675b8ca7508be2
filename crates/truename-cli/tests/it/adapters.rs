//! Adapters that `train` made from synonyms in their sentences, and `--adapter`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use crate::folder::{Folder, ran};

static MODEL: LazyLock<String> = LazyLock::new(|| crate::folder::model("bert"));

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

/// The names and bytes of all tensors of a model.
fn tensors(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = std::fs::read(folder.join("model.safetensors")).unwrap();
    let (length, rest) = file.split_at(8);
    let (header, data) = rest.split_at(u64::from_le_bytes(length.try_into().unwrap()) as usize);
    let header: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(header).unwrap();
    let bytes = |value: &serde_json::Value| {
        let [start, end] = [0, 1].map(|at| value["data_offsets"][at].as_u64().unwrap() as usize);
        data[start..end].to_vec()
    };
    header
        .iter()
        .filter(|(name, _)| *name != "__metadata__")
        .map(|(name, value)| (name.clone(), bytes(value)))
        .collect()
}

#[test]
fn adapters_are_learnt_one_beside_the_other() {
    let folder = adapted();
    let info = folder.run(&["model", "info", "two"]).out;
    assert!(info.contains("adapters      biomedical, general\n"), "{info}");
    let (backbone, one, two) =
        (tensors(Path::new(&*MODEL)), tensors(&folder.path("one")), tensors(&folder.path("two")));
    for (name, bytes) in &backbone {
        // The table of tokens has the two markers behind its own.
        assert!(one[name].starts_with(bytes), "{name} stays the same to the bit");
    }
    for (name, bytes) in &one {
        assert!(two[name] == *bytes, "{name} stays the same to the bit beside another adapter");
    }
    let learnt = |tensors: &BTreeMap<String, Vec<u8>>, adapter: &str| {
        tensors.keys().filter(|name| name.starts_with(&format!("adapters.{adapter}."))).count()
    };
    assert!(learnt(&one, "general") > 0 && learnt(&two, "biomedical") == learnt(&one, "general"));
    // The other order gives the same adapters.
    let train = |name: &str, from: &str, out: &str| {
        let adapter = format!("adapter.name={name}");
        let train = ["-q", "train", "recipe.toml", "--encoder", from, "--out", out, "--set", &adapter];
        assert_eq!(folder.run(&train), ran(0, &format!("{out}\n"), ""));
    };
    train("biomedical", &MODEL, "first");
    train("general", "first", "second");
    assert!(tensors(&folder.path("second")) == two, "the order of training does not count");
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

#[test]
fn the_encoder_reads_mentions_in_context_where_asked_to() {
    let folder = adapted();
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "base"]), ran(0, "", ""));
    let link = |more: &[&str]| {
        let link = ["-q", "link", "corpus.pubtator", "--mentions", "--kb", "base", "--top", "3"];
        folder.run(&[&link[..], more].concat())
    };
    folder.write("corpus.pubtator", "1|t|The patient had heart attak today.\n1\t16\t27\theart attak\tDisease\t-1\n");
    let refused = link(&["--encode-in-context"]);
    assert!(refused.code == 2 && refused.err.contains("needs an encoder"), "{}", refused.err);
    assert_eq!(folder.run(&["-q", "kb", "embed", "--kb", "base", "--encoder", "two"]), ran(0, "", ""));
    let (alone, in_context) = (link(&[]), link(&["--encode-in-context"]));
    assert_eq!((alone.code, in_context.code), (0, 0), "{}", in_context.err);
    assert_ne!(alone.out, in_context.out);
    folder.write("names.csv", "name,note\nheart attak,The patient had heart attak today.\n");
    let matched = |more: &[&str]| {
        folder.run(&[&["-q", "match", "names.csv", "--kb", "base", "--format", "jsonl", "--top", "3"], more].concat())
    };
    let by_name = matched(&[]);
    let by_text = matched(&["--context-column", "note", "--encode-in-context"]);
    assert_eq!((by_name.code, by_text.code), (0, 0), "{}", by_text.err);
    assert_ne!(by_name.out, by_text.out);
    assert_eq!(matched(&["--encode-in-context"]).code, 2, "no text to read");
}
