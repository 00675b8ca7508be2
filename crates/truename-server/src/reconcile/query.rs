//! Queries of both versions.

use std::sync::Arc;

use serde::Serialize;
use truename::{Candidate, Concept, ConceptId, Link};

use super::property::{Named, Property};
use crate::base::{Base, NameOptions};
use crate::budget::HeldMemory;
use crate::failure::Failure;
use crate::state::{Shared, State, read_base};
use crate::work::Deadline;
use axum::http::StatusCode;

/// Number of candidates where a query does not say.
const CANDIDATES: usize = 5;
/// Most candidates of a query.
const MOST_CANDIDATES: usize = 100;
/// Most candidates of all queries of a batch, and values of all their conditions.
const MOST_OF_BATCH: usize = 10_000;
/// Bytes of a candidate as it is written.
const CANDIDATE_BYTES: usize = 2 << 10;
/// Number of times that queries are answered anew because the knowledge base changed meanwhile.
const TRIES: usize = 16;
/// Longest description of a concept in characters.
const DESCRIPTION: usize = 200;

/// A query for concepts.
#[derive(Default)]
pub(super) struct Query {
    /// Not blank.
    pub name: Option<String>,
    pub types: Vec<String>,
    pub strictness: Strictness,
    pub limit: Option<usize>,
    pub conditions: Vec<Condition>,
}

/// Which types a candidate has, where a query has several.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Strictness {
    #[default]
    Any,
    All,
    /// Candidates with one of the types come first, and others are no match.
    Should,
}

/// A value that candidates should have.
pub(super) struct Condition {
    /// `None` for a property that concepts do not have.
    pub property: Option<Property>,
    pub values: Vec<String>,
    pub quantifier: Quantifier,
    pub is_required: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    Any,
    All,
    None,
}

/// A candidate, as clients take it.
#[derive(Serialize)]
pub(super) struct Found {
    pub id: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(rename = "type")]
    pub types: Vec<Named>,
    /// From 0 to 100.
    pub score: f64,
    #[serde(rename = "match")]
    pub is_match: bool,
    pub features: Vec<Feature>,
}

/// Evidence for a candidate.
#[derive(Serialize)]
pub(super) struct Feature {
    pub id: &'static str,
    /// Version 0.2 has no names of features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
    pub value: Evidence,
}

/// Value of a feature.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Evidence {
    Number(f64),
    Flag(bool),
}

impl Feature {
    fn new(id: &'static str, name: &'static str, value: Evidence) -> Self {
        Self { id, name: Some(name), value }
    }
}

/// The candidates of a query, or why it has none.
pub(super) type Answered = Result<Vec<Found>, String>;

/// Answers each query of a batch that could be read. The candidates take `memory` until it is dropped.
///
/// # Errors
/// If no query could be read, or they ask for too much.
pub(super) async fn answer(
    state: &Shared,
    base: &Arc<Base>,
    read: Vec<Result<Query, String>>,
    holding: &HeldMemory,
) -> Result<Vec<Answered>, Failure> {
    if let Some(Err(error)) = read.first().filter(|_| read.iter().all(Result::is_err)) {
        return Err(Failure::request(error.clone()));
    }
    let (mut queries, mut faults) = (Vec::with_capacity(read.len()), Vec::with_capacity(read.len()));
    for query in read {
        faults.push(query.as_ref().err().cloned());
        queries.extend(query);
    }
    let candidates: usize = queries.iter().map(Query::limit).sum();
    let values: usize = queries.iter().flat_map(|query| &query.conditions).map(|of| of.values.len().max(1)).sum();
    if candidates > MOST_OF_BATCH || values > MOST_OF_BATCH {
        let message = format!(
            "the queries ask for {candidates} candidates by {values} values of properties; a batch may have {MOST_OF_BATCH} of each"
        );
        return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message).hint("send smaller batches"));
    }
    holding.keep(state.answers.take(candidates * CANDIDATE_BYTES).await);
    let mut found = find(state, base, queries.into()).await?.into_iter();
    let answered = |fault: Option<String>| fault.map_or_else(|| Ok(found.next().unwrap_or_default()), Err);
    Ok(faults.into_iter().map(answered).collect())
}

/// Returns the candidates of each query, all from one version of the knowledge base unless it changes all the time.
async fn find(state: &Shared, base: &Arc<Base>, queries: Arc<[Query]>) -> Result<Vec<Vec<Found>>, Failure> {
    let queries = &queries;
    for _ in 0..TRIES {
        let version = version(base).await?;
        let found = find_once(state, base, queries).await;
        if self::version(base).await? == version {
            return found;
        }
    }
    find_once(state, base, queries).await
}

async fn version(base: &Arc<Base>) -> Result<u64, Failure> {
    read_base(Arc::clone(base), |base| base.kb.version()).await
}

async fn find_once(state: &Shared, base: &Arc<Base>, queries: &Arc<[Query]>) -> Result<Vec<Vec<Found>>, Failure> {
    let known = read_base(Arc::clone(base), |base| base.catalogue()).await?.type_names();
    let options: Vec<Option<NameOptions>> = queries.iter().map(|query| query.name_options(&known)).collect();
    let links = linked(state, base, queries, &options).await?;
    let untyped: Vec<Option<NameOptions>> = queries.iter().map(Query::untyped_options).collect();
    let others = linked(state, base, queries, &untyped).await?;
    let deadline = Deadline::after(state.options.timeout);
    let (state, queries) = (Arc::clone(state), Arc::clone(queries));
    read_base(Arc::clone(base), move |base| {
        let mut found = Vec::with_capacity(queries.len());
        for ((query, link), others) in queries.iter().zip(links).zip(others) {
            found.push(query.candidates(&state, base, link, others, deadline)?);
        }
        Ok::<_, Failure>(found)
    })
    .await
}

/// Links the names of queries; those with the same options together.
async fn linked(
    state: &State,
    base: &Arc<Base>,
    queries: &[Query],
    options: &[Option<NameOptions>],
) -> Result<Vec<Option<Arc<Link>>>, Failure> {
    let mut links: Vec<Option<Arc<Link>>> = vec![None; queries.len()];
    let mut groups: Vec<(&NameOptions, Vec<usize>)> = Vec::new();
    for (at, options) in options.iter().enumerate() {
        let Some(options) = options.as_ref() else { continue };
        match groups.iter_mut().find(|(of, _)| *of == options) {
            Some((_, group)) => group.push(at),
            None => groups.push((options, vec![at])),
        }
    }
    for (options, group) in groups {
        let names = group.iter().filter_map(|at| queries[*at].name.clone()).collect();
        let answers = state.names.ask(Arc::clone(base), options.clone(), names).await?;
        for (at, link) in group.into_iter().zip(answers) {
            links[at] = Some(link);
        }
    }
    Ok(links)
}

impl Query {
    fn limit(&self) -> usize {
        self.limit.unwrap_or(CANDIDATES).clamp(1, MOST_CANDIDATES)
    }

    /// Returns the options by which the name is linked; `None` if there is no name, or no concept can be an answer.
    fn name_options(&self, known: &[String]) -> Option<NameOptions> {
        self.name.as_ref()?;
        let types: Vec<String> = self.types.iter().filter(|kind| known.contains(kind)).cloned().collect();
        let is_impossible = types.is_empty() && !self.types.is_empty();
        let lacks_one = self.strictness == Strictness::All && types.len() < self.types.len();
        if is_impossible || lacks_one {
            return None;
        }
        // Conditions and types take some candidates away.
        let more = if self.conditions.is_empty() && self.strictness != Strictness::All { 1 } else { 4 };
        Some(NameOptions { top: (self.limit() * more).clamp(2, MOST_CANDIDATES), types, ..NameOptions::default() })
    }

    /// Returns the options by which the name is linked to concepts of other types too; `None` if it is not.
    fn untyped_options(&self) -> Option<NameOptions> {
        let is_asked = self.strictness == Strictness::Should && !self.types.is_empty();
        self.name.as_ref().filter(|_| is_asked)?;
        Some(NameOptions { top: self.limit().max(2), ..NameOptions::default() })
    }

    /// Returns the candidates, the best first. `others` may have other types.
    fn candidates(
        &self,
        state: &State,
        base: &Base,
        link: Option<Arc<Link>>,
        others: Option<Arc<Link>>,
        deadline: Deadline,
    ) -> Result<Vec<Found>, Failure> {
        let mut found: Vec<Found> = Vec::new();
        let by_id = self.name.as_deref().and_then(|name| name.parse::<ConceptId>().ok());
        if let Some(concept) = by_id.and_then(|id| base.kb.concept(&id).ok()) {
            found.extend(self.judged(base, &concept, 100.0, None, deadline)?);
        }
        let has_id = !found.is_empty();
        if let Some(link) = &link {
            for candidate in &link.candidates {
                let Some(concept) = still_there(base, &candidate.id)? else { continue };
                if !found.iter().any(|found| found.id == concept.id.as_str()) {
                    found.extend(self.judged(
                        base,
                        &concept,
                        100.0 * candidate.probability,
                        Some(candidate),
                        deadline,
                    )?);
                }
            }
        } else if self.name.is_none() {
            for id in self.proposed(base)? {
                let Some(concept) = still_there(base, &id)? else { continue };
                found.extend(self.judged(base, &concept, 100.0, None, deadline)?);
            }
        }
        found.sort_by(|left, right| right.score.total_cmp(&left.score).then_with(|| left.id.cmp(&right.id)));
        let second = found.get(1).map_or(0.0, |next| next.score);
        if let Some(best) = found.first_mut() {
            let (probability, gap) = (best.score / 100.0, (best.score - second) / 100.0);
            let is_sure = probability >= state.options.match_probability && gap >= state.options.match_gap;
            let is_nil = link.as_ref().is_some_and(|link| link.is_nil);
            best.is_match = has_id && best.score == 100.0 || is_sure && !is_nil;
        }
        // Behind those of the types, no likelier than they are, and at least one.
        let mut other = Vec::new();
        for candidate in others.iter().flat_map(|others| &others.candidates) {
            if !found.iter().any(|found| found.id == candidate.id.as_str()) {
                let Some(concept) = still_there(base, &candidate.id)? else { continue };
                other.extend(self.judged(base, &concept, 100.0 * candidate.probability, Some(candidate), deadline)?);
            }
        }
        if !other.is_empty() {
            found.truncate((self.limit() - 1).max(1));
        }
        let most = found.last().map_or(100.0, |last| last.score);
        found.extend(other.into_iter().map(|other| Found { score: other.score.min(most), ..other }));
        found.truncate(self.limit());
        Ok(found)
    }

    /// Returns the concepts that the conditions of a query without name propose.
    fn proposed(&self, base: &Base) -> Result<Vec<ConceptId>, Failure> {
        let catalogue = base.catalogue()?;
        let mut ids: Vec<ConceptId> = Vec::new();
        let conditions = self.conditions.iter().filter(|condition| condition.quantifier != Quantifier::None);
        for condition in conditions {
            for value in &condition.values {
                let as_id = value.trim().parse::<ConceptId>().ok();
                match condition.property {
                    Some(Property::Id) => ids.extend(as_id),
                    Some(Property::Xref) => ids.extend(catalogue.with_xref(value).iter().cloned()),
                    Some(Property::Parent) => {
                        ids.extend(as_id.iter().flat_map(|id| catalogue.children(id)).take(MOST_CANDIDATES).cloned());
                    }
                    Some(Property::Name | Property::Synonym) => {
                        let near = base.kb.names_with_prefix(value, MOST_CANDIDATES)?;
                        ids.extend(near.into_iter().filter(|near| near.score >= 1.0).map(|near| near.id));
                    }
                    _ => {}
                }
            }
        }
        ids.sort();
        ids.dedup();
        ids.truncate(MOST_CANDIDATES);
        Ok(ids)
    }

    /// Returns a candidate with its score, discounted by the share of conditions that it does not meet; `None` if it lacks what the query
    /// requires.
    fn judged(
        &self,
        base: &Base,
        concept: &Concept,
        score: f64,
        candidate: Option<&Candidate>,
        deadline: Deadline,
    ) -> Result<Option<Found>, Failure> {
        let has_type = |kind: &String| concept.types.contains(kind);
        let fits = match self.strictness {
            _ if self.types.is_empty() => true,
            Strictness::Any | Strictness::Should => self.types.iter().any(has_type),
            Strictness::All => self.types.iter().all(has_type),
        };
        if !fits && self.strictness != Strictness::Should {
            return Ok(None);
        }
        let mut met = 0;
        for condition in &self.conditions {
            deadline.check()?;
            let is_met = condition.is_met(base, concept)?;
            if condition.is_required && !is_met {
                return Ok(None);
            }
            met += usize::from(is_met);
        }
        let of = self.conditions.len();
        let score = score * (met + 1) as f64 / (of + 1) as f64;
        let mut features = candidate.map_or_else(Vec::new, evidence);
        if !self.types.is_empty() {
            features.push(Feature::new("type_match", "Has the type asked for", Evidence::Flag(fits)));
        }
        if of > 0 {
            let value = Evidence::Number(met as f64 / of as f64);
            features.push(Feature::new("property_match", "Share of the properties that it has", value));
        }
        Ok(Some(Found {
            id: concept.id.to_string(),
            name: concept.name.clone(),
            description: describe(concept),
            types: named_types(&concept.types),
            score,
            is_match: false,
            features,
        }))
    }
}

impl Condition {
    fn is_met(&self, base: &Base, concept: &Concept) -> Result<bool, Failure> {
        let Some(property) = self.property else { return Ok(false) };
        let mut has = Vec::with_capacity(self.values.len());
        for value in &self.values {
            has.push(property.has(concept, base, value)?);
        }
        Ok(match self.quantifier {
            Quantifier::Any => has.contains(&true),
            Quantifier::All => !has.contains(&false),
            Quantifier::None => !has.contains(&true),
        })
    }
}

/// Returns a concept; `None` if there is none, or none any more.
pub(super) fn still_there(base: &Base, id: &ConceptId) -> Result<Option<Concept>, Failure> {
    match base.kb.concept(id) {
        Ok(concept) => Ok(Some(concept)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the scores of the stages as features.
fn evidence(candidate: &Candidate) -> Vec<Feature> {
    let scores = &candidate.scores;
    let named = [
        ("probability", "Calibrated probability of the name", Some(candidate.probability)),
        ("exact", "Match of the whole name", Some(scores.exact)),
        ("ngram", "TF-IDF cosine of the character n-grams", scores.ngram),
        ("dense", "Highest cosine of the concept's names", scores.dense),
        ("ranker", "Logit of the ranker", scores.ranker),
    ];
    let feature = |(id, name, value): (&'static str, &'static str, Option<f64>)| {
        value.map(|value| Feature::new(id, name, Evidence::Number(value)))
    };
    named.into_iter().filter_map(feature).collect()
}

/// Returns the definition of a concept, or some of its names that are more than others turned round or in the plural.
pub(super) fn describe(concept: &Concept) -> Option<String> {
    let names = || {
        let mut seen = vec![words(&concept.name)];
        let mut is_new = |name: &&String| {
            let words = words(name);
            let is_new = !seen.contains(&words);
            seen.push(words);
            is_new
        };
        concept.synonyms.iter().filter(|name| is_new(name)).take(3).cloned().collect::<Vec<_>>().join("; ")
    };
    let text = concept.definition.clone().unwrap_or_else(names);
    let cut = text.char_indices().nth(DESCRIPTION).map(|(at, _)| at);
    match cut {
        _ if text.is_empty() => None,
        Some(at) => Some(format!("{}…", text[..at].trim_end())),
        None => Some(text),
    }
}

/// Returns the words of a name in the singular, sorted.
fn words(name: &str) -> Vec<String> {
    let word = |word: &str| word.to_lowercase().trim_end_matches('s').to_owned();
    let mut words: Vec<String> = name.split(|c: char| !c.is_alphanumeric()).map(word).collect();
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words
}

/// Returns types as clients take them.
pub(super) fn named_types(types: &[String]) -> Vec<Named> {
    types.iter().map(|kind| Named { id: kind.clone(), name: kind.clone(), description: None }).collect()
}
