//! Files and folders that a simplifier is made of.

use std::path::PathBuf;

use truename_infer::{AdapterChoice, Encoder, MaskedLanguageModel};

use super::{Frequencies, Simplifier, SimplifyOptions, SynonymVocabulary};
use crate::Error;

/// The models, vocabularies and word lists of a [`Simplifier`]. Each may be missing.
#[derive(Clone, Debug, Default)]
pub struct SubstituteSources {
    /// Folder of the masked-language model.
    pub model: Option<PathBuf>,
    /// Synonyms: WordNet's data files or their folder, clusters as those of PPDB, CSV or TSV.
    pub synonyms: Vec<PathBuf>,
    /// Word lists, or texts whose words are counted.
    pub frequencies: Vec<PathBuf>,
    /// Folder of the encoder.
    pub encoder: Option<PathBuf>,
    /// Adapters of both folders.
    pub adapters: AdapterChoice,
}

impl SubstituteSources {
    /// Returns a simplifier. `add` adds synonyms that are in no file, as the names of concepts.
    ///
    /// # Errors
    /// If a file or folder cannot be read, and those of `add`.
    pub fn open(
        &self,
        options: SimplifyOptions,
        add: impl FnOnce(&mut SynonymVocabulary) -> Result<(), Error>,
    ) -> Result<Simplifier, Error> {
        let mut synonyms = SynonymVocabulary::read(&self.synonyms)?;
        add(&mut synonyms)?;
        let frequencies = Frequencies::read(&self.frequencies)?;
        let model = |folder| MaskedLanguageModel::open_with_adapters(folder, &self.adapters);
        let encoder = |folder| Encoder::open_with_adapters(folder, &self.adapters);
        Ok(Simplifier {
            model: self.model.as_deref().map(model).transpose()?,
            synonyms: Some(synonyms).filter(|synonyms| !synonyms.is_empty()),
            frequencies: Some(frequencies).filter(|frequencies| !frequencies.is_empty()),
            encoder: self.encoder.as_deref().map(encoder).transpose()?,
            options,
        })
    }
}
