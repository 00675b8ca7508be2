//! Snapshots: one committed state of a store, read without copies.

use std::sync::atomic::Ordering::Relaxed;

use truename_storage::{ReadTransaction, Transaction};
use truename_text::Key;

use super::counts::Counts;
use super::forms::Forms;
use super::name_order::NameOrder;
use super::record::{Record, parse_name};
use super::tables::{META_RANKS, Tables, ascending, each_u32};
use crate::environment::SharedEnvironment;
use crate::{Concept, ConceptId, ConceptIndex, Error, NameIndex, SynonymScope, error};

/// A committed state of a store.
pub struct Snapshot<'store> {
    pub(super) environment: &'store SharedEnvironment,
    pub(super) tables: Tables,
    pub(super) read: ReadTransaction<'store>,
    pub(super) counts: Counts,
    pub(super) weighed_names: u32,
}

impl Snapshot<'_> {
    /// Returns the transaction, for the indexes of the same store.
    pub fn transaction(&self) -> &ReadTransaction<'_> {
        &self.read
    }

    /// Returns the number of the transaction that committed this state; later states have higher numbers.
    pub fn version(&self) -> u64 {
        self.read.id() as u64
    }

    /// Returns the numbers of concepts and names.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns a fact stored under a name.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn meta(&self, name: &str) -> Result<Option<&[u8]>, Error> {
        self.tables.meta.get(&self.read, name)
    }

    /// Returns the number of the concept with an id.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn index_of(&self, id: &ConceptId) -> Result<Option<ConceptIndex>, Error> {
        Ok(self.tables.ids.get(&self.read, id.as_str())?.map(ConceptIndex))
    }

    /// Returns the whole concept with an id.
    ///
    /// # Errors
    /// [`Error::is_not_found`] if there is none.
    pub fn concept_by_id(&self, id: &ConceptId) -> Result<Concept, Error> {
        let index = self.index_of(id)?.ok_or_else(|| error::unknown_concept(id.as_str()))?;
        self.concept(index)
    }

    /// Returns the whole concept with a number of this store.
    ///
    /// # Errors
    /// If the number is of another store, or the storage fails.
    pub fn concept(&self, index: ConceptIndex) -> Result<Concept, Error> {
        self.tables.concept(&self.read, index)
    }

    /// Returns the names that outside vocabularies give a concept, with the vocabularies.
    ///
    /// # Errors
    /// As [`Snapshot::concept`].
    pub fn aliases(&self, index: ConceptIndex) -> Result<Vec<(NameIndex, &str)>, Error> {
        Ok(self.tables.record(&self.read, index)?.aliases().collect())
    }

    /// Returns the synonyms of a concept that do not mean exactly it, with their scopes.
    ///
    /// # Errors
    /// As [`Snapshot::concept`].
    pub fn scopes(&self, index: ConceptIndex) -> Result<Vec<(NameIndex, SynonymScope)>, Error> {
        Ok(self.tables.record(&self.read, index)?.scopes().collect())
    }

    /// Returns the id and the name numbers of a concept, the preferred name first.
    ///
    /// # Errors
    /// As [`Snapshot::concept`].
    pub fn concept_names(&self, index: ConceptIndex) -> Result<(&str, Vec<NameIndex>), Error> {
        let record = self.tables.record(&self.read, index)?;
        Ok((record.id, record.names.into_iter().map(NameIndex).collect()))
    }

    /// Returns the types of a concept.
    ///
    /// # Errors
    /// As [`Snapshot::concept`].
    pub fn concept_types(&self, index: ConceptIndex) -> Result<Vec<&str>, Error> {
        Ok(self.tables.record(&self.read, index)?.types)
    }

    /// Returns all concepts, by id.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn concepts(&self) -> Result<impl Iterator<Item = Result<Concept, Error>> + '_, Error> {
        let entries = ascending(self.tables.ids.iter(&self.read)?);
        Ok(entries.map(|entry| self.tables.concept(&self.read, ConceptIndex(entry?.1))))
    }

    /// Returns at most about `count` concepts, evenly spaced by id.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn sample(&self, count: usize) -> Result<Vec<Concept>, Error> {
        let step = (self.counts.concepts as usize).div_ceil(count.max(1)).max(1);
        let entries = ascending(self.tables.ids.iter(&self.read)?).step_by(step);
        entries.map(|entry| self.tables.concept(&self.read, ConceptIndex(entry?.1))).collect()
    }

    /// Returns the concepts from a number on, by number.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn concepts_from(
        &self,
        first: ConceptIndex,
    ) -> Result<impl Iterator<Item = Result<(ConceptIndex, Concept), Error>> + '_, Error> {
        let entries = ascending(self.tables.concepts.range(&self.read, first.0..)?);
        Ok(entries.map(|entry| {
            let number = ConceptIndex(entry?.0);
            Ok((number, self.tables.concept(&self.read, number)?))
        }))
    }

    /// Returns all concept numbers with their types.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn all_types(&self) -> Result<impl Iterator<Item = Result<(ConceptIndex, Vec<&str>), Error>> + '_, Error> {
        let entries = ascending(self.tables.concepts.iter(&self.read)?);
        Ok(entries.map(|entry| {
            let (number, bytes) = entry?;
            Ok((ConceptIndex(number), Record::parse(bytes)?.types))
        }))
    }

    /// Returns the number that the next new name gets; those of all names are below it.
    ///
    /// # Errors
    /// [`Error::is_damaged`] if the count that is stored is not that of the names; or if the storage fails.
    pub fn next_name(&self) -> Result<NameIndex, Error> {
        self.tables.next_name(&self.read).map(NameIndex)
    }

    /// Returns a name and the number of its concept.
    ///
    /// # Errors
    /// If the number is of another store, or the storage fails.
    pub fn name(&self, index: NameIndex) -> Result<(ConceptIndex, &str), Error> {
        self.tables.name(&self.read, index)
    }

    /// Returns a name and the number of its concept; none where the store has no such name, or no longer.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn find_name(&self, index: NameIndex) -> Result<Option<(ConceptIndex, &str)>, Error> {
        self.tables.names.get(&self.read, &index.0)?.map(parse_name).transpose()
    }

    /// Returns all names with their numbers and concepts, by number.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn names(&self) -> Result<impl Iterator<Item = Result<(NameIndex, ConceptIndex, &str), Error>> + '_, Error> {
        self.names_from(NameIndex(0))
    }

    /// Returns the names from a number on.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn names_from(
        &self,
        first: NameIndex,
    ) -> Result<impl Iterator<Item = Result<(NameIndex, ConceptIndex, &str), Error>> + '_, Error> {
        let entries = ascending(self.tables.names.range(&self.read, first.0..)?);
        Ok(entries.map(|entry| {
            let (number, bytes) = entry?;
            let (concept, name) = parse_name(bytes)?;
            Ok((NameIndex(number), concept, name))
        }))
    }

    /// Returns the names filed under a lookup key, in the order of [`NameOrder`].
    ///
    /// # Errors
    /// If the storage fails.
    pub fn names_under(&self, key: Key) -> Result<impl Iterator<Item = NameIndex> + '_, Error> {
        let numbers = self.tables.keys.get(&self.read, &key.0)?.unwrap_or_default();
        Ok(each_u32(numbers).map(NameIndex))
    }

    /// Returns the order of the names; none where their numbers are the order, as after an import.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn name_order(&self) -> Result<Option<NameOrder<'_>>, Error> {
        Ok(self.tables.meta.get(&self.read, META_RANKS)?.map(NameOrder))
    }

    /// Returns the forms of names in texts.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn forms(&self) -> Result<Forms<'_>, Error> {
        let forms = self.tables.forms.read(&self.read)?;
        // A walk along damaged ones would panic.
        if self.environment.forms_verified.load(Relaxed) != self.read.id() {
            forms.verify()?;
            self.environment.forms_verified.store(self.read.id(), Relaxed);
        }
        Ok(forms)
    }
}
