//! Proposes names that share a lookup key with the query: normal form, variant or acronym.

use truename_kb::initials_key;
use truename_text::{Key, KeyMatch, NameKeys, NameProfile, NormalizedName, Rotation};

use super::{Generation, Scope};
use crate::Error;
use crate::proposal::Proposals;

/// Maximum number of names with the same acronym; a commoner acronym proposes none.
const MAX_ACRONYM_NAMES: usize = 48;

/// Proposes names that share a lookup key with the query.
pub(super) fn lookup_keys(Generation { query, scope, proposals, .. }: Generation<'_, '_>) -> Result<(), Error> {
    if query.normalized.is_empty() {
        return Ok(());
    }
    let keys = query.keys();
    for key in keys.filed() {
        file(key, usize::MAX, query, scope, proposals)?;
    }
    if query.tokens.len() == 1 {
        file(initials_key(keys.exact), MAX_ACRONYM_NAMES, query, scope, proposals)?;
    }
    if let Some(initials) = keys.initials.filter(|_| query.tokens.len() > 1) {
        file(initials, MAX_ACRONYM_NAMES, query, scope, proposals)?;
    }
    Ok(())
}

/// Returns the closest kind of key that a query and a name share; none for mirror images.
pub(crate) fn meeting(query: &NameProfile, keys: &NameKeys, name: &str) -> KeyMatch {
    match (Rotation::of(&query.written), Rotation::of(name)) {
        (Some(one), Some(other)) if one != other => KeyMatch::None,
        _ => keys.meet(&NameKeys::of(&NormalizedName::new(name))),
    }
}

fn file(key: Key, most: usize, query: &NameProfile, scope: &Scope<'_>, proposals: &mut Proposals) -> Result<(), Error> {
    let names: Vec<_> = scope.snapshot.names_under(key)?.filter(|name| scope.sees(*name)).collect();
    if names.len() > most {
        return Ok(());
    }
    let (rotation, keys) = (Rotation::of(&query.written), query.keys());
    let mut met = Vec::with_capacity(names.len());
    for name in names {
        let (concept, text) = scope.snapshot.name(name)?;
        met.push((concept, name, meeting(query, &keys, text), Rotation::of(text) == rotation));
    }
    // The name with the sign of the query, or with none where the query has none, settles it.
    let is_settled = met.iter().any(|(.., meeting, is_same)| *meeting == KeyMatch::Exact && *is_same);
    for (concept, name, meeting, is_same) in met {
        let meeting = if is_settled && !is_same { meeting.min(KeyMatch::Variant) } else { meeting };
        // Keys are hashes and may collide, so the names are compared; names that differ are left to other generators.
        if meeting != KeyMatch::None {
            proposals.entry(concept, name).key = meeting;
        }
    }
    Ok(())
}
