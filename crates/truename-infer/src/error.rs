use std::fmt;
use std::path::{Path, PathBuf};

use crate::{ClassifyConfig, ClozeConfig, RetrieverConfig};

/// A failure with a model's folder or with a text given to it.
#[derive(Debug)]
pub struct Error(Box<Kind>);

#[derive(Debug)]
enum Kind {
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    Json { path: PathBuf, source: serde_json::Error },
    Setting { path: PathBuf, key: &'static str, value: String, known: String },
    Contradiction { path: PathBuf, message: String },
    Tensors { path: PathBuf, source: safetensors::SafeTensorError },
    NoTensor { path: PathBuf, name: String },
    TensorShape { path: PathBuf, name: String, found: Vec<usize>, expected: Vec<usize> },
    TensorType { path: PathBuf, name: String, found: safetensors::Dtype },
    Tokenizer { path: PathBuf, source: tokenizers::Error },
    Tokenize { source: tokenizers::Error },
    UnknownToken { token: u32, vocabulary: usize },
    Format { path: PathBuf, found: u32, known: u32 },
    NoToken { token: String },
    TooLong { tokens: usize, window: usize },
    CharactersAlone,
    NoHead { path: PathBuf, head: &'static str },
    NoAdapter { name: String, known: Vec<String> },
    AdapterName { name: String },
    NoMaskedHead { path: PathBuf },
    NoDescription { kind: String },
    LongDescription { kind: String, window: usize },
    Input { message: String },
}

impl Error {
    /// Returns whether the folder, or a file that has to be in it, is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(&*self.0, Kind::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }

    /// Returns whether a masked-language head was asked of a folder without one.
    pub fn is_no_masked_head(&self) -> bool {
        matches!(&*self.0, Kind::NoMaskedHead { .. })
    }

    /// A way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        match &*self.0 {
            Kind::Io { path, .. } if self.is_not_found() => Some(missing_file_hint(path)),
            Kind::Json { .. } => Some("download the model again; the file is not as Hugging Face writes it".into()),
            Kind::Setting { .. } => Some("use a sentence encoder of the BERT, RoBERTa or MPNet family".into()),
            Kind::Contradiction { .. } => Some("download the model again; the file was changed or is damaged".into()),
            Kind::Tensors { .. } => Some("download the model again; the file is cut short or damaged".into()),
            Kind::NoTensor { .. } | Kind::TensorShape { .. } => {
                Some("config.json and model.safetensors must be of one model: download both again".into())
            }
            Kind::TensorType { .. } => {
                Some("save the weights in single precision: `model.float().save_pretrained(FOLDER)`".into())
            }
            Kind::Tokenizer { .. } => Some(
                "tokenizer.json must be of a fast tokenizer: \
                 `AutoTokenizer.from_pretrained(MODEL).save_pretrained(FOLDER)` writes one"
                    .into(),
            ),
            Kind::UnknownToken { .. } => Some("tokenizer.json and model.safetensors must be of one model".into()),
            Kind::Format { .. } => Some("open the folder with the version of Truename that wrote it".into()),
            Kind::NoToken { .. } => Some("add special tokens to the model before they are used".into()),
            Kind::TooLong { .. } => Some("give less text, or split it into windows".into()),
            Kind::CharactersAlone => Some("use a transformer, such as MiniLM: `truename model list`".into()),
            Kind::NoHead { head, .. } => {
                let (model, kind) = role_of(head);
                Some(format!("train a {model}: `truename recipe explain {kind}` prints the keys of its recipe"))
            }
            Kind::NoAdapter { .. } => {
                Some("name adapters of the folder, or none: `truename model info` lists them".into())
            }
            Kind::AdapterName { .. } => {
                Some("use letters, digits, - and _; several names with commas between them".into())
            }
            Kind::NoMaskedHead { .. } => Some(
                "train one: `truename train recipes/masked-language.toml --encoder DIR`, or give a BERT model saved as \
                 `AutoModelForMaskedLM`"
                    .into(),
            ),
            Kind::NoDescription { .. } => Some("describe in a sentence what mentions of the type stand for".into()),
            Kind::LongDescription { .. } => Some("shorten it, or split it into several descriptions".into()),
            Kind::Tokenize { .. } | Kind::Io { .. } | Kind::Input { .. } => None,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Kind::Io { action, path: path.to_owned(), source }.into()
    }

    pub(crate) fn json(path: &Path, source: serde_json::Error) -> Self {
        Kind::Json { path: path.to_owned(), source }.into()
    }

    /// A value that the engine has no code for; `known` lists those that it has.
    pub(crate) fn setting(path: &Path, key: &'static str, value: impl fmt::Display, known: impl fmt::Display) -> Self {
        Kind::Setting { path: path.to_owned(), key, value: value.to_string(), known: known.to_string() }.into()
    }

    /// Values of one file that cannot be true together.
    pub(crate) fn contradiction(path: &Path, message: String) -> Self {
        Kind::Contradiction { path: path.to_owned(), message }.into()
    }

    pub(crate) fn tensors(path: &Path, source: safetensors::SafeTensorError) -> Self {
        Kind::Tensors { path: path.to_owned(), source }.into()
    }

    /// A file of tensors that was not written.
    pub(crate) fn unwritten(path: &Path, source: safetensors::SafeTensorError) -> Self {
        match source {
            safetensors::SafeTensorError::IoError(source) => Self::io("write", path, source),
            source => Self::tensors(path, source),
        }
    }

    pub(crate) fn no_tensor(path: &Path, name: &str) -> Self {
        Kind::NoTensor { path: path.to_owned(), name: name.to_owned() }.into()
    }

    pub(crate) fn tensor_shape(path: &Path, name: &str, found: &[usize], expected: &[usize]) -> Self {
        let (found, expected) = (found.to_vec(), expected.to_vec());
        Kind::TensorShape { path: path.to_owned(), name: name.to_owned(), found, expected }.into()
    }

    pub(crate) fn tensor_type(path: &Path, name: &str, found: safetensors::Dtype) -> Self {
        Kind::TensorType { path: path.to_owned(), name: name.to_owned(), found }.into()
    }

    pub(crate) fn tokenizer(path: &Path, source: tokenizers::Error) -> Self {
        Kind::Tokenizer { path: path.to_owned(), source }.into()
    }

    pub(crate) fn tokenize(source: tokenizers::Error) -> Self {
        Kind::Tokenize { source }.into()
    }

    pub(crate) fn format(path: &Path, found: u32, known: u32) -> Self {
        Kind::Format { path: path.to_owned(), found, known }.into()
    }

    pub(crate) fn no_token(token: &str) -> Self {
        Kind::NoToken { token: token.to_owned() }.into()
    }

    pub(crate) fn too_long(tokens: usize, window: usize) -> Self {
        Kind::TooLong { tokens, window }.into()
    }

    /// A network of characters was asked for more than single texts.
    pub(crate) fn characters_alone() -> Self {
        Kind::CharactersAlone.into()
    }

    /// A head that the folder does not have.
    pub(crate) fn no_head(path: &Path, head: &'static str) -> Self {
        Kind::NoHead { path: path.to_owned(), head }.into()
    }

    pub(crate) fn no_adapter(name: &str, known: &[&str]) -> Self {
        let known = known.iter().map(|name| (*name).to_owned()).collect();
        Kind::NoAdapter { name: name.to_owned(), known }.into()
    }

    pub(crate) fn adapter_name(name: &str) -> Self {
        Kind::AdapterName { name: name.to_owned() }.into()
    }

    pub(crate) fn no_masked_head(path: &Path) -> Self {
        Kind::NoMaskedHead { path: path.to_owned() }.into()
    }

    pub(crate) fn no_description(kind: &str) -> Self {
        Kind::NoDescription { kind: kind.to_owned() }.into()
    }

    pub(crate) fn long_description(kind: &str, window: usize) -> Self {
        Kind::LongDescription { kind: kind.to_owned(), window }.into()
    }

    /// An input that the model does not take.
    pub(crate) fn input(message: String) -> Self {
        Kind::Input { message }.into()
    }

    pub(crate) fn unknown_token(token: u32, vocabulary: usize) -> Self {
        Kind::UnknownToken { token, vocabulary }.into()
    }
}

fn missing_file_hint(path: &Path) -> String {
    match path.file_name().and_then(|name| name.to_str()) {
        Some("model.safetensors") => {
            "weights in other formats (pytorch_model.bin) are not read: save them as safetensors, \
             `model.save_pretrained(FOLDER, safe_serialization=True)`"
                .into()
        }
        Some("tokenizer.json") => {
            "write it with `AutoTokenizer.from_pretrained(MODEL).save_pretrained(FOLDER)`; vocab.txt alone is not enough"
                .into()
        }
        _ => "an encoder is a Hugging Face folder: config.json, model.safetensors, tokenizer.json and, where the model has \
              them, modules.json, sentence_bert_config.json and 1_Pooling/config.json"
            .into(),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::Json { path, .. } => write!(f, "{} cannot be read", path.display()),
            Kind::Setting { path, key, value, known } => {
                write!(f, "{}: {key} is {value}; truename reads {known}", path.display())
            }
            Kind::Contradiction { path, message } => write!(f, "{}: {message}", path.display()),
            Kind::Tensors { path, .. } => write!(f, "{} is not a safetensors file", path.display()),
            Kind::NoTensor { path, name } => write!(f, "{} has no tensor {name}", path.display()),
            Kind::TensorShape { path, name, found, expected } => {
                write!(
                    f,
                    "{}: the tensor {name} has shape {found:?}; config.json asks for {expected:?}",
                    path.display()
                )
            }
            Kind::TensorType { path, name, found } => {
                write!(f, "{}: the tensor {name} holds {found:?}; truename reads F32", path.display())
            }
            Kind::Tokenizer { path, .. } => write!(f, "{} is not a tokenizer", path.display()),
            Kind::Tokenize { .. } => f.write_str("a text cannot be tokenized"),
            Kind::UnknownToken { token, vocabulary } => {
                write!(f, "the tokenizer made token {token}; the model's vocabulary has {vocabulary}")
            }
            Kind::Format { path, found, known } => {
                write!(f, "{} has format {found}; this version of Truename reads {known}", path.display())
            }
            Kind::NoToken { token } => write!(f, "the tokenizer has no token {token}"),
            Kind::TooLong { tokens, window } => write!(f, "a sequence has {tokens} tokens; the model reads {window}"),
            Kind::CharactersAlone => f.write_str("a model of characters reads single texts alone"),
            Kind::NoHead { path, head } => {
                write!(f, "the model in {} is no {}: it has no head \"{head}\"", path.display(), role_of(head).0)
            }
            Kind::NoAdapter { name, known } if known.is_empty() => {
                write!(f, "there is no adapter {name}; the model has none")
            }
            Kind::NoAdapter { name, known } => {
                write!(f, "there is no adapter {name}; the model has {}", known.join(", "))
            }
            Kind::AdapterName { name } => write!(f, "\"{name}\" is not the name of an adapter"),
            Kind::NoMaskedHead { path } => {
                write!(f, "the model in {} has no masked-language head", path.display())
            }
            Kind::NoDescription { kind } => write!(f, "the type {kind} has no description"),
            Kind::LongDescription { kind, window } => {
                write!(f, "a description of the type {kind} is longer than the {window} tokens that the model reads")
            }
            Kind::Input { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Kind::Io { source, .. } => Some(source),
            Kind::Json { source, .. } => Some(source),
            Kind::Tensors { source, .. } => Some(source),
            Kind::Tokenizer { source, .. } | Kind::Tokenize { source } => Some(&**source),
            _ => None,
        }
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

/// Returns the role of a model with this head, such as "re-ranker", and the `task.kind` that trains it.
fn role_of(head: &str) -> (&'static str, &'static str) {
    match head {
        ClassifyConfig::HEAD => ("classifier", "classify"),
        ClozeConfig::HEAD => ("re-ranker", "rerank"),
        RetrieverConfig::HEAD => ("retriever", "retrieve"),
        _ => ("recognizer", "recognize"),
    }
}
