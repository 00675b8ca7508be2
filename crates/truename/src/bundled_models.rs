//! Models that are part of the program. `models/README.md` of this crate says what they were trained on.

use std::path::Path;

use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;
use truename_text::stable_hash;

use crate::cache::open_or_make;
use crate::{Error, TrainedRecognizer, error};

/// Name of the recognizer for biomedical texts, which is the default.
const BUNDLED: &str = "bundled";
/// Name of the recognizer for general English.
pub(crate) const GENERAL: &str = "general";

/// A recognizer that is part of the program.
struct Bundled {
    /// What `--recognizer` takes.
    name: &'static str,
    /// Begins the name of its folder in the cache.
    folder: &'static str,
    files: &'static [(&'static str, &'static [u8])],
    /// Its [`ModelCard`].
    card: &'static str,
}

/// Takes the files in a folder of `models`.
#[cfg(feature = "models")]
macro_rules! bundled {
    ($name:literal, $folder:literal) => {
        Bundled {
            name: $name,
            folder: $folder,
            files: &[
                ("config.json", include_bytes!(concat!("../models/", $folder, "/config.json"))),
                ("model.safetensors", include_bytes!(concat!("../models/", $folder, "/model.safetensors"))),
                ("tokenizer.json", include_bytes!(concat!("../models/", $folder, "/tokenizer.json"))),
                ("truename.json", include_bytes!(concat!("../models/", $folder, "/truename.json"))),
            ],
            card: include_str!(concat!("../models/", $folder, "/card.json")),
        }
    };
}

/// The recognizers for biomedical texts and for general English; none in a build without the feature `models`.
#[cfg(feature = "models")]
static RECOGNIZERS: &[Bundled] = &[bundled!("bundled", "recognizer"), bundled!("general", "general")];
#[cfg(not(feature = "models"))]
static RECOGNIZERS: &[Bundled] = &[];

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
    RECOGNIZERS.iter().map(Bundled::card).collect()
}

/// Opens the recognizer for biomedical texts that is part of the program; `None` in a build without the feature `models`. Unpacks it
/// into the user's cache on first use.
///
/// # Errors
/// If it cannot be written to the cache or to a temporary folder.
pub fn bundled_recognizer() -> Result<Option<TrainedRecognizer>, Error> {
    recognizer(BUNDLED)
}

/// As [`bundled_recognizer`], for the one with a name; `None` where there is none.
pub(crate) fn recognizer(name: &str) -> Result<Option<TrainedRecognizer>, Error> {
    known(name).map(Bundled::open).transpose()
}

impl Bundled {
    fn card(&self) -> ModelCard {
        let bytes = self.files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        ModelCard { bytes, ..serde_json::from_str(self.card).expect("a card of this version") }
    }

    fn open(&self) -> Result<TrainedRecognizer, Error> {
        let unpack = |path: &Path| {
            std::fs::create_dir_all(path).map_err(|source| error::io("create", path, source))?;
            self.files.iter().try_for_each(|(name, bytes)| {
                let file = path.join(name);
                std::fs::write(&file, bytes).map_err(|source| error::io("write", &file, source))
            })
        };
        open_or_make(&format!("{}-{:016x}", self.folder, self.version()), TrainedRecognizer::open, unpack)
    }

    /// Returns a hash of sizes and beginnings of the files; any change unpacks anew. The vectors of types, which every training
    /// changes, are among these.
    fn version(&self) -> u64 {
        /// Bytes of a file that are read at each start.
        const READ: usize = 4096;
        let sample = |(name, bytes): &(&str, &[u8])| {
            let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(READ)]);
            format!("{name} {} {beginning}", bytes.len())
        };
        stable_hash(&self.files.iter().map(sample).collect::<String>())
    }
}

impl TrainedRecognizer {
    /// Returns true for the name of a recognizer of the program.
    pub fn is_named(folder: &Path) -> bool {
        folder == Path::new(BUNDLED) || folder == Path::new(GENERAL) && !folder.exists()
    }

    /// Opens the recognizer in a folder, or that of the program by its name: `bundled` for biomedical texts, `general` for general English
    /// where there is no such folder.
    ///
    /// # Errors
    /// As [`TrainedRecognizer::open`], and in a build without the feature `models`.
    pub fn named(folder: &Path) -> Result<Self, Error> {
        if !Self::is_named(folder) {
            return Self::open(folder);
        }
        if let Some(found) = recognizer(&folder.to_string_lossy())? {
            return Ok(found);
        }
        let message = "this build of Truename has no recognizer of its own";
        Err(Error::new(ErrorKind::NotFound, message).with_hint("build it with the feature models"))
    }
}

/// Returns a hash of all of them, which any change changes.
pub(crate) fn version() -> u64 {
    stable_hash(&RECOGNIZERS.iter().map(|known| format!("{:x}", known.version())).collect::<String>())
}

/// As [`version`], of the one with a name; `None` where there is none.
pub(crate) fn version_of(name: &str) -> Option<u64> {
    known(name).map(Bundled::version)
}

fn known(name: &str) -> Option<&'static Bundled> {
    RECOGNIZERS.iter().find(|known| known.name == name)
}
