//! Options of recognizers, which open them by their names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename_error::{ErrorKind, HintPart, hint};
use truename_infer::{EntityType, SpanOptions, SpanStrategy};

use super::{CompositeRecognizer, DictionaryRecognizer, Recognizer, TrainedRecognizer, UnionRecognizer};
use crate::{Error, KnowledgeBase, StopNames};

/// Name of the dictionary of a knowledge base.
const DICTIONARY: &str = "dictionary";
/// Name of the knowledge base's own recognizer with its dictionary.
const BOTH: &str = "both";

/// Options of recognizers.
#[derive(Clone, Debug, Default)]
pub struct RecognizerOptions {
    /// Finds mentions within mentions too; `None` leaves it to each recognizer.
    pub nested: Option<bool>,
    /// True if coordinations (`breast and ovarian cancer`) are read as each of their names that the knowledge base has.
    pub composites: bool,
    /// Types of the concepts that the dictionary looks for; empty for all.
    pub types: Vec<String>,
    /// Sources whose aliases the dictionary leaves out.
    pub without_aliases: Vec<String>,
    /// Names that the dictionary does not look for.
    pub stop_names: Arc<StopNames>,
    /// True if mentions of the dictionary have the types of its concepts.
    pub typed: bool,
    /// Types that a trained recognizer looks for in place of its own; empty for its own.
    pub entity_types: Vec<EntityType>,
    /// Way in which a trained recognizer takes spans for mentions.
    pub strategy: SpanStrategy,
    /// Smallest difference of score and threshold of a trained recognizer's mentions.
    pub min_margin: f64,
}

impl RecognizerOptions {
    /// Opens recognizers as one; mentions of the first come first. A name is a folder, `dictionary` for the names of the knowledge base, or
    /// `both` for the knowledge base's own recognizer and then its dictionary. Without names it is the knowledge base's own, else its
    /// dictionary. `kb` opens the knowledge base where it is needed.
    ///
    /// # Errors
    /// If a recognizer is missing or damaged, or options of trained ones are given for a dictionary.
    pub fn open(
        &self,
        names: &[PathBuf],
        kb: impl FnOnce() -> Result<KnowledgeBase, Error>,
    ) -> Result<Arc<dyn Recognizer>, Error> {
        let is_of_kb = |name: &PathBuf| [DICTIONARY, BOTH].iter().any(|known| name == Path::new(known));
        let needs_kb = self.composites || names.is_empty() || names.iter().any(is_of_kb);
        let kb = if needs_kb { Some(kb()?) } else { None };
        let kb = || kb.clone().expect("the knowledge base is open where a name needs it");
        let mut recognizers: Vec<Box<dyn Recognizer>> = Vec::new();
        let mut is_trained = false;
        let mut add = |model: Option<TrainedRecognizer>| -> Result<(), Error> {
            is_trained |= model.is_some();
            recognizers.push(match model {
                Some(model) => Box::new(self.configured(model)?),
                None => Box::new(self.dictionary(kb())),
            });
            Ok(())
        };
        if names.is_empty() {
            add(kb().attached_recognizer()?)?;
        }
        for name in names {
            match name.to_str() {
                Some(DICTIONARY) => add(None)?,
                Some(BOTH) => {
                    let kb = kb();
                    let missing = || {
                        let message = format!("{} has no recognizer of its own", kb.path().display());
                        let copy = HintPart::action("kb models add").value("DIR").with("kb", kb.path().display());
                        Error::new(ErrorKind::NotFound, message).with_hint(hint![copy, " copies one there"])
                    };
                    add(Some(kb.attached_recognizer()?.ok_or_else(missing)?))?;
                    add(None)?;
                }
                _ => add(Some(TrainedRecognizer::open(name)?))?,
            }
        }
        if !is_trained && (self.strategy == SpanStrategy::Joint || !self.entity_types.is_empty()) {
            let message = "types with descriptions and joint inference need a trained recognizer";
            let advice =
                hint!["name a folder that ", HintPart::action("train"), " made by ", HintPart::setting("recognizer")];
            return Err(Error::new(ErrorKind::Choice, message).with_hint(advice));
        }
        let nested = self.nested.unwrap_or(false);
        let recognizer: Arc<dyn Recognizer> = match recognizers.len() {
            1 => recognizers.remove(0).into(),
            _ => Arc::new(UnionRecognizer::new(recognizers).nested(nested)),
        };
        Ok(match self.composites {
            true => Arc::new(CompositeRecognizer::new(recognizer, self.dictionary(kb())).nested(nested)),
            false => recognizer,
        })
    }

    fn dictionary(&self, kb: KnowledgeBase) -> DictionaryRecognizer {
        let dictionary = DictionaryRecognizer::new(kb).nested(self.nested.unwrap_or(false)).typed(self.typed);
        let dictionary = dictionary.of_types(self.types.clone()).without_aliases(self.without_aliases.clone());
        dictionary.without_names(Arc::clone(&self.stop_names))
    }

    fn configured(&self, model: TrainedRecognizer) -> Result<TrainedRecognizer, Error> {
        let model = if self.entity_types.is_empty() { model } else { model.with_types(self.entity_types.clone())? };
        let is_flat = self.nested.map(|nested| !nested);
        Ok(model.with_options(SpanOptions { strategy: self.strategy, is_flat, min_margin: self.min_margin as f32 }))
    }
}
