//! Candidate generators: each proposes names of the knowledge base for a query.
//!
//! A further generator is one file here with a function like those below, and a field of
//! [`Proposal`](crate::candidate::Proposal) for its score.

mod dense;
mod key;
mod ngram;
mod typo;

use truename_index::SearchScratch;
use truename_kb::{NameIndex, Snapshot};
use truename_text::NameProfile;

use crate::Error;
use crate::candidate::Proposals;
use crate::knowledge_base::Indexes;

pub(crate) use dense::{Dense, nearest};

/// Where to look, and what not to see there.
pub(crate) struct Scope<'a> {
    pub(crate) snapshot: &'a Snapshot<'a>,
    pub(crate) indexes: &'a Indexes,
    /// Names that count as absent: a name is held out to see how it would be linked without it.
    pub(crate) hidden: &'a [NameIndex],
    /// Names that may be answered, where not all may.
    pub(crate) allowed: Option<&'a NameSet>,
    /// The query's vector, where there is an encoder.
    pub(crate) dense: Option<Dense<'a>>,
}

impl Scope<'_> {
    pub(crate) fn sees(&self, name: NameIndex) -> bool {
        !self.hidden.contains(&name) && self.allowed.is_none_or(|allowed| allowed.contains(name))
    }
}

/// A set of names, one bit each.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameSet(Vec<u64>);

impl NameSet {
    pub(crate) fn insert(&mut self, NameIndex(name): NameIndex) {
        let word = name as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (name % 64);
    }

    pub(crate) fn contains(&self, NameIndex(name): NameIndex) -> bool {
        self.0.get(name as usize / 64).is_some_and(|word| word >> (name % 64) & 1 == 1)
    }
}

/// Proposals of the exact generator alone: fast, and enough where one concept has the very name.
pub(crate) fn propose_exact(query: &NameProfile, scope: &Scope<'_>) -> Result<Proposals, Error> {
    let mut proposals = Proposals::default();
    key::propose(query, scope, &mut proposals)?;
    Ok(proposals)
}

/// Adds the proposals of all other generators.
pub(crate) fn propose_near(
    query: &NameProfile,
    scope: &Scope<'_>,
    scratch: &mut SearchScratch,
    proposals: &mut Proposals,
) -> Result<(), Error> {
    typo::propose(query, scope, proposals)?;
    dense::propose(query, scope, proposals)?;
    ngram::propose(query, scope, scratch, proposals)
}
