//! Rankers, names and judgements of one version of a knowledge base.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use truename_kb::{Date, JudgedForm, Judgement, Snapshot, Verdict};

use crate::explain::Basis;
use crate::feature::WordMemory;
use crate::name_filter::NameFilter;
use crate::name_set::NameSet;
use crate::{Error, FeatureSet, KnowledgeBase, LinkOptions, Ranker, StopNames};

/// Rankers, names and judgements of one version of a knowledge base.
pub(super) struct FittedRankers {
    pub(super) version: u64,
    pub(super) ranker: Arc<Ranker>,
    /// Where `ranker` comes from.
    pub(super) basis: Basis,
    /// Lexical ranker, for names without vectors; the same as `ranker` if there is no encoder.
    pub(super) lexical: Arc<Ranker>,
    /// Names that may be answered; `None` for all.
    pub(super) allowed: Option<NameSet>,
    /// Names judged to be no mentions.
    pub(super) stop_names: StopNames,
    /// Names judged NIL, with the days.
    pub(super) judged_nil: HashMap<JudgedForm, Date>,
    /// Types of concepts in lower case, once they were asked for.
    pub(super) types: OnceLock<HashSet<String>>,
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
        let (mut stop_names, mut judged_nil) = (Vec::new(), HashMap::new());
        for Judgement { name, verdict, date } in snapshot.judged_without_concept()? {
            match verdict {
                Verdict::StopName => stop_names.push(name),
                _ => drop(judged_nil.insert(JudgedForm::of(&name), date)),
            }
        }
        let (version, stop_names) = (snapshot.version(), StopNames::new(stop_names));
        let (types, remembered) = (OnceLock::new(), Arc::default());
        Ok(Self { version, ranker, basis, lexical, allowed, stop_names, judged_nil, types, remembered })
    }
}
