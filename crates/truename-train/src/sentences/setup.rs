//! The inputs and options of a corpus.

use serde::{Deserialize, Serialize};

use super::CorpusOptions;
use crate::DataFile;

/// All that a corpus depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Setup {
    pub kb: DataFile,
    pub texts: Vec<DataFile>,
    pub exclude: Vec<DataFile>,
    pub reading: String,
    pub linker: String,
    pub options: CorpusOptions,
}

impl Setup {
    /// Names the first part that differs from another setup.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let files = |files: &[DataFile]| files.iter().map(|file| file.hash.clone()).collect::<Vec<_>>();
        if self.kb.hash != other.kb.hash {
            Some("another knowledge base, or one that was changed since")
        } else if files(&self.texts) != files(&other.texts) {
            Some("other texts, or some that were changed since")
        } else if files(&self.exclude) != files(&other.exclude) {
            Some("other concepts to exclude")
        } else if (&self.reading, &self.linker, &self.options) != (&other.reading, &other.linker, &other.options) {
            Some("other options")
        } else {
            None
        }
    }
}
