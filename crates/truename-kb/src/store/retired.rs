//! Ids that are no longer in use.

use truename_storage::WriteTransaction;

use super::Store;
use super::snapshot::Snapshot;
use super::tables::META_RETIRED;
use crate::retired::current;
use crate::{ConceptId, Error, RetiredId, error};

impl Store {
    /// Stores what became of ids, in place of what was known of them.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn put_retired(&self, write: &mut WriteTransaction<'_>, retired: &[RetiredId]) -> Result<(), Error> {
        for RetiredId { id, replaced_by, consider } in retired {
            let ids = postcard::to_stdvec(&(replaced_by, consider)).map_err(error::record)?;
            self.tables.meta.put(write, &name_of(id), &ids)?;
        }
        Ok(())
    }
}

impl Snapshot<'_> {
    /// Returns what became of an id that is no longer in use; `None` where nothing is known of it.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn retired(&self, id: &ConceptId) -> Result<Option<RetiredId>, Error> {
        self.tables.meta.get(&self.read, &name_of(id))?.map(|ids| parse(id.clone(), ids)).transpose()
    }

    /// Returns the id of the concept that an id stands for now: the id itself, or that at the end of the chain of ids that
    /// replace it one by one. `None` where there is no such concept.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn current(&self, id: &ConceptId) -> Result<Option<ConceptId>, Error> {
        current(id, |id| Ok(self.index_of(id)?.is_some()), |id| self.retired(id))
    }

    /// Returns all ids that are no longer in use, in their order.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn all_retired(&self) -> Result<Vec<RetiredId>, Error> {
        let mut all = Vec::new();
        for entry in self.tables.meta.prefix_iter(&self.read, META_RETIRED)? {
            let (name, ids) = entry?;
            let id = name.strip_prefix(META_RETIRED).unwrap_or_default().parse::<ConceptId>();
            let id = id.map_err(|_| truename_storage::damaged("a retired id is no id"))?;
            // An update may have brought the concept back.
            if self.index_of(&id)?.is_none() {
                all.push(parse(id, ids)?);
            }
        }
        Ok(all)
    }
}

fn name_of(id: &ConceptId) -> String {
    format!("{META_RETIRED}{id}")
}

fn parse(id: ConceptId, ids: &[u8]) -> Result<RetiredId, Error> {
    let (replaced_by, consider) = postcard::from_bytes(ids).map_err(error::record)?;
    Ok(RetiredId { id, replaced_by, consider })
}
