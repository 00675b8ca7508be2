//! Features of candidates, the input of the ranker.
//!
//! Each family of pair features is one file with a list of names and a function; another family is one more file and
//! one more row in [`FAMILIES`]. A concept's value is the maximum over its proposed names. Every value is also given
//! relative to the best other candidate of the same query: a similarity of 0.8 means one thing if the next best has 0.3
//! and another if it has 0.9.

mod acronym;
mod dense;
mod generators;
mod legal_form;
mod letters;
mod numbers;
mod set;
mod version;
mod word_memory;
mod words;

use std::sync::Arc;

use truename_kb::{ConceptIndex, NameIndex, Snapshot};
use truename_text::{NameProfile, NormalizedName, Token, VersionedName, each_word, has_part, stable_hash};

pub use set::FeatureSet;
pub(crate) use word_memory::WordMemory;

use self::dense::Cosines;
use self::legal_form::LegalQuery;
use self::word_memory::WordMap;
use crate::Error;
use crate::generator::Scope;
use crate::proposal::{Proposal, Proposals};

/// A query paired with one name of a candidate.
pub(crate) struct Pair<'a> {
    pub(crate) query: &'a NameProfile,
    pub(crate) name: &'a NameProfile,
    /// Words of the query without its version.
    pub(crate) core: &'a Core,
    /// Inverse document frequency of each word of the query.
    pub(crate) query_weights: &'a [f64],
    /// Inverse document frequency of each word of the name.
    pub(crate) name_weights: &'a [f64],
    pub(crate) proposal: Proposal,
}

/// A query with its version apart.
pub(crate) struct Core {
    pub(crate) name: VersionedName,
    /// Hash and inverse document frequency of each word of the core.
    pub(crate) words: Vec<(u64, f64)>,
    /// The same of the words that were taken for a version.
    pub(crate) taken: Vec<(u64, f64)>,
    /// The query with the first number alone of each version of several, and the weights of its words; `None` without such a
    /// version. A name with another number is compared with this: `Net/2` does not have the 2 of `net 7.2`.
    first_numbers: Option<(NameProfile, Vec<f64>)>,
}

impl Core {
    fn new(query: &NameProfile, snapshot: &Snapshot<'_>, weights: &mut WordWeights) -> Result<Self, Error> {
        let name = VersionedName::new(&query.written);
        let mut weighted = |words: &NormalizedName| -> Result<Vec<(u64, f64)>, Error> {
            let hashes: Vec<u64> = words.tokens().map(stable_hash).collect();
            let found = weights.of(hashes.iter().copied(), snapshot)?;
            Ok(hashes.into_iter().zip(found).collect())
        };
        let words = weighted(&name.core)?;
        let taken = weighted(&NormalizedName::new(&name.taken.join(" ")))?;
        let first_numbers = version::with_first_numbers(&query.written).map(|first| {
            let first = NameProfile::new(&first);
            weights.of_tokens(&first.tokens, snapshot).map(|weights| (first, weights))
        });
        Ok(Self { name, words, taken, first_numbers: first_numbers.transpose()? })
    }

    /// Returns 1 for a certain version or one without a number, 0.5 for a number that may belong to the name, 0 for none.
    fn certainty(&self) -> f32 {
        match &self.name {
            name if name.taken.is_empty() => 0.0,
            name if name.is_certain || name.version.is_empty() => 1.0,
            _ => 0.5,
        }
    }

    /// Returns the share of the weight of the core's words that are among the sorted hashes of a concept's words. A word of the version
    /// counts only where a name has it: a version that the concept does not list speaks neither for nor against it.
    fn share_in(&self, of_concept: &[u64]) -> f32 {
        let is_found = |hash: &u64| of_concept.binary_search(hash).is_ok();
        let sum = |words: &[(u64, f64)]| -> f64 {
            words.iter().filter(|(hash, _)| is_found(hash)).map(|(_, weight)| weight).sum()
        };
        let (found, taken) = (sum(&self.words), sum(&self.taken));
        let all: f64 = self.words.iter().map(|(_, weight)| weight).sum();
        if all + taken > 0.0 { ((found + taken) / (all + taken)) as f32 } else { 0.0 }
    }
}

type Measure = fn(&Pair<'_>, &mut Vec<f32>);

/// Names and functions of the pair features.
const FAMILIES: [(&[&str], Measure); 6] = [
    (generators::NAMES, generators::measure),
    (letters::NAMES, letters::measure),
    (words::NAMES, words::measure),
    (acronym::NAMES, acronym::measure),
    (numbers::NAMES, numbers::measure),
    (version::NAMES, version::measure),
];

/// Names of the features of a whole candidate.
const CONCEPT: [&str; 7] =
    ["names", "proposed", "mean-ngram", "preferred", "share-proposed", "names-with-part", "query-words-in-any-name"];
/// Names of the features of the query, equal for all its candidates.
const QUERY: [&str; 7] = ["letters", "words", "acronym-like", "numbers", "candidates", "rarest-known-word", "version"];

/// Maximum number of names of a concept that are compared in full.
const MAX_COMPARED_NAMES: usize = 4;
/// Weight of the vectors' cosine beside the sum of the other values when the best-fitting name is chosen.
const DENSE_WEIGHT: f32 = 4.0;

/// Returns the names of the features in the order of a row.
pub(crate) fn names(features: FeatureSet) -> Vec<String> {
    let pair = FAMILIES.iter().flat_map(|(names, _)| names.iter()).chain(&CONCEPT);
    let dense: &[&str] = match features {
        FeatureSet::Lexical => &[],
        FeatureSet::Dense => &dense::NAMES,
    };
    let absolute: Vec<String> = pair.chain(dense).map(|name| (*name).to_owned()).collect();
    let relative = absolute.iter().map(|name| format!("{name} beside the best other"));
    absolute.iter().cloned().chain(relative).chain(QUERY.map(str::to_owned)).collect()
}

/// A candidate concept with its features.
pub(crate) struct CandidateFeatures {
    pub(crate) concept: ConceptIndex,
    /// The best-fitting name.
    pub(crate) name: NameIndex,
    pub(crate) proposal: Proposal,
    /// Highest cosine over the names' vectors; `None` without an encoder.
    pub(crate) dense: Option<f32>,
    /// Values in the order of [`names`].
    pub(crate) row: Vec<f32>,
}

/// Inverse document frequencies of words in one store, each looked up once.
#[derive(Default)]
pub(crate) struct WordWeights {
    known: WordMap<f64>,
    /// `None` where each query sees other names.
    remembered: Option<Arc<WordMemory>>,
}

impl WordWeights {
    /// Creates weights that are read through what other threads read before.
    pub(crate) fn remembering(remembered: Arc<WordMemory>) -> Self {
        Self { remembered: Some(remembered), ..Self::default() }
    }

    /// Returns the inverse document frequency of each word, given its hash, computed as for n-grams.
    fn of(&mut self, words: impl Iterator<Item = u64>, snapshot: &Snapshot<'_>) -> Result<Vec<f64>, Error> {
        let total = 1.0 + f64::from(snapshot.weighed_names());
        words
            .map(|word| match self.known.get(&word) {
                Some(weight) => Ok(*weight),
                None => {
                    let read = || Ok((total / (1.0 + f64::from(snapshot.names_with_word(word)?))).ln() + 1.0);
                    let weight = match &self.remembered {
                        Some(remembered) => remembered.weight(word, read)?,
                        None => read()?,
                    };
                    self.known.insert(word, weight);
                    Ok(weight)
                }
            })
            .collect()
    }

    /// Returns the sorted hashes of the words of a concept's visible names.
    fn words_of(&self, concept: ConceptIndex, names: &[NameIndex], scope: &Scope<'_>) -> Result<Arc<[u64]>, Error> {
        let read = || {
            let mut words = Vec::new();
            for name in names {
                each_word(scope.snapshot.name(*name)?.1, |word| words.push(stable_hash(word)));
            }
            words.sort_unstable();
            words.dedup();
            Ok(words.into())
        };
        match &self.remembered {
            Some(remembered) => remembered.words(concept.0, read),
            None => read(),
        }
    }

    fn of_tokens(&mut self, tokens: &[Token], snapshot: &Snapshot<'_>) -> Result<Vec<f64>, Error> {
        self.of(tokens.iter().map(|token| token.hash), snapshot)
    }
}

/// Computes the features of all proposed concepts, sorted by id.
pub(crate) fn featurize(
    query: &NameProfile,
    proposals: &Proposals,
    scope: &Scope<'_>,
    weights: &mut WordWeights,
) -> Result<Vec<CandidateFeatures>, Error> {
    let legal = LegalQuery::new(query).among(proposals, scope)?;
    let query = legal.core();
    let query_weights = weights.of_tokens(&query.tokens, scope.snapshot)?;
    let core = Core::new(query, scope.snapshot, weights)?;
    let mut featured = Vec::with_capacity(proposals.len());
    for (concept, names) in proposals.iter() {
        featured.push(of_concept(&legal, &query_weights, &core, concept, names, scope, weights)?);
    }
    // Sums over the candidates follow this order, which an update of the store does not change.
    featured.sort_by_key(|(id, _)| *id);
    let mut featured: Vec<CandidateFeatures> = featured.into_iter().map(|(_, candidate)| candidate).collect();
    add_relative(&mut featured);
    let total = 1.0 + f64::from(scope.snapshot.weighed_names());
    let rarest_known = query_weights.iter().copied().filter(|weight| *weight < total.ln()).fold(0.0, f64::max);
    let of_query = [
        query.letters.len() as f32,
        query.tokens.len() as f32,
        f32::from(u8::from(query.looks_like_acronym())),
        query.numbers.len() as f32,
        featured.len() as f32,
        rarest_known as f32,
        core.certainty(),
    ];
    featured.iter_mut().for_each(|candidate| candidate.row.extend(of_query));
    Ok(featured)
}

fn of_concept<'a>(
    legal: &LegalQuery<'_>,
    query_weights: &[f64],
    core: &Core,
    concept: ConceptIndex,
    names: &[(NameIndex, Proposal)],
    scope: &Scope<'a>,
    weights: &mut WordWeights,
) -> Result<(&'a str, CandidateFeatures), Error> {
    let (id, mut all_names) = scope.snapshot.concept_names(concept)?;
    let preferred = all_names.first().copied();
    all_names.retain(|name| scope.sees(*name));
    let cosines = scope.dense.map(|dense| Cosines::of(&dense, &all_names)).transpose()?;
    let mut closest = names.to_vec();
    if let Some(cosines) = &cosines {
        closest.iter_mut().for_each(|(name, proposal)| proposal.dense = cosines.get(*name));
    }
    let closeness = |proposal: &Proposal| proposal.ngram + proposal.dense;
    closest
        .sort_by(|(_, left), (_, right)| right.key.cmp(&left.key).then(closeness(right).total_cmp(&closeness(left))));
    let mut row: Vec<f32> = Vec::new();
    let mut best: Option<(f32, NameIndex, Proposal)> = None;
    let mut with_part = 0.0;
    let mut ngrams: f32 = names.iter().map(|(_, proposal)| proposal.ngram).sum();
    for (name, proposal) in closest.iter().take(MAX_COMPARED_NAMES) {
        let written = *proposal;
        let (profile, proposal) = legal.compared(scope.snapshot.name(*name)?.1, written);
        ngrams += proposal.ngram - written.ngram;
        let name_weights = weights.of_tokens(&profile.tokens, scope.snapshot)?;
        let query = legal.core();
        let (query, query_weights) = match &core.first_numbers {
            Some((first, weights)) if version::numbers_conflict(&query.letters, &profile) => (first, &weights[..]),
            _ => (query, query_weights),
        };
        let pair = Pair { query, name: &profile, core, query_weights, name_weights: &name_weights, proposal };
        with_part += f32::from(u8::from(has_part(&profile.normalized, &query.normalized)));
        let mut values = Vec::with_capacity(64);
        FAMILIES.iter().for_each(|(_, measure)| measure(&pair, &mut values));
        // Values of one concept's names are of one kind, so a plain sum finds the name a reader would call the match.
        let letters: f32 =
            10.0 * f32::from(proposal.key as u8) + values.iter().filter(|value| **value <= 1.0).sum::<f32>();
        let fit = letters + DENSE_WEIGHT * proposal.dense;
        if best.is_none_or(|(known, ..)| fit > known) {
            best = Some((fit, *name, proposal));
        }
        if row.is_empty() {
            row = values;
        } else {
            row.iter_mut().zip(values).for_each(|(known, value)| *known = known.max(value));
        }
    }
    let visible = all_names.len().max(1) as f32;
    let preferred = preferred.is_some_and(|preferred| names.iter().any(|(name, _)| *name == preferred));
    row.extend([
        visible.ln(),
        names.len() as f32,
        ngrams / names.len() as f32,
        f32::from(u8::from(preferred)),
        names.len() as f32 / visible,
        with_part,
        core.share_in(&weights.words_of(concept, &all_names, scope)?),
    ]);
    if let Some(cosines) = &cosines {
        row.extend(cosines.features(names.iter().map(|(_, proposal)| proposal.ngram).fold(0.0, f32::max)));
    }
    let (_, name, proposal) = best.unwrap_or((0.0, NameIndex(0), Proposal::default()));
    Ok((id, CandidateFeatures { concept, name, proposal, dense: cosines.map(|cosines| cosines.best()), row }))
}

/// Appends to each row the difference of each value to the best value of the other candidates.
fn add_relative(featured: &mut [CandidateFeatures]) {
    let width = featured.first().map_or(0, |candidate| candidate.row.len());
    for feature in 0..width {
        // The two largest values give the best other value of every candidate.
        let (mut first, mut second) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
        for value in featured.iter().map(|candidate| candidate.row[feature]) {
            if value > first {
                (first, second) = (value, first);
            } else if value > second {
                second = value;
            }
        }
        for candidate in featured.iter_mut() {
            let value = candidate.row[feature];
            let other = if value == first { second } else { first };
            candidate.row.push(if other.is_finite() { value - other } else { value });
        }
    }
}
