//! Judgements in a store.
//!
//! A name judged to be one of a concept is an alias of it; the judgements of other names (NIL, stop names) are facts under their lookup keys.

use truename_storage::WriteTransaction;
use truename_text::{Key, NameKeys, NormalizedName};

use super::Store;
use super::record::Record;
use super::snapshot::Snapshot;
use super::tables::{META_JUDGED, ascending};
use crate::judgement::{JudgedForm, judged_on};
use crate::{ConceptIndex, Error, Judgement, NameIndex, Verdict, error};

impl Store {
    /// Keeps judgements without a concept, those of all names under a lookup key, in place of the ones known.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn put_judged(
        &self,
        write: &mut WriteTransaction<'_>,
        key: Key,
        judgements: &[Judgement],
    ) -> Result<(), Error> {
        if judgements.is_empty() {
            return self.tables.meta.delete(write, &name_of(key)).map(drop);
        }
        let bytes = postcard::to_stdvec(judgements).map_err(error::record)?;
        self.tables.meta.put(write, &name_of(key), &bytes)
    }
}

impl Snapshot<'_> {
    /// Returns the judgements without a concept of the names under a lookup key, that of their normal form.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn judged_under(&self, key: Key) -> Result<Vec<Judgement>, Error> {
        Ok(self.tables.meta.get(&self.read, &name_of(key))?.map(parse).transpose()?.unwrap_or_default())
    }

    /// Returns the judgement of a name, however it is spelt; `None` if there is none.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn judgement(&self, name: &str) -> Result<Option<Judgement>, Error> {
        let (form, key) = (JudgedForm::of(name), NameKeys::of(&NormalizedName::new(name)).exact);
        let known = self.judged_under(key)?.into_iter().find(|judgement| JudgedForm::of(&judgement.name) == form);
        if known.is_some() {
            return Ok(known);
        }
        for number in self.names_under(key)? {
            let (concept, name) = self.name(number)?;
            if JudgedForm::of(name) == form
                && let Some(judgement) = self.judged_alias(concept, number)?
            {
                return Ok(Some(judgement));
            }
        }
        Ok(None)
    }

    /// Returns whether a name under a lookup key, that of its normal form, was judged to be a stop name.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn has_stop_name(&self, key: Key) -> Result<bool, Error> {
        Ok(self.judged_under(key)?.iter().any(|judgement| judgement.verdict == Verdict::StopName))
    }

    /// Returns all judgements without a concept.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn judged_without_concept(&self) -> Result<Vec<Judgement>, Error> {
        let mut all = Vec::new();
        for entry in self.tables.meta.prefix_iter(&self.read, META_JUDGED)? {
            all.extend(parse(entry?.1)?);
        }
        Ok(all)
    }

    /// Returns all judgements, by name.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn judgements(&self) -> Result<Vec<Judgement>, Error> {
        let mut all = self.judged_without_concept()?;
        for entry in ascending(self.tables.concepts.iter(&self.read)?) {
            let (concept, record) = entry?;
            for (number, source) in Record::parse(record)?.aliases() {
                if judged_on(source).is_some() {
                    all.extend(self.judged_alias(ConceptIndex(concept), number)?);
                }
            }
        }
        all.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(all)
    }

    /// Returns the judgement that an alias of a concept comes from; `None` if it comes from a vocabulary.
    fn judged_alias(&self, concept: ConceptIndex, number: NameIndex) -> Result<Option<Judgement>, Error> {
        let record = self.tables.record(&self.read, concept)?;
        let source = record.aliases().find(|(alias, _)| *alias == number).map(|(_, source)| source);
        let Some(date) = source.and_then(judged_on) else { return Ok(None) };
        let verdict = Verdict::Concept(record.id.parse()?);
        Ok(Some(Judgement { name: self.name(number)?.1.to_owned(), verdict, date }))
    }
}

fn name_of(key: Key) -> String {
    format!("{META_JUDGED}{:016x}", key.0)
}

fn parse(judgements: &[u8]) -> Result<Vec<Judgement>, Error> {
    postcard::from_bytes(judgements).map_err(error::record)
}
