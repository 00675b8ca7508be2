//! Short names one edit away, which may share no n-gram with the query.

use std::collections::BTreeSet;

use truename_kb::deletion_key;
use truename_text::{Key, NameProfile};

use super::Scope;
use crate::Error;
use crate::candidate::Proposals;

/// Where more names than this are one edit away, the letters do not tell which is meant.
const MOST_NAMES: usize = 96;

pub(super) fn propose(query: &NameProfile, scope: &Scope<'_>, proposals: &mut Proposals) -> Result<(), Error> {
    let deletions = Key::deletions(&query.normalized);
    let mut names = BTreeSet::new();
    // A letter changed, or changed over; one too many in the query; one too few.
    let changed = deletions.iter().map(|key| deletion_key(*key));
    for key in changed.chain(deletions.iter().copied()).chain([deletion_key(query.keys.exact)]) {
        names.extend(scope.snapshot.names_under(key)?.filter(|name| scope.sees(*name)));
    }
    for name in names.into_iter().take(MOST_NAMES) {
        let (concept, _) = scope.snapshot.name(name)?;
        proposals.entry(concept, name);
    }
    Ok(())
}
