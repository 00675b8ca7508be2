//! Statistics of a knowledge base.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;
use truename_kb::Snapshot;
use truename_text::{NameKeys, NormalizedName};

use super::KnowledgeBase;
use super::import::{Provenance, read_provenance};
use super::models::AttachedModel;
use super::vector_sets::{ENCODER, EncoderRecord, VectorSets};
use crate::{Error, FeatureSet};

/// Statistics of a knowledge base.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Info {
    /// Fingerprint ([`KnowledgeBase::fingerprint`]); `None` where the checksums are not those of the last commit.
    pub fingerprint: Option<String>,
    /// Number of concepts.
    pub concepts: u32,
    /// Number of names.
    pub names: u32,
    /// Mean number of names a concept.
    pub names_per_concept: f64,
    /// Largest number of names of a concept, with the concept's id.
    pub most_names: Option<(usize, String)>,
    /// Number of concepts with a single name.
    pub single_name_concepts: u32,
    /// Number of concepts by their number of names.
    pub name_counts: BTreeMap<usize, u32>,
    /// Number of names that repeat a normal form within their concept.
    pub duplicate_names: u32,
    /// Number of normal forms that several concepts share.
    pub ambiguous_names: u32,
    /// Examples of shared names, each with the ids of its concepts.
    pub ambiguous_examples: Vec<(String, Vec<String>)>,
    /// Number of concepts by type.
    pub types: BTreeMap<String, u32>,
    /// Number of names by the outside vocabulary that gave them.
    pub aliases: BTreeMap<String, u32>,
    /// Files it was made from.
    pub provenance: Vec<Provenance>,
    /// True if `calibrate` fitted a lexical ranker to it.
    pub calibrated: bool,
    /// Vectors of its names; `None` if it has none.
    pub vectors: Option<VectorInfo>,
    /// Models in its folder.
    pub models: Vec<AttachedModel>,
    /// Size of its file in bytes.
    pub bytes: u64,
    /// Bytes of the file that updates left unused; [`KnowledgeBase::compact`] frees them.
    pub unused_bytes: u64,
}

/// Vectors of a knowledge base's names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VectorInfo {
    /// Number of names with a vector.
    pub names: u64,
    /// Encoder that made the vectors.
    pub encoder: EncoderRecord,
    /// True if `calibrate` fitted a ranker with the vectors.
    pub calibrated: bool,
    /// Unfinished vectors of a new encoder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextVectors>,
}

/// Vectors that replace the current ones once every name has one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NextVectors {
    /// Number of names with a vector.
    pub names: u64,
    /// Encoder that makes the vectors.
    pub encoder: EncoderRecord,
}

/// Maximum number of shared names listed in [`Info`].
const MAX_AMBIGUOUS_EXAMPLES: usize = 5;

impl KnowledgeBase {
    /// Returns statistics of the knowledge base.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn info(&self) -> Result<Info, Error> {
        let snapshot = self.store.snapshot()?;
        let counts = snapshot.counts();
        let (mut types, mut name_counts, mut most) = (BTreeMap::new(), BTreeMap::new(), None::<(usize, String)>);
        let (mut duplicates, mut aliases) = (0, BTreeMap::new());
        let mut by_form: HashMap<u64, Vec<u32>> = HashMap::new();
        for (concept, number) in snapshot.concepts()?.zip(0u32..) {
            let concept = concept?;
            for name in &concept.types {
                *types.entry(name.clone()).or_insert(0) += 1;
            }
            for alias in &concept.aliases {
                *aliases.entry(alias.source.clone()).or_insert(0) += 1;
            }
            let names = concept.name_count();
            *name_counts.entry(names).or_insert(0) += 1;
            if most.as_ref().is_none_or(|(known, _)| names > *known) {
                most = Some((names, concept.id.to_string()));
            }
            let forms: HashSet<u64> =
                concept.names().map(|name| NameKeys::of(&NormalizedName::new(name)).exact.0).collect();
            duplicates += (names - forms.len()) as u32;
            for form in forms {
                by_form.entry(form).or_default().push(number);
            }
        }
        by_form.retain(|_, concepts| concepts.len() > 1);
        let (bytes, unused_bytes) = self.store.size()?;
        Ok(Info {
            fingerprint: self.fingerprint().ok(),
            bytes,
            unused_bytes,
            concepts: counts.concepts,
            names: counts.names,
            names_per_concept: f64::from(counts.names) / f64::from(counts.concepts.max(1)),
            most_names: most,
            single_name_concepts: name_counts.get(&1).copied().unwrap_or_default(),
            name_counts,
            duplicate_names: duplicates,
            ambiguous_names: by_form.len() as u32,
            ambiguous_examples: ambiguous_examples(&snapshot, &by_form)?,
            types,
            aliases,
            provenance: read_provenance(&snapshot)?,
            calibrated: snapshot.meta(FeatureSet::Lexical.meta_key())?.is_some(),
            vectors: self.vector_info(&snapshot)?,
            models: self.models()?,
        })
    }

    fn vector_info(&self, snapshot: &Snapshot<'_>) -> Result<Option<VectorInfo>, Error> {
        let sets = VectorSets::read(snapshot)?.named(ENCODER);
        let Some(current) = sets.current else { return Ok(None) };
        let next = match sets.next {
            Some(set) => Some(NextVectors { names: self.count_of(&set, snapshot)?, encoder: set.encoder }),
            None => None,
        };
        Ok(Some(VectorInfo {
            names: self.count_of(&current, snapshot)?,
            encoder: current.encoder,
            calibrated: snapshot.meta(FeatureSet::Dense.meta_key())?.is_some(),
            next,
        }))
    }
}

fn ambiguous_examples(
    snapshot: &Snapshot<'_>,
    by_form: &HashMap<u64, Vec<u32>>,
) -> Result<Vec<(String, Vec<String>)>, Error> {
    let mut shared: Vec<(&u64, usize)> = by_form.iter().map(|(form, concepts)| (form, concepts.len())).collect();
    shared.sort_by_key(|(form, concepts)| (std::cmp::Reverse(*concepts), **form));
    let mut examples = Vec::new();
    for (form, _) in shared.into_iter().take(MAX_AMBIGUOUS_EXAMPLES) {
        let (mut text, mut ids) = (String::new(), Vec::new());
        for name in snapshot.names_under(truename_text::Key(*form))? {
            let (concept, name) = snapshot.name(name)?;
            if NameKeys::of(&NormalizedName::new(name)).exact.0 == *form {
                name.clone_into(&mut text);
                ids.push(snapshot.concept_names(concept)?.0.to_owned());
            }
        }
        ids.sort();
        ids.dedup();
        examples.push((text, ids));
    }
    Ok(examples)
}
