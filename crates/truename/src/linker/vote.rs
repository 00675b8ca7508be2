//! The nearest names vote for their concepts.

use std::collections::HashMap;

use truename_kb::{ConceptIndex, NameIndex};

use crate::Error;
use crate::generator::{Dense, Scope};

/// Returns each concept's share of the cosines of the nearest names (NSEEN, section 5: the nearest neighbours are labelled softly).
pub(super) fn shares(dense: &Dense<'_>, names: usize, scope: &Scope<'_>) -> Result<HashMap<ConceptIndex, f64>, Error> {
    let (mut shares, mut sum) = (HashMap::new(), 0.0);
    let hits = dense.hits.iter().filter(|hit| scope.sees(NameIndex(hit.name)));
    for hit in hits.take(names) {
        let weight = f64::from(hit.score.max(0.0));
        *shares.entry(scope.snapshot.name(NameIndex(hit.name))?.0).or_insert(0.0) += weight;
        sum += weight;
    }
    if sum > 0.0 {
        shares.values_mut().for_each(|share| *share /= sum);
    }
    Ok(shares)
}
