//! Rankers and types of one version of a knowledge base.

use std::collections::BTreeSet;
use std::sync::Arc;

use truename_kb::Snapshot;

use crate::explain::Basis;
use crate::name_set::NameSet;
use crate::{Error, FeatureSet, KnowledgeBase, Ranker};

/// Rankers and types of one version of a knowledge base.
pub(super) struct Fitted {
    pub(super) version: u64,
    pub(super) ranker: Arc<Ranker>,
    /// Where `ranker` comes from.
    pub(super) basis: Basis,
    /// Lexical ranker, for names without vectors; the same as `ranker` if there is no encoder.
    pub(super) lexical: Arc<Ranker>,
    /// Names of the concepts that may be answered; `None` for all.
    pub(super) allowed: Option<NameSet>,
}

impl Fitted {
    pub(super) fn read(kb: &KnowledgeBase, snapshot: &Snapshot<'_>, types: &[String]) -> Result<Self, Error> {
        let fitted = |features: FeatureSet| {
            let own =
                snapshot.meta(features.meta_key())?.map(|bytes| Ranker::from_bytes(bytes, features)).transpose()?;
            Ok::<_, Error>(own.map_or_else(|| Ranker::standard(features), Arc::new))
        };
        let lexical = fitted(FeatureSet::Lexical)?;
        let ranker = if kb.encoder().is_some() { fitted(FeatureSet::Dense)? } else { Arc::clone(&lexical) };
        let features = FeatureSet::of_encoder(kb.encoder().is_some());
        let basis = if snapshot.meta(features.meta_key())?.is_some() { Basis::Fitted } else { Basis::Standard };
        let allowed = if types.is_empty() { None } else { Some(names_of_types(snapshot, types)?.0) };
        Ok(Self { version: snapshot.version(), ranker, basis, lexical, allowed })
    }
}

/// Refuses types that no concept has.
pub(super) fn check_types(snapshot: &Snapshot<'_>, types: &[String]) -> Result<(), Error> {
    if types.is_empty() {
        return Ok(());
    }
    let known = names_of_types(snapshot, types)?.1;
    match types.iter().find(|name| !known.contains(*name)) {
        Some(unknown) => Err(Error::unknown_type(unknown, known.into_iter().take(40).collect())),
        None => Ok(()),
    }
}

/// Returns the names of all concepts that have one of `types`, and all types in the knowledge base.
fn names_of_types(snapshot: &Snapshot<'_>, types: &[String]) -> Result<(NameSet, BTreeSet<String>), Error> {
    let (mut allowed, mut known) = (NameSet::default(), BTreeSet::new());
    for entry in snapshot.all_types()? {
        let (concept, found) = entry?;
        if types.iter().any(|name| found.contains(&name.as_str())) {
            snapshot.concept_names(concept)?.1.into_iter().for_each(|name| allowed.insert(name));
        }
        for name in found {
            if !known.contains(name) {
                known.insert(name.to_owned());
            }
        }
    }
    Ok((allowed, known))
}
