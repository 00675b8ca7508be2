//! Candidate generators: each proposes names of the knowledge base for a query.
//!
//! Another generator is a [`Generator`] in a file here, one row in [`NEAR`], and a field of
//! [`Proposal`](crate::proposal::Proposal) for its score.
//!
//! Their candidates are united: names under a lookup key (the same normal form; plural and spelling; word order;
//! initials), names that differ in the legal form of a company, short names one edit away, names that share rare n-grams and, with an encoder, those with the nearest
//! vectors. With an encoder the other generators stay on, because a typo defeats an encoder. Where exactly one
//! concept has the very name, that settles it, and a caller that wants one candidate gets it without a search.

mod concept;
mod dense;
mod key;
mod legal_form;
mod ngram;
mod typo;
mod without_version;

use truename_index::SearchScratch;
use truename_kb::{NameIndex, Snapshot};
use truename_text::{Key, NameProfile};

use crate::Error;
use crate::indexes::Indexes;
use crate::name_set::NameSet;
use crate::proposal::Proposals;

pub(crate) use concept::propose_concept;
pub(crate) use dense::{Dense, nearest};
pub(crate) use key::KeyQuery;

/// Proposes names of the knowledge base for a query.
///
/// Implementations propose only names in the scope, and none for a query without letters and digits. The same query and
/// scope give the same proposals in the same order.
type Generator = fn(Generation<'_, '_>) -> Result<(), Error>;

/// A query with the names that may be proposed for it, and those that are.
struct Generation<'a, 's> {
    query: &'a NameProfile,
    scope: &'a Scope<'s>,
    scratch: &'a mut SearchScratch,
    proposals: &'a mut Proposals,
}

/// The exact generator, sufficient if a single concept has the exact name.
const EXACT: Generator = key::lookup_keys;
/// The other generators, in the order in which they propose.
const NEAR: [Generator; 6] = [
    without_version::without_version,
    legal_form::other_spelling,
    legal_form::initials,
    typo::one_edit,
    dense::nearest_vectors,
    ngram::shared_ngrams,
];

/// The names that generators may propose.
pub(crate) struct Scope<'a> {
    pub(crate) snapshot: &'a Snapshot<'a>,
    pub(crate) indexes: &'a Indexes,
    /// Held-out names; they count as absent from the knowledge base.
    pub(crate) hidden: &'a [NameIndex],
    /// Names that may be answered; `None` for all.
    pub(crate) allowed: Option<&'a NameSet>,
    /// The query's vector with its nearest names; `None` without an encoder.
    pub(crate) dense: Option<Dense<'a>>,
}

impl Scope<'_> {
    /// Returns whether a name may be proposed.
    pub(crate) fn sees(&self, name: NameIndex) -> bool {
        !self.hidden.contains(&name) && self.allowed.is_none_or(|allowed| allowed.contains(name))
    }
}

/// Returns the names under a lookup key; none where there are more than `most`, which say nothing. Of these `most` and one are marked as
/// seen, so that a knowledge base of what was seen has more than `most` of them too.
fn names_under(key: Key, most: usize, scope: &Scope<'_>, proposals: &mut Proposals) -> Result<Vec<NameIndex>, Error> {
    let names: Vec<NameIndex> = scope.snapshot.names_under(key)?.filter(|name| scope.sees(*name)).collect();
    if names.len() <= most {
        return Ok(names);
    }
    proposals.crowd.extend(&names[..=most]);
    Ok(Vec::new())
}

/// Returns the proposals of the exact generator alone.
pub(crate) fn propose_exact(query: &NameProfile, scope: &Scope<'_>) -> Result<Proposals, Error> {
    let mut proposals = Proposals::default();
    EXACT(Generation { query, scope, scratch: &mut SearchScratch::default(), proposals: &mut proposals })?;
    Ok(proposals)
}

/// Adds the proposals of all other generators.
pub(crate) fn propose_near(
    query: &NameProfile,
    scope: &Scope<'_>,
    scratch: &mut SearchScratch,
    proposals: &mut Proposals,
) -> Result<(), Error> {
    NEAR.iter().try_for_each(|generator| generator(Generation { query, scope, scratch, proposals }))
}

#[cfg(test)]
mod tests;
