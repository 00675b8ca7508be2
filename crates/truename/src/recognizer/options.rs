//! Options of recognizers, which open them by their names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename_error::{ErrorKind, HintPart, hint};
use truename_infer::{EntityType, Precision, SpanOptions, SpanStrategy};

use super::coverage::Coverage;
use super::other_names::OtherNames;
use super::{CompositeRecognizer, DictionaryRecognizer, Recognizer, TrainedRecognizer, UnionRecognizer};
use crate::{Error, KnowledgeBase, StopNames, bundled_recognizer, with_precision};

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
    /// Probability above which the dictionary finds mentions, if it is below that of the best F1 ([`MentionModel::threshold`](crate::MentionModel::threshold)).
    pub min_probability: Option<f64>,
    /// True if mentions of the dictionary say what speaks for and against them.
    pub explained: bool,
    /// True if mentions of the dictionary have the types of its concepts.
    pub typed: bool,
    /// True if names of the knowledge base have lower thresholds of any trained recognizer, and not only of its own.
    pub names: bool,
    /// Types that a trained recognizer looks for in place of its own; empty for its own.
    pub entity_types: Vec<EntityType>,
    /// Way in which a trained recognizer takes spans for mentions.
    pub strategy: SpanStrategy,
    /// Smallest difference of score and threshold of a trained recognizer's mentions.
    pub min_margin: f64,
    /// Weights of the recognizers in folders; `None` for those of each folder ([`with_precision`]).
    pub precision: Option<Precision>,
}

impl RecognizerOptions {
    /// Opens recognizers as one; mentions of the first come first. A name is a folder, `dictionary` for the names of the knowledge base,
    /// `both` for the knowledge base's own recognizer and then its dictionary, or `bundled` or `general` for one that is part of the program. Without names
    /// it is as [`RecognizerOptions::of_knowledge_base`] says. `kb` opens the knowledge base where it is needed.
    ///
    /// # Errors
    /// If a recognizer is missing or damaged, or options of trained ones are given for a dictionary.
    pub fn open(
        &self,
        names: &[PathBuf],
        kb: impl FnOnce() -> Result<KnowledgeBase, Error>,
    ) -> Result<Arc<dyn Recognizer>, Error> {
        let is_of_kb = |name: &PathBuf| [DICTIONARY, BOTH].iter().any(|known| name == Path::new(known));
        let needs_kb = self.composites || self.names || names.is_empty() || names.iter().any(is_of_kb);
        let kb = if needs_kb { Some(kb()?) } else { None };
        let of_kb = || kb.as_ref().expect("the knowledge base is open where a name needs it");
        if names.is_empty() {
            return self.of_knowledge_base(of_kb(), of_kb().attached_recognizer()?);
        }
        let mut recognizers: Vec<Box<dyn Recognizer>> = Vec::new();
        for name in names {
            let model = match name.to_str() {
                Some(DICTIONARY) => None,
                Some(BOTH) => Some(own(of_kb())?),
                _ => Some(self.named(name)?),
            };
            if let Some(model) = model {
                let names = kb.as_ref().filter(|_| self.names);
                recognizers.push(Box::new(self.configured(model, names)?));
            }
            if is_of_kb(name) {
                recognizers.push(Box::new(self.dictionary(of_kb())));
            }
        }
        if names.iter().all(|name| name == Path::new(DICTIONARY)) {
            self.check_untrained()?;
        }
        let recognizer: Arc<dyn Recognizer> = match recognizers.len() {
            1 => recognizers.remove(0).into(),
            _ => Arc::new(UnionRecognizer::new(recognizers).nested(self.nested.unwrap_or(false))),
        };
        Ok(if self.composites { self.with_composites(recognizer, of_kb()) } else { recognizer })
    }

    /// Opens the recognizer in a folder, or the one that is part of the program, with weights of the precision asked for.
    fn named(&self, name: &Path) -> Result<TrainedRecognizer, Error> {
        let recognizer = TrainedRecognizer::named(name)?;
        let Some(precision) = self.precision else { return Ok(recognizer) };
        TrainedRecognizer::open(&with_precision(recognizer.folder(), precision)?)
    }

    /// Returns the recognizer of a knowledge base: `own`, the trained one that it carries, with lower thresholds for its names. Where it
    /// carries none, the one that is part of the program finds the concepts of the types whose names it knows, by a sample of them, and
    /// the dictionary the others.
    ///
    /// # Errors
    /// If options of trained recognizers are given for a dictionary.
    pub fn of_knowledge_base(
        &self,
        kb: &KnowledgeBase,
        own: Option<TrainedRecognizer>,
    ) -> Result<Arc<dyn Recognizer>, Error> {
        let recognizer: Arc<dyn Recognizer> = match own {
            Some(own) => Arc::new(self.configured(own, Some(kb))?),
            None => {
                self.check_untrained()?;
                self.bundled_or_dictionary(kb)?
            }
        };
        Ok(if self.composites { self.with_composites(recognizer, kb) } else { recognizer })
    }

    /// Returns the recognizer that is part of the program for the concepts whose names it finds, and the dictionary for the others.
    fn bundled_or_dictionary(&self, kb: &KnowledgeBase) -> Result<Arc<dyn Recognizer>, Error> {
        let dictionary = self.dictionary(kb);
        let Some((model, coverage)) = bundled_for(kb, &self.types)? else { return Ok(Arc::new(dictionary)) };
        let model = self.configured(model, Some(kb))?;
        if !coverage.has_untyped && coverage.others.is_empty() {
            return Ok(Arc::new(model));
        }
        let others = OtherNames::new(dictionary, model.clone(), coverage);
        let union = UnionRecognizer::new(vec![Box::new(model), Box::new(others)]);
        Ok(Arc::new(union.nested(self.nested.unwrap_or(false))))
    }

    /// Refuses options that a dictionary does not have.
    fn check_untrained(&self) -> Result<(), Error> {
        if self.strategy != SpanStrategy::Joint && self.entity_types.is_empty() {
            return Ok(());
        }
        let message = "types with descriptions and joint inference need a trained recognizer";
        let advice =
            hint!["name a folder that ", HintPart::action("train"), " made by ", HintPart::setting("recognizer")];
        Err(Error::new(ErrorKind::Choice, message).with_hint(advice))
    }

    fn with_composites(&self, recognizer: Arc<dyn Recognizer>, kb: &KnowledgeBase) -> Arc<dyn Recognizer> {
        let nested = self.nested.unwrap_or(false);
        Arc::new(CompositeRecognizer::new(recognizer, self.dictionary(kb)).nested(nested))
    }

    fn dictionary(&self, kb: &KnowledgeBase) -> DictionaryRecognizer {
        let dictionary = DictionaryRecognizer::new(kb.clone()).nested(self.nested.unwrap_or(false)).typed(self.typed);
        let dictionary = dictionary.of_types(self.types.clone()).without_aliases(self.without_aliases.clone());
        let dictionary = dictionary.without_names(Arc::clone(&self.stop_names)).explained(self.explained);
        dictionary.above(self.min_probability.unwrap_or(1.0))
    }

    /// Applies the options to a model; `names` is the knowledge base whose names have lower thresholds.
    fn configured(&self, model: TrainedRecognizer, names: Option<&KnowledgeBase>) -> Result<TrainedRecognizer, Error> {
        let model = if self.entity_types.is_empty() { model } else { model.with_types(self.entity_types.clone())? };
        let is_flat = self.nested.map(|nested| !nested);
        let options = SpanOptions {
            strategy: self.strategy,
            is_flat,
            min_margin: self.min_margin as f32,
            ..SpanOptions::default()
        };
        let model = model.with_options(options)?;
        Ok(match names {
            Some(kb) => model.with_names(self.dictionary(kb).typed(true).with_model(None)),
            None => model,
        })
    }
}

/// Opens the recognizer that a knowledge base carries, else the one that is part of the program where it finds names of the knowledge base.
fn own(kb: &KnowledgeBase) -> Result<TrainedRecognizer, Error> {
    if let Some(own) = kb.attached_recognizer()? {
        return Ok(own);
    }
    bundled_for(kb, &[])?.map(|(model, _)| model).ok_or_else(|| {
        let message = format!("{} has no recognizer of its own", kb.path().display());
        let copy = HintPart::action("kb models add").value("DIR").with("kb", kb.path().display());
        Error::new(ErrorKind::NotFound, message).with_hint(hint![copy, " copies one there"])
    })
}

/// Opens the recognizer that is part of the program, for the types that it finds, with the concepts of the knowledge base that it finds;
/// `None` where it finds none. `wanted`: types of the knowledge base to look for; empty for all.
fn bundled_for(kb: &KnowledgeBase, wanted: &[String]) -> Result<Option<(TrainedRecognizer, Coverage)>, Error> {
    let Some(model) = bundled_recognizer()? else { return Ok(None) };
    let coverage = Coverage::of(kb, &model, wanted)?;
    Ok(coverage.map(|coverage| (model.keeping(coverage.found.clone()), coverage)))
}
