//! Names of a piece, ranked one after another.

use std::collections::{BTreeSet, HashMap};

use truename_kb::{ConceptId, ConceptIndex, Date, JudgedForm, NameIndex, Snapshot};
use truename_text::{
    KeyMatch, NameProfile, NormalizedName, Span, alternative_names, has_umlauts_of, repaired, without_markup,
};

use super::fitted_rankers::FittedRankers;
use super::{LONGEST_NAME_BYTES, Linker, contradiction, vote};
use crate::explain::{Basis, explain, explain_id, explain_judged_nil, explain_placeholder};
use crate::feature::CandidateFeatures;
use crate::generator::{Dense, KeyQuery, Scope, propose_exact};
use crate::placeholder::is_same_name;
use crate::preferred_name::put_sole_preferred_first;
use crate::retrieval::{Retriever, exact_name};
use crate::{Candidate, Error, FeatureSet, Link, Ranker, Scores};

/// Bytes of the shortest id without a prefix that is taken for one in place of a name.
const SHORTEST_BARE_ID: usize = 6;

/// A name to rank.
#[derive(Clone, Copy)]
pub(super) struct RankQuery<'a> {
    pub(super) name: &'a str,
    /// True if the vector covers only the beginning of the name.
    pub(super) is_truncated: bool,
    /// Concepts that the context proposes, with their scores.
    pub(super) nearest: &'a [(ConceptId, f64)],
    /// The name in its text, as the encoder sees it; `None` for the name alone.
    pub(super) in_text: Option<InText<'a>>,
}

/// A name in its text, as the encoder sees it.
#[derive(Clone, Copy)]
pub(super) enum InText<'a> {
    /// A sentence to read, and the place of the name there.
    Sentence(&'a str, Span),
    /// Its vector: the encoder has read the text already.
    Vector(&'a [f32]),
}

impl<'a> RankQuery<'a> {
    pub(super) fn named(name: &'a str) -> Self {
        Self { name, is_truncated: false, nearest: &[], in_text: None }
    }
}

/// Limits of an answer: its number of candidates, and the probability that it needs.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Number of candidates that are kept.
    pub(super) depth: usize,
    /// Probability below which an answer is NIL.
    pub(super) threshold: f64,
}

/// Ranks names one after another with the same snapshot and buffers.
pub(super) struct Session<'a> {
    linker: &'a Linker,
    fitted: &'a FittedRankers,
    limits: Limits,
    retriever: Retriever<'a>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        linker: &'a Linker,
        fitted: &'a FittedRankers,
        limits: Limits,
        snapshot: &'a Snapshot<'a>,
    ) -> Self {
        let retriever = Retriever::new(&linker.kb, snapshot).remembering(&fitted.remembered);
        Self { linker, fitted, limits, retriever }
    }

    /// Returns the answer if it needs no vector: the text is an id or no name, was judged, or a single concept has the exact name.
    pub(super) fn resolve(&mut self, asked: &RankQuery<'_>) -> Result<Option<Link>, Error> {
        if let Some(link) = self.of_id(asked)? {
            return Ok(Some(link));
        }
        let Some(profile) = self.named(asked.name)? else { return Ok(Some(self.answer(asked, Vec::new()))) };
        if !self.ends_at_sole() {
            return Ok(None);
        }
        let proposals = propose_exact(&profile, &self.scope(None))?;
        let Some(sole) = proposals.sole_exact(self.retriever.snapshot)? else { return Ok(None) };
        let matched = exact_name(sole, &profile, &proposals, self.retriever.snapshot)?;
        let candidate = self.exact(sole, matched)?;
        Ok(Some(self.answer(asked, vec![candidate])))
    }

    /// Ranks the candidates of a name.
    pub(super) fn rank(&mut self, asked: &RankQuery<'_>, dense: Option<Dense<'_>>) -> Result<Link, Error> {
        if let Some(link) = self.of_id(asked)? {
            return Ok(link);
        }
        let candidates = match self.named(asked.name)? {
            Some(profile) => {
                let mut candidates = self.candidates(&profile, dense, asked.nearest)?;
                let is_open = candidates.first().is_some_and(|best| best.scores.ranker.is_some());
                // In a sentence the vectors speak for what is meant there.
                match asked.in_text {
                    None if is_open => put_sole_preferred_first(&profile, &mut candidates),
                    None => {}
                    // The scores of a retriever are those of its own vectors.
                    Some(_) if !asked.nearest.is_empty() => {}
                    Some(_) => candidates.iter_mut().for_each(|candidate| {
                        candidate.scores.retriever = candidate.scores.dense;
                    }),
                }
                candidates
            }
            None => Vec::new(),
        };
        Ok(self.answer(asked, candidates))
    }

    /// Adds all concepts of this knowledge base that the answer to a name depends on where it is a shard of a larger one: however the name
    /// is read there, for another shard may have the name that decides it.
    pub(super) fn reach(
        &mut self,
        name: &str,
        dense: Option<Dense<'_>>,
        concepts: &mut BTreeSet<ConceptIndex>,
    ) -> Result<(), Error> {
        if name.len() > LONGEST_NAME_BYTES {
            return Ok(());
        }
        let scope = self.scope(dense);
        let read = repaired(name).or_else(|| without_markup(name));
        for name in std::iter::once(name).chain(read.as_deref()) {
            let query = NameProfile::new(name);
            let others = alternative_names(&query.written);
            self.retriever.reach(&query, &scope, concepts)?;
            for other in others {
                self.retriever.reach(&NameProfile::new(&other), &scope, concepts)?;
            }
        }
        Ok(())
    }

    /// Returns the answer to a text that is an id and no name: the concept with the id, or the one that replaces it; NIL for a
    /// retired id that no single concept replaces. `None` for any other text.
    fn of_id(&self, asked: &RankQuery<'_>) -> Result<Option<Link>, Error> {
        let snapshot = self.retriever.snapshot;
        let Some(id) = id_of(asked.name) else { return Ok(None) };
        let current = snapshot.current(&id)?;
        if current.is_none() && snapshot.retired(&id)?.is_none() {
            return Ok(None);
        }
        let profile = NameProfile::new(asked.name);
        if self.is_name(&profile)? || self.judged_nil(asked.name).is_some() {
            return Ok(None);
        }
        let concept = current.as_ref().map(|current| snapshot.index_of(current)).transpose()?.flatten();
        let mut candidates = Vec::new();
        if let Some(concept) = concept {
            let preferred = snapshot.concept_names(concept)?.1[0];
            if !self.scope(None).sees(preferred) {
                return Ok(None);
            }
            candidates.push(Candidate { matched_name: id.to_string(), ..self.exact(concept, preferred)? });
        }
        let mut link = self.answer(asked, candidates);
        link.explanation = link.explanation.take().map(|_| explain_id(&id, &link.candidates));
        link.retired_id = (current.as_ref() != Some(&id)).then_some(id);
        Ok(Some(link))
    }

    /// Returns the profile of a name, with its encoding repaired or its markup left out, and as others write it if only so it is a name of a concept; `None` if it is empty, too long, judged
    /// NIL, or a placeholder that is no name of a concept.
    fn named(&self, name: &str) -> Result<Option<NameProfile>, Error> {
        if name.len() > LONGEST_NAME_BYTES {
            return Ok(None);
        }
        let mut profile = NameProfile::new(name);
        if let Some(read) = repaired(name).or_else(|| without_markup(name))
            && !self.is_name(&profile)?
        {
            profile = NameProfile::new(&read);
        }
        if profile.normalized.is_empty() || self.judged_nil(name).is_some() {
            return Ok(None);
        }
        if self.is_placeholder(name, &profile.normalized) && !self.is_name(&profile)? {
            return Ok(None);
        }
        Ok(Some(self.respelt(&profile)?.unwrap_or(profile)))
    }

    /// Returns the profile of a name as others write it (`TGF-β1` for `TGF-ß1`), if a concept has that name and none the one given.
    fn respelt(&self, profile: &NameProfile) -> Result<Option<NameProfile>, Error> {
        let others = alternative_names(&profile.written);
        if others.is_empty() || self.has_name(profile)? {
            return Ok(None);
        }
        for other in others {
            let other = NameProfile::new(&other);
            if self.has_name(&other)? {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// Returns whether a concept has the name, up to plural, British or American spelling and the order of its words.
    fn has_name(&self, profile: &NameProfile) -> Result<bool, Error> {
        let (snapshot, scope, query) = (self.retriever.snapshot, self.scope(None), KeyQuery::of(profile));
        for key in query.keys.filed() {
            for number in snapshot.names_under(key)?.filter(|name| scope.sees(*name)) {
                let name = snapshot.name(number)?.1;
                if query.meeting(name) >= KeyMatch::Reordered && has_umlauts_of(&profile.written, name) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns true if a concept has the very name.
    fn is_name(&self, profile: &NameProfile) -> Result<bool, Error> {
        let (snapshot, scope) = (self.retriever.snapshot, self.scope(None));
        for name in snapshot.names_under(profile.keys().exact)?.filter(|name| scope.sees(*name)) {
            if is_same_name(&profile.normalized, &NormalizedName::new(snapshot.name(name)?.1)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the day on which a name was judged NIL; `None` if it was not.
    fn judged_nil(&self, name: &str) -> Option<Date> {
        let nil = &self.fitted.judged_nil;
        if nil.is_empty() { None } else { nil.get(&JudgedForm::of(name)).copied() }
    }

    fn is_placeholder(&self, text: &str, normalized: &NormalizedName) -> bool {
        self.linker.options.placeholders.as_ref().is_some_and(|placeholders| placeholders.has_form(text, normalized))
    }

    /// Returns whether the search ends at a single concept with the exact name, because one candidate is enough.
    fn ends_at_sole(&self) -> bool {
        self.linker.options.top <= 1 && !self.linker.options.explain
    }

    fn scope<'s>(&self, dense: Option<Dense<'s>>) -> Scope<'s>
    where
        'a: 's,
    {
        Scope { allowed: self.fitted.allowed.as_ref(), dense, ..self.retriever.scope() }
    }

    /// Returns the answer with its candidates, likeliest first.
    fn answer(&self, asked: &RankQuery<'_>, candidates: Vec<Candidate>) -> Link {
        let Limits { depth, threshold } = self.limits;
        let explanation = self.linker.options.explain.then(|| {
            if candidates.is_empty() {
                if let Some(date) = self.judged_nil(asked.name) {
                    return explain_judged_nil(date);
                }
                if self.is_placeholder(asked.name, &NormalizedName::new(asked.name)) {
                    return explain_placeholder(asked.name);
                }
            }
            let votes =
                self.linker.options.vote > 0 && candidates.first().is_some_and(|best| best.scores.dense.is_some());
            explain(asked.name, &candidates, threshold, if votes { Basis::Vote } else { self.fitted.basis })
        });
        // No vector took part where the exact name decided.
        let is_truncated = asked.is_truncated && candidates.first().is_none_or(|best| best.scores.ranker.is_some());
        let is_nil = is_nil(&candidates, threshold);
        let mut link = Link { explanation, is_truncated, ..Link::new(asked.name, candidates, is_nil) };
        link.keep(depth);
        link
    }

    /// Returns candidates, likeliest first; only the single one with the exact name if that is enough.
    fn candidates(
        &mut self,
        query: &NameProfile,
        dense: Option<Dense<'_>>,
        nearest: &[(ConceptId, f64)],
    ) -> Result<Vec<Candidate>, Error> {
        let (scope, ends_at_sole) = (self.scope(dense), self.ends_at_sole());
        let mut scores = HashMap::with_capacity(nearest.len());
        for (id, score) in nearest {
            scores.extend(self.retriever.snapshot.index_of(id)?.map(|concept| (concept, *score)));
        }
        let concepts: Vec<ConceptIndex> = scores.keys().copied().collect();
        let found = self.retriever.retrieve(query, scope, ends_at_sole, &concepts)?;
        let exact = match found.sole {
            Some(sole) => {
                let matched = exact_name(sole, query, &found.proposals, self.retriever.snapshot)?;
                Some((sole, self.exact(sole, matched)?))
            }
            None => None,
        };
        match found.featured {
            Some((features, featured)) => {
                let names = self.linker.options.vote;
                // Where candidates lack vectors, the lexical ranker decides.
                let votes = match dense.filter(|_| names > 0 && features == FeatureSet::Dense) {
                    Some(dense) => Some(vote::shares(&dense, names, &self.scope(Some(dense)))?),
                    None => None,
                };
                let logits = self.logits(query, &featured, features)?;
                self.ranked(&featured, &logits, exact, votes.as_ref(), &scores)
            }
            None => Ok(exact.into_iter().map(|(_, candidate)| candidate).collect()),
        }
    }

    /// Returns the candidate of the only concept with the exact name.
    fn exact(&self, concept: ConceptIndex, matched: NameIndex) -> Result<Candidate, Error> {
        let scores = Scores { exact: 1.0, ..Scores::default() };
        self.candidate(concept, matched, self.fitted.ranker.exact, scores)
    }

    /// Returns the scores of the candidates by the ranker; a candidate whose name contradicts the query has a low one.
    fn logits(
        &self,
        query: &NameProfile,
        featured: &[CandidateFeatures],
        features: FeatureSet,
    ) -> Result<Vec<f64>, Error> {
        let ranker = if features == FeatureSet::Lexical { &self.fitted.lexical } else { &self.fitted.ranker };
        let mut logits: Vec<f64> = featured.iter().map(|candidate| ranker.score(&candidate.row)).collect();
        contradiction::weigh(query, featured, self.retriever.snapshot, &mut logits)?;
        Ok(logits)
    }

    fn ranked(
        &self,
        featured: &[CandidateFeatures],
        logits: &[f64],
        exact: Option<(ConceptIndex, Candidate)>,
        votes: Option<&HashMap<ConceptIndex, f64>>,
        nearest: &HashMap<ConceptIndex, f64>,
    ) -> Result<Vec<Candidate>, Error> {
        let mut probabilities = match votes {
            Some(votes) => {
                let share = |candidate: &CandidateFeatures| votes.get(&candidate.concept).copied().unwrap_or(0.0);
                featured.iter().map(share).collect()
            }
            None => Ranker::probabilities(logits),
        };
        let sole = exact.as_ref().map(|(concept, _)| *concept);
        let place = featured.iter().position(|candidate| Some(candidate.concept) == sole);
        if let (Some(at), Some((_, decided))) = (place, &exact) {
            // The exact name decides; the other candidates share the rest in proportion.
            let others = 1.0 - probabilities[at];
            let scale = if others > 0.0 { (1.0 - decided.probability) / others } else { 0.0 };
            probabilities.iter_mut().for_each(|probability| *probability *= scale);
        }
        let mut candidates: Vec<Candidate> = exact.into_iter().map(|(_, candidate)| candidate).collect();
        for ((candidate, score), probability) in featured.iter().zip(logits).zip(probabilities) {
            if sole == Some(candidate.concept) {
                continue;
            }
            let scores = Scores {
                exact: candidate.proposal.key.score(),
                ngram: Some(f64::from(candidate.proposal.ngram)),
                dense: candidate.dense.map(f64::from),
                retriever: nearest.get(&candidate.concept).copied(),
                ranker: Some(*score),
                reranker: None,
            };
            candidates.push(self.candidate(candidate.concept, candidate.name, probability, scores)?);
        }
        sort(&mut candidates);
        Ok(candidates)
    }

    fn candidate(
        &self,
        concept: ConceptIndex,
        matched: NameIndex,
        probability: f64,
        scores: Scores,
    ) -> Result<Candidate, Error> {
        let snapshot = self.retriever.snapshot;
        let (id, names) = snapshot.concept_names(concept)?;
        let preferred_name = snapshot.name(names[0])?.1;
        let matched_name = snapshot.name(matched)?.1.to_owned();
        let source = snapshot.aliases(concept)?.into_iter().find(|(name, _)| *name == matched);
        let alias_source = source.map(|(_, source)| source.to_owned());
        Ok(Candidate { matched_name, alias_source, scores, ..Candidate::new(id.parse()?, preferred_name, probability) })
    }
}

/// Returns the id that a text may be: one word with a digit and a prefix (`DOID:1612`), or of so many bytes that no short name or
/// number is taken for one.
pub(crate) fn id_of(text: &str) -> Option<ConceptId> {
    let text = text.trim();
    let is_id = text.contains(':') || text.len() >= SHORTEST_BARE_ID;
    let is_word = text.contains(|c: char| c.is_ascii_digit()) && !text.contains(char::is_whitespace);
    if is_id && is_word { text.parse().ok() } else { None }
}

/// Sorts candidates likeliest first, ties by id.
pub(crate) fn sort(candidates: &mut [Candidate]) {
    candidates
        .sort_by(|left, right| right.probability.total_cmp(&left.probability).then_with(|| left.id.cmp(&right.id)));
}

pub(crate) fn is_nil(candidates: &[Candidate], threshold: f64) -> bool {
    candidates.first().is_none_or(|best| best.probability < threshold)
}

#[cfg(test)]
mod tests {
    use super::id_of;

    #[test]
    fn short_names_and_numbers_are_no_ids() {
        for id in ["DOID:1612", "D009203", "22298006", " A00.01 ", "http://x.org/o#1"] {
            assert_eq!(id_of(id).map(|id| id.to_string()).as_deref(), Some(id.trim()));
        }
        for name in ["C5", "2020", "12.5", "asthma", "type 2 diabetes", "note: x", ""] {
            assert_eq!(id_of(name), None, "{name}");
        }
    }
}
