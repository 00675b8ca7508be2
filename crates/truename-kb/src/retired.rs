//! Ids that are no longer in use, and the chain of ids that replace them.

use serde::{Deserialize, Serialize};

use crate::ConceptId;

/// Longest chain of replacements that is followed.
const MAX_STEPS: usize = 32;

/// An id that is no longer in use, with what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetiredId {
    /// The id.
    pub id: ConceptId,
    /// Ids that stand for the same thing now; several where the concept was split.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced_by: Vec<ConceptId>,
    /// Ids that may be meant instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consider: Vec<ConceptId>,
}

impl RetiredId {
    /// Returns a retired id that nothing replaces.
    pub fn new(id: ConceptId) -> Self {
        Self { id, replaced_by: Vec::new(), consider: Vec::new() }
    }

    /// Returns the retired id as a line of JSON, which an import reads.
    pub fn as_removal(&self) -> Removal<'_> {
        Removal { retired: self, removed: true }
    }

    /// Returns the only id that replaces this one, if there is one.
    pub fn replacement(&self) -> Option<&ConceptId> {
        if let [only] = &self.replaced_by[..] { Some(only) } else { None }
    }
}

/// A retired id as JSON: `{"id": "X:1", "replaced_by": ["X:2"], "removed": true}`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Removal<'a> {
    #[serde(flatten)]
    retired: &'a RetiredId,
    removed: bool,
}

/// Returns the concept at the end of the chain of replacements that begins with an id: the id itself if it is a concept's.
pub(crate) fn current<E>(
    id: &ConceptId,
    is_concept: impl Fn(&ConceptId) -> Result<bool, E>,
    retired: impl Fn(&ConceptId) -> Result<Option<RetiredId>, E>,
) -> Result<Option<ConceptId>, E> {
    let mut id = id.clone();
    for _ in 0..MAX_STEPS {
        if is_concept(&id)? {
            return Ok(Some(id));
        }
        match retired(&id)?.as_ref().and_then(RetiredId::replacement) {
            Some(next) => id = next.clone(),
            None => break,
        }
    }
    Ok(None)
}
