//! Teachers: models that answer texts and names by the inference engine, so that they may be quantised.

use truename_error::ErrorKind;
use truename_infer::{
    Checkpoint, Encoder, EntityType, Manifest, Pooling, SpanConfig, SpanScorer, SpanTensors, Thresholds, Tokenizer,
};
use truename_nn::{SpanTeacher, TeacherThresholds};

use super::data::DistilData;
use super::keys::DistilKeys;
use crate::Error;

/// A recognizer, an encoder, or a model that is both.
pub(super) struct Teacher {
    scorer: Option<SpanScorer>,
    encoder: Option<Encoder>,
    tokenizer: Tokenizer,
    hidden: usize,
}

impl Teacher {
    /// Opens the folder that a recipe names: its recognizer where there is one, its encoder where there are names to learn from.
    pub fn open(keys: &DistilKeys) -> Result<Self, Error> {
        let checkpoint = keys.teacher()?;
        let hidden = checkpoint.config().hidden_size;
        let folder = &keys.teacher_folder()?;
        let has_names = !keys.data.kb.is_empty() || !keys.data.names.is_empty();
        let has_spans = Manifest::open(folder)?.heads().any(|head| head == SpanConfig::HEAD);
        // Without texts an encoder with span heads is an encoder alone.
        let is_recognizer = has_spans && (!keys.data.text.is_empty() || !has_names);
        Ok(Self {
            scorer: is_recognizer.then(|| SpanScorer::open(folder)).transpose()?,
            encoder: has_names.then(|| Encoder::open(folder)).transpose()?,
            tokenizer: Checkpoint::Transformer(checkpoint).tokenizer()?,
            hidden,
        })
    }

    /// Refuses texts without a recognizer that reads them.
    pub fn check(&self, data: &DistilData) -> Result<(), Error> {
        if !data.passages.is_empty() || !data.dev.passages.is_empty() { self.spans().map(drop) } else { Ok(()) }
    }

    pub fn scorer(&self) -> Option<&SpanScorer> {
        self.scorer.as_ref()
    }

    /// The recognizer.
    ///
    /// # Errors
    /// If the teacher is an encoder alone.
    pub fn spans(&self) -> Result<&SpanScorer, Error> {
        self.scorer.as_ref().ok_or_else(|| {
            Error::new(ErrorKind::Choice, "the recipe names texts, and encoder.from is no recognizer by spans")
                .with_hint("name a recognizer that a recipe of the kind recognize trained, or names in data.kb in place of texts")
        })
    }

    /// The encoder.
    ///
    /// # Errors
    /// If the teacher is a recognizer alone.
    pub fn encoder(&self) -> Result<&Encoder, Error> {
        self.encoder.as_ref().ok_or_else(|| Error::new(ErrorKind::Other, "a recognizer alone was opened"))
    }

    /// Pooling of the encoder, where there is one.
    pub fn pooling(&self) -> Option<Pooling> {
        self.encoder.as_ref().and_then(|encoder| encoder.info().pooling)
    }

    /// The types of the recognizer.
    pub fn types(&self) -> &[EntityType] {
        self.scorer.as_ref().map_or(&[], SpanScorer::types)
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Width of the states.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// The span heads, where there is a recognizer.
    ///
    /// # Errors
    /// Where a tensor of the heads is missing.
    pub fn heads(&self) -> Result<Option<SpanTeacher>, Error> {
        let Some(scorer) = &self.scorer else { return Ok(None) };
        let (tensors, config) = (scorer.backbone().tensors(), scorer.config());
        let dimensions = tensors.at(SpanTensors::SPAN).tensor("bias")?.values().len();
        Ok(Some(SpanTeacher {
            types: config.types.len(),
            max_span: config.max_span,
            dimensions,
            width: tensors.tensor(SpanTensors::WIDTHS)?.values().len() / config.max_span,
            shares_maps: !tensors.at(SpanTensors::END).has("weight"),
            thresholds: match &config.thresholds {
                Thresholds::Learned => TeacherThresholds::Learned,
                Thresholds::Tuned(tuned) => TeacherThresholds::Tuned(tuned.clone()),
                _ => TeacherThresholds::Dynamic,
            },
            vectors: scorer.vectors().parts().map(<[f32]>::to_vec),
        }))
    }
}
