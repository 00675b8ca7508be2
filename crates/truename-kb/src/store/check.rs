//! Checks every record of a store.

use super::snapshot::Snapshot;
use super::tables::ascending;
use crate::{ConceptIndex, Error, NameIndex};

impl Snapshot<'_> {
    /// Reads every record, and compares records that must agree.
    ///
    /// Finds contradictions between records. A changed letter is found by [`Store::compare`](crate::Store::compare).
    ///
    /// # Errors
    /// [`Error::is_damaged`] if a record cannot be read or contradicts another.
    pub fn check(&self) -> Result<(), Error> {
        let (mut names, mut concepts) = (0u32, 0u32);
        for entry in self.names()? {
            entry?;
            names += 1;
        }
        for entry in ascending(self.tables.concepts.iter(self.transaction())?) {
            self.check_concept(ConceptIndex(entry?.0))?;
            concepts += 1;
        }
        let counts = self.counts();
        for (found, counted, what) in [(names, counts.names, "names"), (concepts, counts.concepts, "concepts")] {
            if found != counted {
                return Err(truename_storage::damaged(format!("it holds {found} {what} and counts {counted}")));
            }
        }
        self.check_keys()?;
        self.all_retired()?;
        self.judgements()?;
        self.forms().map(drop)
    }

    /// Follows a concept's id and names back to it.
    fn check_concept(&self, index: ConceptIndex) -> Result<(), Error> {
        let concept = self.concept(index)?;
        let is_filed = self.index_of(&concept.id)? == Some(index);
        let of_concept = |name| Ok(self.name(name)?.0 == index);
        let names: Vec<bool> =
            self.concept_names(index)?.1.into_iter().map(of_concept).collect::<Result<_, Error>>()?;
        if !is_filed || names.is_empty() || names.contains(&false) {
            return Err(truename_storage::damaged(format!("the id or a name of {} is of another concept", concept.id)));
        }
        Ok(())
    }

    /// Follows lookup keys to names.
    fn check_keys(&self) -> Result<(), Error> {
        for entry in ascending(self.tables.keys.iter(self.transaction())?) {
            let (key, value) = entry?;
            for number in value.chunks(4) {
                let number = number.try_into().ok().map(u32::from_le_bytes);
                let name = number.map(|number| self.find_name(NameIndex(number))).transpose()?.flatten();
                name.ok_or_else(|| truename_storage::damaged(format!("the lookup key {key:016x} is of no name")))?;
            }
        }
        ascending(self.tables.words.iter(self.transaction())?).try_for_each(|entry| entry.map(drop))
    }
}
