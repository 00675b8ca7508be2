//! Proposes names that share a lookup key with the query: normal form, variant or acronym.

use truename_kb::initials_key;
use truename_text::{Key, KeyMatch, NameKeys, NormalizedName};

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
    let keys = &query.keys();
    for key in keys.filed() {
        file(key, usize::MAX, keys, scope, proposals)?;
    }
    if query.tokens.len() == 1 {
        file(initials_key(keys.exact), MAX_ACRONYM_NAMES, keys, scope, proposals)?;
    }
    if let Some(initials) = keys.initials.filter(|_| query.tokens.len() > 1) {
        file(initials, MAX_ACRONYM_NAMES, keys, scope, proposals)?;
    }
    Ok(())
}

fn file(key: Key, most: usize, query: &NameKeys, scope: &Scope<'_>, proposals: &mut Proposals) -> Result<(), Error> {
    let names: Vec<_> = scope.snapshot.names_under(key)?.filter(|name| scope.sees(*name)).collect();
    if names.len() > most {
        return Ok(());
    }
    for name in names {
        let (concept, text) = scope.snapshot.name(name)?;
        let meeting = query.meet(&NameKeys::of(&NormalizedName::new(text)));
        // Keys are hashes and may collide, so the names are compared; names that differ are left to other generators.
        if meeting != KeyMatch::None {
            proposals.entry(concept, name).key = meeting;
        }
    }
    Ok(())
}
