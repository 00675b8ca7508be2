//! Proposes names that share rare character n-grams with the query, whole or without its version or legal form.

use truename_index::{Rank, Search};
use truename_kb::NameIndex;
use truename_text::{LegalName, NormalizedName, VersionedName, grams};

use super::Generation;
use crate::Error;

/// Maximum number of proposed names; several may belong to one concept.
const MAX_NAMES: usize = 64;

/// Proposes names that share rare character n-grams with the query.
pub(super) fn shared_ngrams(Generation { query, scope, scratch, proposals }: Generation<'_, '_>) -> Result<(), Error> {
    let sees = |name: u32| scope.sees(NameIndex(name));
    let filtered = scope.allowed.is_some() || !scope.hidden.is_empty();
    let rank = scope.snapshot.name_order()?.map(|order| move |name| order.rank(NameIndex(name)));
    let search = Search {
        limit: MAX_NAMES,
        allowed: filtered.then_some(&sees),
        rank: rank.as_ref().map(|rank| rank as Rank<'_>),
        ..Search::default()
    };
    let read = scope.snapshot.transaction();
    let without_version = VersionedName::new(&query.written);
    // A version has rare n-grams, which names of other things with it share.
    let core = (!without_version.taken.is_empty()).then(|| grams(&without_version.core));
    let LegalName { core: company, form, .. } = LegalName::new(&query.written);
    let company = form.map(|_| grams(&NormalizedName::new(&company)));
    for grams in std::iter::once(query.grams()).chain(core).chain(company) {
        for hit in scope.indexes.ngrams.search(read, &grams, &search, scratch)? {
            let name = NameIndex(hit.name);
            let (concept, _) = scope.snapshot.name(name)?;
            let proposal = proposals.entry(concept, name);
            proposal.ngram = proposal.ngram.max(hit.score);
        }
    }
    Ok(())
}
