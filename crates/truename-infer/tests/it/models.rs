//! The models that `reference.py` made; no test uses all of these.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use truename_infer::Checkpoint;

pub const FAMILIES: [&str; 9] =
    ["bert", "roberta", "mpnet", "xlm-roberta", "distilbert", "electra", "modernbert", "nomic", "deberta"];

pub fn folder(family: &str) -> PathBuf {
    Path::new("tests/models").join(family)
}

pub fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A copy of a model, to be damaged.
pub fn copy(family: &str) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    std::fs::create_dir(to.path().join("1_Pooling")).unwrap();
    let names = [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "modules.json",
        "sentence_bert_config.json",
        "1_Pooling/config.json",
    ];
    for name in names.into_iter().filter(|name| folder(family).join(name).exists()) {
        std::fs::copy(folder(family).join(name), to.path().join(name)).unwrap();
    }
    to
}

/// Replaces a piece that must be in the file.
pub fn replace(path: &Path, from: &str, to: &str) {
    let content = std::fs::read_to_string(path).unwrap();
    assert!(content.contains(from), "{from} in {}", path.display());
    std::fs::write(path, content.replacen(from, to, 1)).unwrap();
}

/// A model in 8 bits.
pub fn quantized(family: &str) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    Checkpoint::open(&folder(family)).unwrap().quantize(to.path()).unwrap();
    to
}
