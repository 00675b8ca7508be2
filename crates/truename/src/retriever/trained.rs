//! A retriever that `train` made.

use std::path::Path;

use truename_infer::{Embeddings, Manifest, MentionEncoder, RetrieverConfig};
use truename_kb::Concept;
use truename_text::{Span, document_hash};

use crate::Error;

/// Stands between two names of a concept's text; no name has it.
const BETWEEN: char = '\n';

/// A retriever that places mentions in their contexts near their concepts (Prompt-BioEL, section 3.1).
pub struct TrainedRetriever {
    encoder: MentionEncoder,
}

impl TrainedRetriever {
    /// Opens the folder of a model.
    ///
    /// # Errors
    /// If the folder has no retriever, or a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Ok(Self { encoder: MentionEncoder::open(folder)? })
    }

    /// Returns whether a folder has a retriever.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn is_in(folder: &Path) -> Result<bool, Error> {
        let manifest = Manifest::open(folder)?;
        Ok(manifest.heads().any(|head| head == RetrieverConfig::HEAD))
    }

    /// Returns the folder that was opened.
    pub fn folder(&self) -> &Path {
        self.encoder.backbone().folder()
    }

    /// Returns the hash of its weights, tokenizer and configuration.
    pub fn hash(&self) -> &str {
        self.encoder.backbone().hash()
    }

    /// Returns whether a document was learnt from, whatever space stands around it.
    pub fn has_learnt(&self, text: &str) -> bool {
        self.encoder.config().learnt.contains(&document_hash(text))
    }

    /// Returns whether the window holds a mention, without its context.
    pub(crate) fn holds_mention(&self, mention: &str) -> bool {
        self.encoder.holds_mention(mention).unwrap_or_default()
    }

    /// Returns whether a concept has a name that is read whole.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn holds_name(&self, concept: &Concept) -> Result<bool, Error> {
        self.encoder.holds_name(concept.names())
    }

    /// Number of dimensions of its vectors.
    pub fn dimensions(&self) -> usize {
        self.encoder.dimensions()
    }

    /// Returns the vectors of mentions, each a text and the place of the mention in it.
    pub(crate) fn mentions(&self, mentions: &[(&str, Span)]) -> Result<Embeddings, Error> {
        self.encoder.mentions(mentions)
    }

    /// Returns the vectors of concepts, each given by its text.
    pub(crate) fn concepts(&self, texts: &[&str]) -> Result<Embeddings, Error> {
        let names: Vec<Vec<&str>> = texts.iter().map(|text| text.split(BETWEEN).collect()).collect();
        self.encoder.concepts(&names)
    }

    /// Returns the text of a concept: its names.
    pub(crate) fn text_of(concept: &Concept) -> String {
        concept.names().collect::<Vec<_>>().join(&BETWEEN.to_string())
    }
}
