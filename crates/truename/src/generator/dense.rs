//! Proposes the names with the nearest vectors.

use truename_index::{Hit, Rank, VectorReader, VectorScratch, VectorSearch};
use truename_kb::{NameIndex, Snapshot};

use super::{Generation, NameSet, Scope};
use crate::Error;
use crate::proposal::Proposals;

/// Maximum number of proposed names; several may belong to one concept.
const MAX_NAMES: usize = 32;

/// The query's vector with its nearest names.
#[derive(Clone, Copy)]
pub(crate) struct Dense<'a> {
    pub(crate) reader: &'a VectorReader<'a>,
    pub(crate) vector: &'a [f32],
    /// Nearest names, best first; more than are proposed, since some may be hidden.
    pub(crate) hits: &'a [Hit],
    /// True if every name is known to have a vector.
    pub(crate) is_complete: bool,
}

impl Dense<'_> {
    /// Returns whether all names of all proposed concepts have a vector.
    pub(crate) fn covers(&self, proposals: &Proposals, scope: &Scope<'_>) -> Result<bool, Error> {
        if self.is_complete {
            return Ok(true);
        }
        for (concept, _) in proposals.iter() {
            let (_, names) = scope.snapshot.concept_names(concept)?;
            if !names.into_iter().all(|name| self.reader.contains(name.0)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Searches for the names nearest to each vector, in one pass over the store. Returns `hidden` more than are proposed,
/// since so many may be hidden.
pub(crate) fn nearest(
    reader: &VectorReader<'_>,
    snapshot: &Snapshot<'_>,
    vectors: &[&[f32]],
    allowed: Option<&NameSet>,
    hidden: usize,
) -> Result<Vec<Vec<Hit>>, Error> {
    let sees = allowed.map(|allowed| |name: u32| allowed.contains(NameIndex(name)));
    let rank = snapshot.name_order()?.map(|order| move |name| order.rank(NameIndex(name)));
    let search = VectorSearch {
        limit: MAX_NAMES + hidden,
        allowed: sees.as_ref().map(|sees| sees as &(dyn Fn(u32) -> bool + Sync)),
        rank: rank.as_ref().map(|rank| rank as Rank<'_>),
        ..VectorSearch::default()
    };
    reader.search(vectors, &search, &mut VectorScratch::default())
}

/// Proposes the names with the nearest vectors.
pub(super) fn nearest_vectors(Generation { query, scope, proposals, .. }: Generation<'_, '_>) -> Result<(), Error> {
    // A text without letters is no name, even if it has a vector.
    let Some(dense) = scope.dense.filter(|_| !query.normalized.is_empty()) else { return Ok(()) };
    let names = dense.hits.iter().map(|hit| NameIndex(hit.name));
    for name in names.filter(|name| scope.sees(*name)).take(MAX_NAMES) {
        proposals.entry(scope.snapshot.name(name)?.0, name);
    }
    Ok(())
}
