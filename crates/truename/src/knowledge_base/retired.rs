//! Ids that are no longer in use.

use truename_kb::{ConceptId, RetiredId};

use super::KnowledgeBase;
use crate::Error;

impl KnowledgeBase {
    /// Returns what became of an id that is no longer in use; `None` where nothing is known of it.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn retired(&self, id: &ConceptId) -> Result<Option<RetiredId>, Error> {
        self.store.snapshot()?.retired(id)
    }

    /// Returns the id of the concept that an id stands for now: the id itself, or the one that replaces it. `None` where there is no
    /// such concept, or where several share its place.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn current_id(&self, id: &ConceptId) -> Result<Option<ConceptId>, Error> {
        self.store.snapshot()?.current(id)
    }

    /// Returns all ids that are no longer in use, in their order.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn all_retired(&self) -> Result<Vec<RetiredId>, Error> {
        self.store.snapshot()?.all_retired()
    }
}
