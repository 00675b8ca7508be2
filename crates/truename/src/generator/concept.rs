//! Proposes a concept that was found by other means than its names.

use std::cmp::Reverse;

use truename_kb::{ConceptIndex, NameIndex};
use truename_text::NameProfile;
use truename_text::similarity::common_letters;

use super::Scope;
use crate::Error;
use crate::proposal::Proposals;

/// Maximum number of proposed names.
const MAX_NAMES: usize = 4;

/// Adds the names of a concept that have the longest common subsequences with the query.
pub(crate) fn propose_concept(
    concept: ConceptIndex,
    query: &NameProfile,
    scope: &Scope<'_>,
    proposals: &mut Proposals,
) -> Result<(), Error> {
    let mut names: Vec<(usize, NameIndex)> = Vec::new();
    for name in scope.snapshot.concept_names(concept)?.1.into_iter().filter(|name| scope.sees(*name)) {
        let text = scope.snapshot.name(name)?.1.to_lowercase();
        names.push((common_letters(&text, query.normalized.as_str()), name));
    }
    names.sort_by_key(|(common, _)| Reverse(*common));
    for (_, name) in names.iter().take(MAX_NAMES) {
        proposals.entry(concept, *name);
    }
    Ok(())
}
