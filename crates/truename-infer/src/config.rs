//! The JSON files of a Hugging Face folder, as far as the engine reads them.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use truename_error::ErrorKind;

use crate::hash::Fingerprint;
use crate::{Error, Pooling, error};

/// The settings of `config.json`, as they stand there.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    path: PathBuf,
    values: Map<String, Value>,
}

impl Settings {
    /// Takes them from the bytes of the file at `path`.
    pub fn parse(path: PathBuf, bytes: &[u8], fingerprint: &mut Fingerprint) -> Result<Self, Error> {
        let values = parse(&path, bytes, fingerprint)?;
        Ok(Self { path, values })
    }

    /// The family, as Hugging Face calls it.
    pub fn model_type(&self) -> &str {
        self.values.get("model_type").and_then(Value::as_str).unwrap_or_default()
    }

    /// Gives a setting a second name.
    pub fn rename(&mut self, from: &str, to: &str) {
        if let Some(value) = self.values.get(from).filter(|value| !value.is_null()).cloned() {
            self.values.insert(to.to_owned(), value);
        }
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(&self.values).map_err(|source| error::json(&self.path, source))
    }
}

/// `config.json`.
#[derive(Deserialize)]
#[non_exhaustive]
pub struct ModelConfig {
    #[serde(skip)]
    pub(crate) path: PathBuf,
    /// The family, as Hugging Face calls it.
    pub model_type: String,
    /// Width of the hidden states.
    pub hidden_size: usize,
    /// Layers of attention.
    pub num_hidden_layers: usize,
    /// Heads of each layer.
    pub num_attention_heads: usize,
    /// Width inside a feed-forward part.
    pub intermediate_size: usize,
    /// Rows of the table of positions.
    pub max_position_embeddings: usize,
    /// Tokens that have a vector.
    pub vocab_size: usize,
    /// The activation inside a feed-forward part.
    #[serde(default = "gelu")]
    pub hidden_act: String,
    /// Added to the variance by a layer norm.
    #[serde(default = "bert_layer_norm_eps")]
    pub layer_norm_eps: f32,
    /// The token that fills up a batch.
    pub pad_token_id: Option<usize>,
    /// Rows of the table of segments.
    pub type_vocab_size: Option<usize>,
    /// Kind of positions; `absolute` alone is known.
    pub position_embedding_type: Option<String>,
    /// Distances that MPNet tells apart.
    pub(crate) relative_attention_num_buckets: Option<usize>,
    /// Width of the vectors of tokens, where ELECTRA's differs from that of the states.
    pub(crate) embedding_size: Option<usize>,
    /// False where DeBERTa has no table of positions.
    pub(crate) position_biased_input: Option<bool>,
    /// All settings of the file.
    #[serde(skip)]
    all: Settings,
}

fn gelu() -> String {
    "gelu".into()
}

/// As `BertConfig` of transformers has it; so have `RobertaConfig` and `MPNetConfig`.
fn bert_layer_norm_eps() -> f32 {
    1e-12
}

impl ModelConfig {
    /// Number of distances that MPNet tells apart.
    pub fn position_buckets(&self) -> usize {
        self.relative_attention_num_buckets.unwrap_or(32)
    }

    /// Creates a configuration of the settings of `config.json`, by BERT's names.
    pub(crate) fn new(settings: Settings) -> Result<Self, Error> {
        let config: Self = settings.read()?;
        let config = Self { path: settings.path.clone(), all: settings, ..config };
        config.check()?;
        Ok(config)
    }

    /// Returns the configuration with other sizes, by BERT's names.
    pub(crate) fn with_sizes(&self, sizes: &[(&str, usize)]) -> Result<Self, Error> {
        let mut settings = self.all.clone();
        settings.values.extend(sizes.iter().map(|(key, size)| ((*key).to_owned(), Value::from(*size))));
        Self::new(settings)
    }

    /// The settings of one family.
    pub(crate) fn settings<T: DeserializeOwned>(&self) -> Result<T, Error> {
        self.all.read()
    }

    fn check(&self) -> Result<(), Error> {
        let (hidden, heads) = (self.hidden_size, self.num_attention_heads);
        let sizes = [
            ("hidden_size", hidden),
            ("num_attention_heads", heads),
            ("num_hidden_layers", self.num_hidden_layers),
            ("intermediate_size", self.intermediate_size),
            ("vocab_size", self.vocab_size),
        ];
        if let Some((key, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(error::setting(&self.path, key, 0, "1 and more"));
        }
        if !hidden.is_multiple_of(heads) {
            let message = format!("hidden_size ({hidden}) must be a multiple of num_attention_heads ({heads})");
            return Err(Error::new(ErrorKind::Damaged, format!("{}: {message}", self.path.display()))
                .with_hint("download the model again; the file was changed or is damaged"));
        }
        match self.position_embedding_type.as_deref() {
            None | Some("absolute") => Ok(()),
            Some(other) => Err(error::setting(&self.path, "position_embedding_type", other, "absolute")),
        }
    }
}

/// The settings of sentence-transformers' files, all of which may be missing.
#[derive(Clone)]
pub(crate) struct SentenceConfig {
    pub pooling: Pooling,
    /// Dense layers after the pooling.
    pub dense: Vec<DenseConfig>,
    /// Longest text in tokens that the model was made for, where the folder says so.
    pub window: Option<usize>,
    pub is_lowercase: bool,
}

impl SentenceConfig {
    pub fn read(folder: &Path, fingerprint: &mut Fingerprint) -> Result<Self, Error> {
        let limits_path = folder.join("sentence_bert_config.json");
        let limits: Limits = read_if_there(&limits_path, fingerprint)?.unwrap_or_default();
        let modules = Modules::read(folder, fingerprint)?;
        let pooling_path = folder.join(modules.pooling).join("config.json");
        let pooling: Option<PoolingConfig> = read_if_there(&pooling_path, fingerprint)?;
        let pooling = pooling.map_or(Ok(Pooling::Mean), |config| config.pooling(&pooling_path))?;
        let dense = modules.dense.iter().map(|path| DenseConfig::read(folder, path, fingerprint));
        let dense = dense.collect::<Result<_, _>>()?;
        Ok(Self { pooling, dense, window: limits.max_seq_length, is_lowercase: limits.do_lower_case })
    }
}

impl SentenceConfig {
    /// Longest text in tokens where the model has `positions`.
    pub fn window(&self, positions: usize) -> usize {
        self.window.map_or(positions, |window| window.min(positions))
    }
}

/// The parts behind the transformer, by their folders, as `modules.json` lists them or as they usually are.
struct Modules {
    pooling: String,
    dense: Vec<String>,
}

impl Modules {
    /// The kinds that are read, in their order.
    const KINDS: [&str; 4] = ["Transformer", "Pooling", "Dense", "Normalize"];
    /// Folders of dense layers.
    const DENSE: [&str; 2] = ["2_Dense", "3_Dense"];

    fn read(folder: &Path, fingerprint: &mut Fingerprint) -> Result<Self, Error> {
        let path = folder.join("modules.json");
        let mut modules = Self { pooling: "1_Pooling".to_owned(), dense: Vec::new() };
        let mut last = 0;
        for module in read_if_there::<Vec<Module>>(&path, fingerprint)?.unwrap_or_default() {
            let kind = module.kind.rsplit('.').next().unwrap_or_default();
            let place = Self::KINDS.iter().position(|known| *known == kind);
            last = place.filter(|place| *place >= last).ok_or_else(|| {
                error::setting(&path, "type", &module.kind, format!("{} in this order", Self::KINDS.join(", ")))
            })?;
            match kind {
                "Pooling" => modules.pooling = module.path,
                "Dense" if Self::DENSE.contains(&module.path.as_str()) => modules.dense.push(module.path),
                "Dense" => return Err(error::setting(&path, "path", module.path, Self::DENSE.join(" and "))),
                _ => {}
            }
        }
        Ok(modules)
    }
}

/// `config.json` of a dense layer.
#[derive(Clone, Deserialize)]
pub(crate) struct DenseConfig {
    #[serde(skip)]
    pub folder: PathBuf,
    pub in_features: usize,
    pub out_features: usize,
    #[serde(default = "with_bias")]
    pub bias: bool,
    /// The activation, by its class in PyTorch.
    pub activation_function: String,
}

fn with_bias() -> bool {
    true
}

impl DenseConfig {
    fn read(folder: &Path, path: &str, fingerprint: &mut Fingerprint) -> Result<Self, Error> {
        let folder = folder.join(path);
        let path = folder.join("config.json");
        let bytes = std::fs::read(&path).map_err(|source| error::io("read", &path, source))?;
        let config: Self = parse(&path, &bytes, fingerprint)?;
        match [("in_features", config.in_features), ("out_features", config.out_features)] {
            [(key, 0), _] | [_, (key, 0)] => Err(error::setting(&path, key, 0, "1 and more")),
            _ => Ok(Self { folder, ..config }),
        }
    }
}

/// `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
struct Limits {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

/// One of `modules.json`: what follows the transformer.
#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

/// `1_Pooling/config.json`: older files have a key for each way, newer ones a word.
#[derive(Deserialize)]
struct PoolingConfig {
    pooling_mode: Option<String>,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
}

impl PoolingConfig {
    fn pooling(&self, path: &Path) -> Result<Pooling, Error> {
        match self.words().as_slice() {
            ["mean"] => Ok(Pooling::Mean),
            ["cls"] => Ok(Pooling::Cls),
            ["max"] => Ok(Pooling::Max),
            words => Err(error::setting(path, "pooling_mode", words.join("+"), "one of mean, cls and max")),
        }
    }

    fn words(&self) -> Vec<&str> {
        if let Some(word) = &self.pooling_mode {
            return vec![word];
        }
        let modes = [
            ("cls", self.pooling_mode_cls_token),
            ("mean", self.pooling_mode_mean_tokens),
            ("max", self.pooling_mode_max_tokens),
            ("mean_sqrt_len_tokens", self.pooling_mode_mean_sqrt_len_tokens),
            ("weightedmean", self.pooling_mode_weightedmean_tokens),
            ("lasttoken", self.pooling_mode_lasttoken),
        ];
        modes.iter().filter(|(_, is_on)| *is_on).map(|(word, _)| *word).collect()
    }
}

fn read_if_there<T: DeserializeOwned>(path: &Path, fingerprint: &mut Fingerprint) -> Result<Option<T>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => parse(path, &bytes, fingerprint).map(Some),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(error::io("read", path, source)),
    }
}

fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8], fingerprint: &mut Fingerprint) -> Result<T, Error> {
    fingerprint.add(bytes);
    serde_json::from_slice(bytes).map_err(|source| error::json(path, source))
}
