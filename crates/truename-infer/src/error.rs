//! Errors of models that several modules report.

use std::fmt::Display;
use std::path::Path;

pub use truename_error::Error;
use truename_error::{ErrorKind, Hint, HintPart, hint};

/// The error of a system call on a file of a model.
pub(crate) fn io(action: &str, path: &Path, source: std::io::Error) -> Error {
    let error = Error::io(action, path, source);
    if error.is_not_found() { error.with_hint(missing_file_hint(path)) } else { error }
}

/// The error of a file that is no JSON of its kind.
pub(crate) fn json(path: &Path, source: serde_json::Error) -> Error {
    Error::new(ErrorKind::Syntax, format_args!("{} cannot be read", path.display()))
        .with_source(source)
        .with_hint("download the model again; the file is not as Hugging Face writes it")
}

/// The error of a value that the engine has no code for; `known` lists those that it has.
pub(crate) fn setting(path: &Path, key: &str, value: impl Display, known: impl Display) -> Error {
    let message = format_args!("{}: {key} is {value}; truename reads {known}", path.display()).to_string();
    Error::new(ErrorKind::Syntax, message)
        .with_hint("use a BERT, RoBERTa, MPNet, DistilBERT, ELECTRA, ModernBERT, Nomic BERT or DeBERTa-v2 encoder")
}

/// The error of a damaged file of tensors.
pub(crate) fn tensors(path: &Path, source: safetensors::SafeTensorError) -> Error {
    Error::new(ErrorKind::Damaged, format_args!("{} is not a safetensors file", path.display()))
        .with_source(source)
        .with_hint("download the model again; the file is cut short or damaged")
}

/// The error of a file of tensors that was not written.
pub(crate) fn unwritten(path: &Path, source: safetensors::SafeTensorError) -> Error {
    match source {
        safetensors::SafeTensorError::IoError(source) => io("write", path, source),
        source => tensors(path, source),
    }
}

/// The error of weights that are not those that the configuration asks for.
pub(crate) fn unfit_tensor(message: String) -> Error {
    Error::new(ErrorKind::Syntax, message)
        .with_hint("config.json and model.safetensors must be of one model: download both again")
}

/// The error of a file that is no tokenizer.
pub(crate) fn tokenizer(path: &Path, source: tokenizers::Error) -> Error {
    Error::new(ErrorKind::Syntax, format_args!("{} is not a tokenizer", path.display())).with_source(source).with_hint(
        "tokenizer.json must be of a fast tokenizer: \
         `AutoTokenizer.from_pretrained(MODEL).save_pretrained(FOLDER)` writes one",
    )
}

/// The error of a text that the tokenizer refuses.
pub(crate) fn tokenize(source: tokenizers::Error) -> Error {
    Error::new(ErrorKind::Other, "a text cannot be tokenized").with_source(source)
}

/// The error of a token that the vocabulary of the model lacks.
pub(crate) fn unknown_token(token: u32, vocabulary: usize) -> Error {
    let message = format!("the tokenizer made token {token}; the model's vocabulary has {vocabulary}");
    Error::new(ErrorKind::Syntax, message).with_hint("tokenizer.json and model.safetensors must be of one model")
}

/// The error of a special token that the tokenizer lacks.
pub(crate) fn no_token(token: &str) -> Error {
    Error::new(ErrorKind::NotFound, format_args!("the tokenizer has no token {token}"))
        .with_hint("add special tokens to the model before they are used")
}

/// The error of a sequence that is longer than the model's window.
pub(crate) fn too_long(tokens: usize, window: usize) -> Error {
    let message = format!("a sequence has {tokens} tokens; the model reads {window}");
    Error::new(ErrorKind::TooLong, message).with_hint("give less text, or split it into windows")
}

/// The error of a network of characters that is asked for more than single texts.
pub(crate) fn characters_alone() -> Error {
    Error::new(ErrorKind::Choice, "a model of characters reads single texts alone")
        .with_hint(hint!["use a transformer, such as MiniLM: ", HintPart::action("model list")])
}

/// The error of a head that a folder does not have, with the kind of recipe that trains such a model.
pub(crate) fn no_head(path: &Path, head: &str, model: &str, kind: &str) -> Error {
    let message = format!("the model in {} is no {model}: it has no head \"{head}\"", path.display());
    let explain = HintPart::action("recipe explain").value(kind);
    let advice = hint![format!("train a {model}: "), explain, " prints the keys of its recipe"];
    Error::new(ErrorKind::NotFound, message).with_hint(advice)
}

/// The error of an input that the model does not take.
pub(crate) fn input(message: impl Display) -> Error {
    Error::new(ErrorKind::Other, message)
}

fn missing_file_hint(path: &Path) -> Hint {
    Hint::from(match path.file_name().and_then(|name| name.to_str()) {
        Some("model.safetensors") => {
            "weights in other formats (pytorch_model.bin) are not read: save them as safetensors, \
             `model.save_pretrained(FOLDER, safe_serialization=True)`"
        }
        Some("tokenizer.json") => {
            "write it with `AutoTokenizer.from_pretrained(MODEL).save_pretrained(FOLDER)`; vocab.txt alone is not enough"
        }
        _ => {
            "an encoder is a Hugging Face folder: config.json, model.safetensors, tokenizer.json and, where the model has \
             them, modules.json, sentence_bert_config.json and 1_Pooling/config.json"
        }
    })
}
