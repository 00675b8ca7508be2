use std::collections::BTreeSet;

use crate::{Error, Source};

/// The model among a list of files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ModelFiles {
    /// Its folder: empty, or with `/` at its end.
    pub(crate) folder: String,
    /// What of it is kept, relative to the folder.
    pub(crate) files: Vec<String>,
}

/// Why a list of files holds no model that can be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    NoModel,
    Sharded,
    OtherWeights(String),
    NoTokenizer,
    Several(Vec<String>),
}

/// Weights in other formats than safetensors, by name.
const OTHER_WEIGHTS: [&str; 5] =
    ["pytorch_model.bin", "tf_model.h5", "flax_model.msgpack", "model.onnx", "onnx/model.onnx"];
/// Kept beside the three files that every model must have.
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

impl ModelFiles {
    /// Finds the folder nearest to the root that has a configuration and weights.
    pub(crate) fn find<'a>(paths: impl IntoIterator<Item = &'a str>) -> Result<Self, Unusable> {
        let paths: BTreeSet<&str> = paths.into_iter().collect();
        let folders: Vec<&str> = paths.iter().filter_map(|path| config_folder(path)).collect();
        let has = |folder: &str, name: &str| paths.contains(format!("{folder}{name}").as_str());
        let with_weights = nearest(folders.iter().copied().filter(|folder| has(folder, "model.safetensors")));
        match *with_weights {
            [folder] if !has(folder, "tokenizer.json") => Err(Unusable::NoTokenizer),
            [folder] => Ok(Self::of(folder, &paths)),
            [] => Err(explain(&folders, has)),
            [..] => Err(Unusable::Several(with_weights.iter().map(|folder| (*folder).to_owned()).collect())),
        }
    }

    fn of(folder: &str, paths: &BTreeSet<&str>) -> Self {
        let kept = paths.iter().filter_map(|path| path.strip_prefix(folder)).filter(|path| is_kept(path));
        Self { folder: folder.to_owned(), files: kept.map(str::to_owned).collect() }
    }
}

/// Says what is there instead of one file of weights in safetensors.
fn explain(folders: &[&str], has: impl Fn(&str, &str) -> bool) -> Unusable {
    let any = |name: &str| folders.iter().any(|folder| has(folder, name));
    if any("model.safetensors.index.json") {
        return Unusable::Sharded;
    }
    let other = OTHER_WEIGHTS.iter().find(|name| any(name));
    other.map_or(Unusable::NoModel, |name| Unusable::OtherWeights((*name).to_owned()))
}

impl Unusable {
    /// The failure of a pull of `source`.
    pub(crate) fn error(&self, source: &Source) -> Error {
        let error = Error::no_model(source, self.reason());
        match self.hint() {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }

    /// What to say of the package or repository.
    fn reason(&self) -> String {
        match self {
            Self::NoModel => "holds no folder with config.json and model.safetensors".into(),
            Self::Sharded => {
                "has its weights in several files (model.safetensors.index.json), which is not supported".into()
            }
            Self::OtherWeights(name) => format!("has its weights only as {name}; model.safetensors is needed"),
            Self::NoTokenizer => "has no tokenizer.json".into(),
            Self::Several(folders) => format!("holds several models: {}", folders.join(", ")),
        }
    }

    /// A way out, where there is one.
    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Sharded | Self::OtherWeights(_) => Some(
                "load it with the Python library transformers and save it with \
                 `model.save_pretrained(DIR, max_shard_size=\"100GB\")`; then use DIR",
            ),
            Self::NoTokenizer => Some(
                "make it with the Python library transformers: \
                 `AutoTokenizer.from_pretrained(NAME).save_pretrained(DIR)`",
            ),
            _ => None,
        }
    }
}

/// The folder of a `config.json` that is a model's, not a pooling's.
fn config_folder(path: &str) -> Option<&str> {
    path.strip_suffix("config.json").filter(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// Those with the fewest steps.
fn nearest<'a>(folders: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let folders: Vec<&str> = folders.collect();
    let depth = |folder: &str| folder.matches('/').count();
    let least = folders.iter().map(|folder| depth(folder)).min();
    folders.into_iter().filter(|folder| Some(depth(folder)) == least).collect()
}

fn is_kept(path: &str) -> bool {
    let is_module = |folder: &str| folder.split_once('_').is_some_and(|(number, _)| number.parse::<u8>().is_ok());
    match path.split_once('/') {
        None => is_plain(path) && (KEPT.contains(&path) || path.starts_with("LICENSE.") || is_sentence_config(path)),
        // 1_Pooling and its like; only their configurations: they hold no weights an encoder needs.
        Some((folder, "config.json")) => is_plain(folder) && is_module(folder),
        Some(_) => false,
    }
}

/// Whether a name is one step of a path on every system: it becomes one in the cache.
fn is_plain(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.');
    name.chars().all(plain) && !name.contains("..") && !name.ends_with('.')
}

/// `sentence_bert_config.json`, and the older names for other families.
fn is_sentence_config(path: &str) -> bool {
    path.starts_with("sentence_") && path.ends_with("_config.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_nearest_to_the_root_is_the_model() {
        let found = ModelFiles::find([
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
        let find = |paths: &[&str]| ModelFiles::find(paths.iter().copied()).unwrap_err();
        assert_eq!(find(&["a.py", "data_config.json"]), Unusable::NoModel);
        assert_eq!(find(&["config.json", "model.safetensors"]), Unusable::NoTokenizer);
        assert_eq!(find(&["config.json", "model.safetensors.index.json"]), Unusable::Sharded);
        assert_eq!(find(&["m/config.json", "m/pytorch_model.bin"]), Unusable::OtherWeights("pytorch_model.bin".into()));
        let two = ["a/config.json", "a/model.safetensors", "b/config.json", "b/model.safetensors"];
        assert_eq!(find(&two), Unusable::Several(vec!["a/".into(), "b/".into()]));
    }
}
