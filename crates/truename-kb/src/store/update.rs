//! Updates of a store in place, in one transaction; replaced concepts keep their numbers.

use std::cmp::Ordering;

use truename_storage::WriteTransaction;
use truename_text::NormalizedName;

use super::Store;
use super::counts::Counts;
use super::filed::{distinct_words, filed_keys};
use super::name_order::{OrderKey, updated_ranks};
use super::record::{Record, encode_name};
use super::tables::{META_RANKS, each_u32};
use crate::{Concept, ConceptId, ConceptIndex, Error, NameIndex};

/// Changes made by [`Store::apply`], with the names that indexes must add and remove.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct StoreChanges {
    /// Concepts that were not there before.
    pub added: u32,
    /// Concepts that were there and differ now.
    pub changed: u32,
    /// Concepts that are gone.
    pub removed: u32,
    /// Ids that were to be removed and were not there.
    pub missing: Vec<ConceptId>,
    /// Concepts that are gone or differ now.
    pub old_concepts: Vec<ConceptIndex>,
    /// Names that are gone.
    pub old_names: Vec<(NameIndex, String)>,
    /// Names that are new.
    pub new_names: Vec<(NameIndex, String)>,
    /// Number that the next new name gets; those of all names are below it.
    pub next_name: NameIndex,
}

/// State of an update.
struct Update {
    counts: Counts,
    applied: StoreChanges,
    /// New names with their places in the order of names.
    placed: Vec<(OrderKey, u32)>,
}

fn damaged_counts() -> Error {
    truename_storage::damaged("it counts fewer names or concepts than it has")
}

impl Store {
    /// Adds or replaces concepts and removes others, in place.
    ///
    /// A concept that stays the same is left alone. Replaced concepts keep their number. No two of `concepts` have one id.
    ///
    /// # Errors
    /// If the storage fails; drop the transaction then.
    pub fn apply(
        &self,
        write: &mut WriteTransaction<'_>,
        concepts: Vec<Concept>,
        removed: &[ConceptId],
    ) -> Result<StoreChanges, Error> {
        // Refuses a count that is not of the names.
        self.tables.next_name(write)?;
        let counts = self.tables.counts(write)?;
        let mut update = Update { counts, applied: StoreChanges::default(), placed: Vec::new() };
        for id in removed {
            self.remove_concept(write, id, &mut update)?;
        }
        for concept in &concepts {
            self.put_concept(write, concept, &mut update)?;
        }
        let Update { mut counts, mut applied, placed } = update;
        applied.next_name = NameIndex(counts.next_name);
        let names =
            (u64::from(counts.names) + applied.new_names.len() as u64).checked_sub(applied.old_names.len() as u64);
        counts.names = names.and_then(|names| u32::try_from(names).ok()).ok_or_else(damaged_counts)?;
        self.tables.put_counts(write, counts)?;
        if !applied.old_names.is_empty() || !placed.is_empty() {
            let ranks = self.put_ranks(write, &applied.old_names, placed, counts.next_name)?;
            for (number, name) in &applied.new_names {
                self.file_name(write, *number, name, &ranks)?;
            }
            self.tables.forms.update(write, &applied.old_names, &applied.new_names)?;
        }
        Ok(applied)
    }

    fn remove_concept(
        &self,
        write: &mut WriteTransaction<'_>,
        id: &ConceptId,
        update: &mut Update,
    ) -> Result<(), Error> {
        let Some(number) = self.tables.ids.get(write, id.as_str())? else {
            update.applied.missing.push(id.clone());
            return Ok(());
        };
        self.drop_names(write, number, &mut update.applied)?;
        update.applied.old_concepts.push(ConceptIndex(number));
        self.tables.concepts.delete(write, &number)?;
        self.tables.ids.delete(write, id.as_str())?;
        update.counts.concepts = update.counts.concepts.checked_sub(1).ok_or_else(damaged_counts)?;
        update.applied.removed += 1;
        Ok(())
    }

    fn put_concept(
        &self,
        write: &mut WriteTransaction<'_>,
        concept: &Concept,
        update: &mut Update,
    ) -> Result<(), Error> {
        let Update { counts, applied, .. } = update;
        let number = match self.tables.ids.get(write, concept.id.as_str())? {
            Some(number) => {
                let known = self.tables.concept(write, ConceptIndex(number))?;
                if known == *concept {
                    return Ok(());
                }
                applied.changed += 1;
                applied.old_concepts.push(ConceptIndex(number));
                if known.names().eq(concept.names()) {
                    let names = self.tables.record(write, ConceptIndex(number))?.names;
                    return self.tables.concepts.put(write, &number, &Record::encode(concept, names)?);
                }
                self.drop_names(write, number, applied)?;
                number
            }
            None => {
                applied.added += 1;
                counts.concepts += 1;
                counts.next_concept += 1;
                counts.next_concept - 1
            }
        };
        let names = self.put_names(write, concept, number, update)?;
        self.tables.ids.put(write, concept.id.as_str(), &number)?;
        self.tables.concepts.put(write, &number, &Record::encode(concept, names)?)
    }

    /// Stores the names of a concept, and returns their numbers.
    fn put_names(
        &self,
        write: &mut WriteTransaction<'_>,
        concept: &Concept,
        number: u32,
        update: &mut Update,
    ) -> Result<Vec<u32>, Error> {
        let first = update.counts.next_name;
        for (name_number, (place, name)) in (first..).zip(concept.names().enumerate()) {
            self.tables.names.put(write, &name_number, &encode_name(ConceptIndex(number), name))?;
            let key = OrderKey { length: name.chars().count(), concept: concept.id.as_str().to_owned(), place };
            update.placed.push((key, name_number));
            update.applied.new_names.push((NameIndex(name_number), name.to_owned()));
            update.counts.next_name = name_number + 1;
        }
        Ok((first..update.counts.next_name).collect())
    }

    /// Stores the order of the names after a change, and returns the rank of each number.
    fn put_ranks(
        &self,
        write: &mut WriteTransaction<'_>,
        gone: &[(NameIndex, String)],
        new: Vec<(OrderKey, u32)>,
        next_name: u32,
    ) -> Result<Vec<u32>, Error> {
        let stored = self.tables.meta.get(write, META_RANKS)?;
        let is_before = |name, key: &OrderKey| {
            let (concept, text) = self.tables.name(write, name)?;
            Ok(match text.chars().count().cmp(&key.length) {
                // A concept's names come and go together, so that the key is of another one.
                Ordering::Equal => self.tables.record(write, concept)?.id < key.concept.as_str(),
                length => length.is_lt(),
            })
        };
        let ranks = updated_ranks(stored, gone.iter().map(|(name, _)| *name), new, next_name, is_before)?;
        let bytes: Vec<u8> = ranks.iter().flat_map(|rank| rank.to_le_bytes()).collect();
        self.tables.meta.put(write, META_RANKS, &bytes)?;
        Ok(ranks)
    }

    /// Files a name under its keys and words.
    fn file_name(
        &self,
        write: &mut WriteTransaction<'_>,
        number: NameIndex,
        name: &str,
        ranks: &[u32],
    ) -> Result<(), Error> {
        let rank = |number: u32| ranks.get(number as usize);
        let normalized = NormalizedName::new(name);
        for key in filed_keys(&normalized) {
            let mut numbers: Vec<u32> = each_u32(self.tables.keys.get(write, &key.0)?.unwrap_or_default()).collect();
            numbers.insert(numbers.partition_point(|other| rank(*other) < rank(number.0)), number.0);
            let numbers: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
            self.tables.keys.put(write, &key.0, &numbers)?;
        }
        for word in distinct_words(&normalized) {
            let count = self.tables.words.get(write, &word)?.unwrap_or_default();
            self.tables.words.put(write, &word, &(count + 1))?;
        }
        Ok(())
    }

    fn drop_names(
        &self,
        write: &mut WriteTransaction<'_>,
        concept: u32,
        applied: &mut StoreChanges,
    ) -> Result<(), Error> {
        let numbers = self.tables.record(write, ConceptIndex(concept))?.names;
        for number in numbers {
            let name = self.tables.name(write, NameIndex(number))?.1.to_owned();
            let normalized = NormalizedName::new(&name);
            for key in filed_keys(&normalized) {
                let numbers = self.tables.keys.get(write, &key.0)?.unwrap_or_default();
                let kept: Vec<u8> = each_u32(numbers).filter(|n| *n != number).flat_map(u32::to_le_bytes).collect();
                if kept.is_empty() {
                    self.tables.keys.delete(write, &key.0)?;
                } else {
                    self.tables.keys.put(write, &key.0, &kept)?;
                }
            }
            for word in distinct_words(&normalized) {
                match self.tables.words.get(write, &word)? {
                    Some(count) if count > 1 => self.tables.words.put(write, &word, &(count - 1))?,
                    _ => {
                        self.tables.words.delete(write, &word)?;
                    }
                }
            }
            self.tables.names.delete(write, &number)?;
            applied.old_names.push((NameIndex(number), name));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_is_too_large_allocates_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(folder.path()).unwrap();
        let concept = |id: &str, name: &str| Concept::new(id.parse().unwrap(), name);
        let mut write = store.write().unwrap();
        store.fill(&mut write, vec![concept("A:1", "one"), concept("A:2", "two")]).unwrap();
        let counts = store.tables.counts(&write).unwrap();
        let apply = |write: &mut WriteTransaction<'_>| {
            store.apply(write, vec![concept("A:3", "three")], &["A:1".parse().unwrap()])
        };
        for counts in [
            Counts { next_name: u32::MAX - 1, ..counts },
            Counts { next_name: 0, ..counts },
            Counts { concepts: 0, ..counts },
        ] {
            store.tables.put_counts(&mut write, counts).unwrap();
            assert!(apply(&mut write).unwrap_err().is_damaged(), "{counts:?}");
        }
    }
}
