//! Quantised copies of model folders.

use std::path::Path;

use truename_error::ErrorKind;
use truename_files::Partial;
use truename_infer::{Checkpoint, network_folders};

use crate::knowledge_base::LearntNames;
use crate::{Error, error};

/// Writes a quantised copy of a model folder, which serves inference alone: that of an encoder, a recognizer, a retriever, a
/// re-ranker or a classifier, with all its networks and fold encoders. Maps of transformer layers and of adapters have weights
/// in 7 bits, tables of tokens numbers in 4.
///
/// # Errors
/// If `out` exists, a network reads characters or is quantised already, or a file cannot be read or written.
pub fn quantize_model(model: &Path, out: &Path) -> Result<(), Error> {
    if std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        let message = format!("{} exists and is not empty", out.display());
        return Err(Error::new(ErrorKind::Exists, message).with_hint("give a new folder"));
    }
    let partial = Partial::beside(out).map_err(|source| error::io("write", out, source))?;
    let learnt = LearntNames::read(model)?;
    let folds = (0..).map(|fold| LearntNames::fold_folder(model, fold)).take_while(|folder| folder.is_dir());
    for folder in network_folders(model).chain(folds) {
        let place = folder.strip_prefix(model).unwrap_or(Path::new(""));
        Checkpoint::open(&folder)?.quantize(&partial.path().join(place))?;
    }
    // It has the hashes of the networks.
    learnt.map_or(Ok(()), |learnt| learnt.finish(partial.path()))?;
    partial.replace(out).map_err(|source| error::io("write", out, source))
}
