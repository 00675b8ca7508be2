//! Names filed under a lookup key of the query: the same normal form, a variant of it, its acronym.

use truename_index::SearchScratch;
use truename_kb::initials_key;
use truename_text::{Key, KeyMatch, NameKeys, NameProfile, NormalizedName};

use super::{Generator, Scope};
use crate::Error;
use crate::proposal::Proposals;

/// An acronym shared by more names than this says nothing.
const MOST_ACRONYMS: usize = 48;

/// Names filed under a lookup key of the query.
pub(super) struct LookupKeys;

impl Generator for LookupKeys {
    fn propose(
        &self,
        query: &NameProfile,
        scope: &Scope<'_>,
        _: &mut SearchScratch,
        proposals: &mut Proposals,
    ) -> Result<(), Error> {
        if query.normalized.is_empty() {
            return Ok(());
        }
        for key in query.keys.filed() {
            file(key, usize::MAX, query, scope, proposals)?;
        }
        if query.tokens.len() == 1 {
            file(initials_key(query.keys.exact), MOST_ACRONYMS, query, scope, proposals)?;
        }
        if let Some(initials) = query.keys.initials.filter(|_| query.tokens.len() > 1) {
            file(initials, MOST_ACRONYMS, query, scope, proposals)?;
        }
        Ok(())
    }
}

fn file(key: Key, most: usize, query: &NameProfile, scope: &Scope<'_>, proposals: &mut Proposals) -> Result<(), Error> {
    let names: Vec<_> = scope.snapshot.names_under(key)?.filter(|name| scope.sees(*name)).collect();
    if names.len() > most {
        return Ok(());
    }
    for name in names {
        let (concept, text) = scope.snapshot.name(name)?;
        let meeting = query.keys.meet(&NameKeys::of(&NormalizedName::new(text)));
        // Hashes of different forms may collide; a name that does not really meet is left to the others.
        if meeting != KeyMatch::None {
            proposals.entry(concept, name).key = meeting;
        }
    }
    Ok(())
}
