//! Models that are part of the program. `models/README.md` of this crate says what they were trained on.

use std::path::Path;

use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;
use truename_text::stable_hash;

use crate::cache::open_or_make;
use crate::{Error, TrainedRecognizer, error};

/// Name of the recognizer.
const BUNDLED: &str = "bundled";

/// Files of the recognizer for biomedical texts; none in a build without the feature `models`.
#[cfg(feature = "models")]
static RECOGNIZER: &[(&str, &[u8])] = &[
    ("config.json", include_bytes!("../models/recognizer/config.json")),
    ("model.safetensors", include_bytes!("../models/recognizer/model.safetensors")),
    ("tokenizer.json", include_bytes!("../models/recognizer/tokenizer.json")),
    ("truename.json", include_bytes!("../models/recognizer/truename.json")),
];
#[cfg(not(feature = "models"))]
static RECOGNIZER: &[(&str, &[u8])] = &[];

/// Description of a model: its task, the data it was trained on, its scores and its licence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelCard {
    /// Its name: what `--recognizer` takes.
    pub name: String,
    /// Its task, in words.
    pub task: String,
    /// Corpora and weights that it learnt from, each with its licence.
    pub trained_on: Vec<String>,
    /// Scores, each with the data that it was measured on.
    pub figures: Vec<String>,
    /// Licence of the weights.
    pub licence: String,
    /// Day of the training, as `2026-11-27`.
    pub date: String,
    /// Size of its files.
    #[serde(default)]
    pub bytes: u64,
}

/// Returns the cards of the models that are part of the program.
pub fn bundled_models() -> Vec<ModelCard> {
    #[cfg(feature = "models")]
    const CARDS: &[&str] = &[include_str!("../models/recognizer/card.json")];
    #[cfg(not(feature = "models"))]
    const CARDS: &[&str] = &[];
    let bytes = RECOGNIZER.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    let card = |json: &&str| ModelCard { bytes, ..serde_json::from_str(json).expect("a card of this version") };
    CARDS.iter().map(card).collect()
}

/// Opens the recognizer for biomedical texts that is part of the program; `None` in a build without the feature `models`. Unpacks it
/// into the user's cache on first use.
///
/// # Errors
/// If it cannot be written to the cache or to a temporary folder.
pub fn bundled_recognizer() -> Result<Option<TrainedRecognizer>, Error> {
    if RECOGNIZER.is_empty() {
        return Ok(None);
    }
    open_or_make(&format!("recognizer-{:016x}", version()), TrainedRecognizer::open, unpack).map(Some)
}

fn unpack(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|source| error::io("create", path, source))?;
    for (name, bytes) in RECOGNIZER {
        let file = path.join(name);
        std::fs::write(&file, bytes).map_err(|source| error::io("write", &file, source))?;
    }
    Ok(())
}

impl TrainedRecognizer {
    /// Opens the recognizer in a folder, or that of the program if the folder is named `bundled`.
    ///
    /// # Errors
    /// As [`TrainedRecognizer::open`], and in a build without the feature `models`.
    pub fn named(folder: &Path) -> Result<Self, Error> {
        if folder != Path::new(BUNDLED) {
            return Self::open(folder);
        }
        bundled_recognizer()?.ok_or_else(|| {
            let message = "this build of Truename has no recognizer of its own";
            Error::new(ErrorKind::NotFound, message).with_hint("build it with the feature models")
        })
    }
}

/// Returns a hash of sizes and beginnings of the models' files; any change unpacks anew. The vectors of types, which every training
/// changes, are among these.
pub(crate) fn version() -> u64 {
    /// Bytes of a file that are read at each start.
    const READ: usize = 4096;
    let sample = |(name, bytes): &(&str, &[u8])| {
        let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(READ)]);
        format!("{name} {} {beginning}", bytes.len())
    };
    stable_hash(&RECOGNIZER.iter().map(sample).collect::<String>())
}
