//! Proposes the names that are the query without its version, edition and platform.

use truename_text::{NameKeys, VersionedName};

use super::Generation;
use crate::Error;

/// Maximum number of names with the same core; a commoner core proposes none.
const MAX_NAMES: usize = 48;

/// Proposes the names that the query without its version is.
pub(super) fn without_version(Generation { query, scope, proposals, .. }: Generation<'_, '_>) -> Result<(), Error> {
    let name = VersionedName::new(&query.written);
    if name.taken.is_empty() {
        return Ok(());
    }
    let key = NameKeys::of(&name.core).exact;
    let names: Vec<_> = scope.snapshot.names_under(key)?.filter(|name| scope.sees(*name)).collect();
    if names.len() <= MAX_NAMES {
        for name in names {
            proposals.entry(scope.snapshot.name(name)?.0, name);
        }
    }
    Ok(())
}
