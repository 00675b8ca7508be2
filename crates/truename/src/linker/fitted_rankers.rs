//! Rankers and names of one version of a knowledge base.

use std::sync::Arc;

use truename_kb::Snapshot;

use crate::explain::Basis;
use crate::feature::WordMemory;
use crate::name_filter::NameFilter;
use crate::name_set::NameSet;
use crate::{Error, FeatureSet, KnowledgeBase, LinkOptions, Ranker};

/// Rankers and names of one version of a knowledge base.
pub(super) struct FittedRankers {
    pub(super) version: u64,
    pub(super) ranker: Arc<Ranker>,
    /// Probability below which NIL is the better decision, by `ranker`.
    pub(super) threshold: f64,
    /// Where `ranker` comes from.
    pub(super) basis: Basis,
    /// Lexical ranker, for names without vectors; the same as `ranker` if there is no encoder.
    pub(super) lexical: Arc<Ranker>,
    /// Names that may be answered; `None` for all.
    pub(super) allowed: Option<NameSet>,
    /// Words of these names, read once.
    pub(super) remembered: Arc<WordMemory>,
}

impl FittedRankers {
    pub(super) fn read(kb: &KnowledgeBase, snapshot: &Snapshot<'_>, options: &LinkOptions) -> Result<Self, Error> {
        let fitted = |features: FeatureSet| {
            let own =
                snapshot.meta(features.meta_key())?.map(|bytes| Ranker::from_bytes(bytes, features)).transpose()?;
            Ok::<_, Error>(own.map_or_else(|| Ranker::standard(features), Arc::new))
        };
        let lexical = fitted(FeatureSet::Lexical)?;
        let ranker = if kb.encoder()?.is_some() { fitted(FeatureSet::Dense)? } else { Arc::clone(&lexical) };
        let features = FeatureSet::of_encoder(kb.encoder()?.is_some());
        let basis = if snapshot.meta(features.meta_key())?.is_some() { Basis::Fitted } else { Basis::Standard };
        let allowed = NameFilter::new(options).names(snapshot)?;
        let threshold = ranker.threshold(options.nil_share);
        Ok(Self { version: snapshot.version(), ranker, threshold, basis, lexical, allowed, remembered: Arc::default() })
    }
}
