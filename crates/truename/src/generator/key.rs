//! Proposes names that share a lookup key with the query: normal form, variant or acronym.

use truename_kb::{ConceptIndex, NameIndex, initials_key};
use truename_text::{
    Key, KeyMatch, NameKeys, NameProfile, NormalizedName, Rotation, differ_in_minus, have_same_digit_groups,
    is_negative,
};

use super::{Generation, Scope, names_under};
use crate::Error;
use crate::proposal::Proposals;

/// Maximum number of names with the same acronym; a commoner acronym proposes none.
const MAX_ACRONYM_NAMES: usize = 48;

/// Proposes names that share a lookup key with the query.
pub(super) fn lookup_keys(Generation { query, scope, proposals, .. }: Generation<'_, '_>) -> Result<(), Error> {
    if query.normalized.is_empty() {
        return Ok(());
    }
    let tokens = query.tokens.len();
    let query = &KeyQuery::of(query);
    for key in query.keys.filed() {
        file(key, usize::MAX, query, scope, proposals)?;
    }
    if tokens == 1 {
        file(initials_key(query.keys.exact), MAX_ACRONYM_NAMES, query, scope, proposals)?;
    }
    if let Some(initials) = query.keys.initials.filter(|_| tokens > 1) {
        file(initials, MAX_ACRONYM_NAMES, query, scope, proposals)?;
    }
    Ok(())
}

/// The lookup keys of a query, and the signs that its normal form lacks.
pub(crate) struct KeyQuery<'a> {
    written: &'a str,
    pub(crate) keys: NameKeys,
    rotation: Option<Rotation>,
    is_negative: bool,
}

impl<'a> KeyQuery<'a> {
    pub(crate) fn of(query: &'a NameProfile) -> Self {
        let NameProfile { written, .. } = query;
        Self { written, keys: query.keys(), rotation: Rotation::of(written), is_negative: is_negative(written) }
    }

    /// Returns the closest kind of key that the query and a name share; none for mirror images and numbers such as `1.5` and `15`.
    /// Where one alone has a minus, they are variants at most.
    pub(crate) fn meeting(&self, name: &str) -> KeyMatch {
        match (self.rotation, Rotation::of(name)) {
            (Some(one), Some(other)) if one != other => KeyMatch::None,
            _ if !have_same_digit_groups(self.written, name) => KeyMatch::None,
            _ if differ_in_minus(self.written, name) => self.keys_meeting(name).min(KeyMatch::Variant),
            _ => self.keys_meeting(name),
        }
    }

    fn keys_meeting(&self, name: &str) -> KeyMatch {
        self.keys.meet(&NameKeys::of(&NormalizedName::new(name)))
    }

    fn has_signs_of(&self, name: &str) -> bool {
        self.rotation == Rotation::of(name) && self.is_negative == is_negative(name)
    }
}

/// Returns whether a name means exactly its concept, and is no broader, narrower or related synonym.
fn is_exact(concept: ConceptIndex, name: NameIndex, scope: &Scope<'_>) -> Result<bool, Error> {
    Ok(!scope.snapshot.scopes(concept)?.iter().any(|(scoped, _)| *scoped == name))
}

fn file(
    key: Key,
    most: usize,
    query: &KeyQuery<'_>,
    scope: &Scope<'_>,
    proposals: &mut Proposals,
) -> Result<(), Error> {
    let names = names_under(key, most, scope, proposals)?;
    let is_shared = names.len() > 1;
    let mut met = Vec::with_capacity(names.len());
    for name in names {
        let (concept, text) = scope.snapshot.name(name)?;
        let meeting = query.meeting(text);
        let is_exact = is_shared && meeting == KeyMatch::Exact && is_exact(concept, name, scope)?;
        met.push((concept, name, meeting, (query.has_signs_of(text), is_exact)));
    }
    // A name with the signs of the query, or with none where the query has none, settles it; of these one that means exactly its concept.
    let exact = met.iter().filter(|(.., meeting, _)| *meeting == KeyMatch::Exact);
    let closest = exact.map(|(.., closeness)| *closeness).max();
    for (concept, name, meeting, closeness) in met {
        let meeting = if Some(closeness) < closest { meeting.min(KeyMatch::Variant) } else { meeting };
        // Keys are hashes and may collide, so the names are compared; names that differ are left to other generators.
        if meeting != KeyMatch::None {
            proposals.entry(concept, name).key = meeting;
        }
    }
    Ok(())
}
