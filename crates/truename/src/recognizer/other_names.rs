//! Names that a trained recognizer leaves to the dictionary.

use std::collections::HashMap;

use truename_kb::ConceptId;
use truename_text::natural_order;

use super::coverage::Coverage;
use super::dictionary::FormMatch;
use super::{DictionaryRecognizer, Reading, RecognizedMention, Recognizer, TrainedRecognizer};
use crate::Error;
use crate::call::Call;
use crate::memo::Memo;

/// Finds the names of those concepts of a knowledge base that a trained recognizer does not find: by their types, and of those without types
/// the ones whose preferred name, read alone, is no mention of it. A name within a longer name of another concept is none.
pub(super) struct OtherNames {
    dictionary: DictionaryRecognizer,
    model: TrainedRecognizer,
    coverage: Coverage,
    /// By the id of a concept, true if the dictionary finds it, for its preferred name is no mention of the model.
    verdicts: Memo<bool>,
}

impl OtherNames {
    pub(super) fn new(dictionary: DictionaryRecognizer, model: TrainedRecognizer, coverage: Coverage) -> Self {
        Self { dictionary, model, coverage, verdicts: Memo::new() }
    }

    /// Returns for each concept whether the dictionary finds it.
    fn verdicts<'f>(&self, ids: impl Iterator<Item = &'f ConceptId>) -> Result<HashMap<ConceptId, bool>, Error> {
        let call = Call::begin(self.dictionary.kb())?;
        let version = call.version();
        let (mut verdicts, mut unread, mut names) = (HashMap::new(), Vec::new(), Vec::new());
        for id in ids {
            if verdicts.contains_key(id) {
                continue;
            }
            let known = self.verdicts.known(version, id.as_str());
            verdicts.insert(id.clone(), known.unwrap_or_default());
            if known.is_none() {
                // A concept that was removed meanwhile is no mention.
                let name = match call.snapshot().concept_by_id(id) {
                    Err(error) if error.is_not_found() => continue,
                    concept => concept?.name,
                };
                names.push(natural_order(&name).unwrap_or(name));
                unread.push(id);
            }
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for (id, found) in unread.into_iter().zip(self.model.types_of_names(&names)?) {
            let is_left = found.is_none_or(|name| !self.model.keeps(&name));
            self.verdicts.insert(version, id.as_str(), is_left, 1);
            verdicts.insert(id.clone(), is_left);
        }
        Ok(verdicts)
    }
}

impl Recognizer for OtherNames {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let found = self.dictionary.find(readings)?;
        let is_untyped = |one: &&FormMatch| self.coverage.has_untyped && one.form.senses.types().is_empty();
        let untyped = found.iter().flatten().filter(is_untyped);
        let verdicts = self.verdicts(untyped.flat_map(|one| one.form.senses.ids()))?;
        let is_left = |one: &FormMatch| match one.form.senses.types() {
            types if types.is_empty() => {
                one.form.senses.ids().iter().all(|id| verdicts.get(id).is_some_and(|left| *left))
            }
            types => types.iter().any(|name| self.coverage.others.contains(name)),
        };
        let mentions = |found: Vec<FormMatch>| {
            found.into_iter().filter(is_left).flat_map(|one| self.dictionary.mentions(one)).collect()
        };
        Ok(found.into_iter().map(mentions).collect())
    }

    fn fingerprint(&self) -> Option<String> {
        self.model.fingerprint()
    }
}
