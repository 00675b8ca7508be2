//! Proposes the names that are the query without its version, edition and platform.

use truename_text::{NameKeys, VersionedName};

use super::{Generation, names_under};
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
    for name in names_under(key, MAX_NAMES, scope, proposals)? {
        proposals.entry(scope.snapshot.name(name)?.0, name);
    }
    Ok(())
}
