//! Quantised copies of model folders.

use std::path::{Path, PathBuf};

use truename_error::ErrorKind;
use truename_files::Partial;
use truename_infer::{Backbone, Checkpoint, Manifest, Precision, SpanConfig, SpanScorer, SpanTensors, network_folders};
use truename_text::stable_hash;

use crate::cache::open_or_make;
use crate::knowledge_base::LearntNames;
use crate::{Error, error};

/// Tensors that a recognizer uses for descriptions of types alone, or for nothing.
const DESCRIPTION_TENSORS: [&str; 4] =
    [SpanTensors::TYPE_SPAN, SpanTensors::TYPE_START, SpanTensors::TYPE_END, "pooler."];

/// Options of [`quantize_model`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuantizeOptions {
    /// Leaves out a recognizer's network of descriptions: the copy finds the types that the model was trained on, and no others.
    pub trained_types: bool,
}

/// Writes a quantised copy of a model folder, which serves inference alone: that of an encoder, a recognizer, a retriever, a
/// re-ranker or a classifier, with all its networks and fold encoders. Maps of transformer layers and of adapters have weights
/// in 7 bits, tables of tokens numbers in 4.
///
/// # Errors
/// If `out` exists, a network reads characters or is quantised already, or a file cannot be read or written.
pub fn quantize_model(model: &Path, out: &Path, options: QuantizeOptions) -> Result<(), Error> {
    if std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        let message = format!("{} exists and is not empty", out.display());
        return Err(Error::new(ErrorKind::Exists, message).with_hint("give a new folder"));
    }
    let partial = Partial::beside(out).map_err(|source| error::io("write", out, source))?;
    let learnt = LearntNames::read(model)?;
    let folds = (0..).map(|fold| LearntNames::fold_folder(model, fold)).take_while(|folder| folder.is_dir());
    let spans = span_config(model)?;
    let is_text_alone = options.trained_types && spans.is_some();
    for folder in network_folders(model).take(if is_text_alone { 1 } else { usize::MAX }).chain(folds) {
        let place = folder.strip_prefix(model).unwrap_or(Path::new(""));
        let mut checkpoint = Checkpoint::open(&folder)?;
        if is_text_alone {
            checkpoint.leave_out(&DESCRIPTION_TENSORS);
        }
        checkpoint.quantize(&partial.path().join(place))?;
    }
    if let Some(spans) = spans {
        let mut manifest = Manifest::open(partial.path())?;
        manifest.set_head(SpanConfig::HEAD, &spans)?;
        manifest.save(partial.path())?;
    }
    // It has the hashes of the networks.
    learnt.map_or(Ok(()), |learnt| learnt.finish(partial.path()))?;
    partial.replace(out).map_err(|source| error::io("write", out, source))
}

/// Returns a model folder with weights of a precision: the folder itself, or a quantised copy of it, which is made in the cache folder
/// ([`cache_folder`](crate::cache_folder)) on first use.
///
/// # Errors
/// If a quantised model is asked for in single precision, a network reads characters, or the copy cannot be written.
pub fn with_precision(model: &Path, precision: Precision) -> Result<PathBuf, Error> {
    let network = Backbone::open(model)?;
    match (network.info().precision, precision) {
        (Precision::Int8, Precision::Single) => {
            let message = format!("{} is quantised and has no weights in f32", model.display());
            Err(Error::new(ErrorKind::Choice, message).with_hint("name the folder that it was made from"))
        }
        (Precision::Single, Precision::Int8) => {
            let hash = stable_hash(&hash_of(model)?);
            let open = |path: &Path| Backbone::open(path).map(|_| path.to_owned());
            open_or_make(&format!("int8-{hash:016x}"), open, |path| {
                quantize_model(model, path, QuantizeOptions::default())
            })
        }
        _ => Ok(model.to_owned()),
    }
}

/// The hash of all networks of a model.
fn hash_of(model: &Path) -> Result<String, Error> {
    let hash = |folder: PathBuf| Backbone::open(&folder).map(|network| network.hash().to_owned());
    network_folders(model).map(hash).collect()
}

/// The configuration of a recognizer by spans, with the vectors of its types.
fn span_config(model: &Path) -> Result<Option<SpanConfig>, Error> {
    let mut config: Option<SpanConfig> = Manifest::open(model)?.head(SpanConfig::HEAD)?;
    if let Some(config) = config.as_mut().filter(|config| config.vectors.is_none()) {
        config.vectors = Some(SpanScorer::open(model)?.vectors().clone());
    }
    Ok(config)
}
