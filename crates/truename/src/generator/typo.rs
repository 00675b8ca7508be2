//! Proposes short names one edit away, which may share no n-gram with the query.

use std::collections::BTreeSet;

use truename_kb::deletion_key;
use truename_text::similarity::edits;
use truename_text::{Key, NameProfile};

use super::Generation;
use crate::Error;

/// Maximum number of proposed names, nearest first; names that share a deletion may be two edits apart.
const MAX_NAMES: usize = 96;

/// Proposes short names one edit away.
pub(super) fn one_edit(Generation { query, scope, proposals, .. }: Generation<'_, '_>) -> Result<(), Error> {
    let deletions = Key::deletions(&query.normalized);
    let mut names = BTreeSet::new();
    // A changed or transposed letter; one letter too many in the query; one too few.
    let changed = deletions.iter().map(|key| deletion_key(*key));
    for key in changed.chain(deletions.iter().copied()).chain([deletion_key(query.keys().exact)]) {
        names.extend(scope.snapshot.names_under(key)?.filter(|name| scope.sees(*name)));
    }
    let mut nearest = Vec::with_capacity(names.len());
    let order = scope.snapshot.name_order()?;
    for name in names {
        let (concept, text) = scope.snapshot.name(name)?;
        let rank = order.map_or(name.0, |order| order.rank(name));
        nearest.push((edits(query, &NameProfile::new(text)), rank, name, concept));
    }
    nearest.sort_unstable();
    for (.., name, concept) in nearest.into_iter().take(MAX_NAMES) {
        proposals.entry(concept, name);
    }
    Ok(())
}
