//! Names in, links out.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;
use truename_index::SearchScratch;
use truename_kb::{ConceptIndex, NameIndex, Snapshot};
use truename_text::{KeyMatch, NameProfile, NormalizedName};

use crate::candidate::Proposals;
use crate::explain::{explain, explain_placeholder};
use crate::feature::{Featured, WordWeights, featurize};
use crate::generator::{Dense, NameSet, Scope, nearest, propose_exact, propose_near};
use crate::placeholder::is_very_name;
use crate::vectors::encode;
use crate::{Encoder, Error, KnowledgeBase, Placeholders, Ranker, ranker};

/// How to link.
#[derive(Clone, Debug)]
pub struct LinkOptions {
    /// Candidates given for each name.
    pub top: usize,
    /// Answers with a lower probability are NIL; the fitted threshold where this is `None`.
    pub min_probability: Option<f64>,
    /// Only concepts with one of these types, where there is any.
    pub types: Vec<String>,
    /// Whether to say in words why the answer is what it is.
    pub explain: bool,
    /// Numbers, dates and words that stand for no name and are answered NIL, with no candidate, unless a concept has that
    /// very name; nothing where every text is to be linked.
    pub placeholders: Option<Arc<Placeholders>>,
}

impl Default for LinkOptions {
    fn default() -> Self {
        let placeholders = Some(Arc::new(Placeholders::default()));
        Self { top: 5, min_probability: None, types: Vec::new(), explain: false, placeholders }
    }
}

/// The answer for one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// The name as it was given.
    pub name: String,
    /// Candidates from the likeliest on, ties by id; also there where the answer is NIL.
    pub candidates: Vec<Candidate>,
    /// Whether no candidate is likely enough.
    pub is_nil: bool,
    /// Why, in words, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// Whether the name is longer than the encoder's window, so that its vector is of its beginning alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_truncated: bool,
}

impl Link {
    /// The concept the name stands for, or nothing where the answer is NIL.
    pub fn answer(&self) -> Option<&Candidate> {
        self.candidates.first().filter(|_| !self.is_nil)
    }

    /// The id of the answer.
    pub fn id(&self) -> Option<&str> {
        self.answer().map(|candidate| candidate.id.as_str())
    }

    /// How many candidates have the very name.
    pub(crate) fn shared(&self) -> usize {
        self.candidates.iter().filter(|candidate| candidate.scores.exact == 1.0).count()
    }

    /// Drops candidates that were not asked for, but for those before the last that has the very name.
    fn keep(&mut self, top: usize) {
        let last = self.candidates.iter().rposition(|candidate| candidate.scores.exact == 1.0);
        self.candidates.truncate(top.max(last.map_or(0, |last| last + 1)));
    }
}

/// A concept proposed for a name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// Its preferred name.
    pub preferred_name: String,
    /// The name by which it was found.
    pub matched_name: String,
    /// The calibrated probability that it is the right one.
    pub probability: f64,
    /// What the stages said of it.
    pub scores: Scores,
}

/// What the stages said of a candidate; higher is closer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// How the lookup keys meet: 1 the same normal form, 0.75 but for inflection or spelling, 0.5 in
    /// another order, 0.25 as an acronym, 0 not at all.
    pub exact: f64,
    /// TF-IDF cosine of the character n-grams, 0 where that generator did not propose it; nothing where
    /// the exact name decided alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ngram: Option<f64>,
    /// The highest cosine of the vectors, over the concept's names; nothing where there is no encoder or the exact
    /// name decided alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dense: Option<f64>,
    /// The ranker's score (log-odds against "none of them"); nothing where the exact name decided alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranker: Option<f64>,
}

/// Links names to one knowledge base.
///
/// The result for a name depends on nothing but the name, the knowledge base and the options.
pub struct Linker {
    kb: KnowledgeBase,
    ranker: Arc<Ranker>,
    /// For names that cannot be compared by vectors; the same where there is no encoder.
    letters: Arc<Ranker>,
    options: LinkOptions,
    allowed: Option<NameSet>,
}

/// A name longer than this many bytes is no name; it is answered NIL.
pub const LONGEST_NAME_BYTES: usize = 4096;
/// Names that share one snapshot and one set of buffers.
pub(crate) const PIECE: usize = 64;
/// Names whose vectors are held at a time.
pub(crate) const ENCODED_AT_ONCE: usize = 4096;

impl Linker {
    /// Links to the knowledge base in a folder.
    ///
    /// # Errors
    /// Where there is none, or it cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::new(KnowledgeBase::open(path.as_ref())?)
    }

    /// Links to the knowledge base that comes with Truename: MeSH diseases and chemicals. It is unpacked
    /// into the user's cache on first use.
    ///
    /// # Errors
    /// Where the cache cannot be written.
    pub fn bundled() -> Result<Self, Error> {
        Self::new(KnowledgeBase::bundled()?)
    }

    /// Links to a knowledge base, with the ranker fitted to it, or else the one that comes with Truename. Names are also
    /// compared by their vectors where it has an encoder ([`KnowledgeBase::with_encoder`]).
    ///
    /// # Errors
    /// Where its ranker cannot be read.
    pub fn new(kb: KnowledgeBase) -> Result<Self, Error> {
        let snapshot = kb.store.snapshot()?;
        let fitted = |with_vectors| {
            let own = snapshot
                .meta(ranker::fact(with_vectors))?
                .map(|bytes| Ranker::from_bytes(bytes, with_vectors))
                .transpose()?;
            Ok::<_, Error>(own.map_or_else(|| Ranker::standard(with_vectors), Arc::new))
        };
        let letters = fitted(false)?;
        let ranker = if kb.encoder.is_some() { fitted(true)? } else { Arc::clone(&letters) };
        drop(snapshot);
        Ok(Self { kb, ranker, letters, options: LinkOptions::default(), allowed: None })
    }

    /// Sets the options.
    ///
    /// # Errors
    /// Where no concept has a type that is asked for.
    pub fn with_options(mut self, options: LinkOptions) -> Result<Self, Error> {
        self.allowed = if options.types.is_empty() { None } else { Some(names_of_types(&self.kb, &options.types)?) };
        self.options = options;
        Ok(self)
    }

    /// The knowledge base.
    pub fn knowledge_base(&self) -> &KnowledgeBase {
        &self.kb
    }

    pub(crate) fn allowed_names(&self) -> Option<NameSet> {
        self.allowed.clone()
    }

    /// The types of the answer, or of the best candidate where the answer is NIL.
    pub(crate) fn types_of(&self, link: &Link) -> Result<Vec<String>, Error> {
        let Some(best) = link.candidates.first() else { return Ok(Vec::new()) };
        let snapshot = self.kb.store.snapshot()?;
        let Some(concept) = snapshot.index_of(&best.id.parse()?)? else { return Ok(Vec::new()) };
        Ok(snapshot.concept_types(concept)?.into_iter().map(str::to_owned).collect())
    }

    pub(crate) fn options(&self) -> &LinkOptions {
        &self.options
    }

    /// The probability below which an answer is NIL.
    pub fn threshold(&self) -> f64 {
        self.options.min_probability.unwrap_or(self.ranker.threshold)
    }

    /// Links names, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// Where the storage or the encoder fails.
    #[tracing::instrument(skip_all, fields(names = names.len()))]
    pub fn link_names<S: AsRef<str> + Sync>(&self, names: &[S]) -> Result<Vec<Link>, Error> {
        let mut links = self.weigh_names(names)?;
        links.iter_mut().for_each(|link| link.candidates.truncate(self.options.top));
        Ok(links)
    }

    /// Links one name.
    ///
    /// # Errors
    /// Where the storage or the encoder fails.
    pub fn link_name(&self, name: &str) -> Result<Link, Error> {
        Ok(self.link_names(&[name])?.remove(0))
    }

    /// Links names and keeps all concepts that have the very name, however many candidates are asked for.
    pub(crate) fn weigh_names<S: AsRef<str> + Sync>(&self, names: &[S]) -> Result<Vec<Link>, Error> {
        let Some(encoder) = &self.kb.encoder else {
            let weigh = |session: &mut Session<'_>, piece: &[S]| {
                piece.iter().map(|name| session.weigh(&Query::of(name.as_ref()), None)).collect()
            };
            return self.in_pieces(names, weigh);
        };
        let mut links = Vec::with_capacity(names.len());
        for names in names.chunks(ENCODED_AT_ONCE) {
            links.extend(self.weigh_encoded(names, encoder)?);
        }
        Ok(links)
    }

    /// Encodes the names that their letters do not settle, and links all.
    fn weigh_encoded<S: AsRef<str> + Sync>(&self, names: &[S], encoder: &Encoder) -> Result<Vec<Link>, Error> {
        let settle = |session: &mut Session<'_>, piece: &[S]| {
            piece.iter().map(|name| session.settle(&Query::of(name.as_ref()))).collect()
        };
        let settled: Vec<Option<Link>> = self.in_pieces(names, settle)?;
        let open = || names.iter().zip(&settled).filter(|(_, link)| link.is_none()).map(|(name, _)| name.as_ref());
        let vectors = encode(encoder, &open().collect::<Vec<&str>>())?;
        let queries: Vec<Query<'_>> = open()
            .zip(vectors.rows())
            .enumerate()
            .map(|(at, (name, vector))| Query {
                name,
                vector,
                is_truncated: vectors.truncated().binary_search(&at).is_ok(),
            })
            .collect();
        let mut weighed = self.in_pieces(&queries, |session, piece| session.weigh_near(piece))?.into_iter();
        Ok(settled.into_iter().filter_map(|link| link.or_else(|| weighed.next())).collect())
    }

    /// Answers pieces of the input side by side, each with a snapshot of its own.
    fn in_pieces<Q: Sync, A: Send>(
        &self,
        queries: &[Q],
        answer: impl Fn(&mut Session<'_>, &[Q]) -> Result<Vec<A>, Error> + Sync,
    ) -> Result<Vec<A>, Error> {
        let pieces: Vec<Vec<A>> = queries
            .par_chunks(PIECE)
            .map(|piece| {
                let snapshot = self.kb.store.snapshot()?;
                answer(&mut Session::new(self, &snapshot), piece)
            })
            .collect::<Result<_, Error>>()?;
        Ok(pieces.into_iter().flatten().collect())
    }
}

/// A name that is asked for.
#[derive(Clone, Copy)]
struct Query<'a> {
    name: &'a str,
    /// Empty where there is no encoder, or the name is not encoded.
    vector: &'a [f32],
    is_truncated: bool,
}

impl<'a> Query<'a> {
    fn of(name: &'a str) -> Self {
        Self { name, vector: &[], is_truncated: false }
    }
}

/// Links one after another with the same snapshot and buffers.
struct Session<'a> {
    linker: &'a Linker,
    snapshot: &'a Snapshot<'a>,
    scratch: SearchScratch,
    weights: WordWeights,
}

impl<'a> Session<'a> {
    fn new(linker: &'a Linker, snapshot: &'a Snapshot<'a>) -> Self {
        Self { linker, snapshot, scratch: SearchScratch::default(), weights: WordWeights::default() }
    }

    /// The answer where it needs no vector: to what is no name, and where the very name settles it.
    fn settle(&mut self, query: &Query<'_>) -> Result<Option<Link>, Error> {
        let Some(profile) = self.named(query)? else { return Ok(Some(self.answer(query, Vec::new()))) };
        let LinkOptions { top, explain, .. } = self.linker.options;
        if top > 1 || explain {
            return Ok(None);
        }
        let proposals = propose_exact(&profile, &self.scope(None))?;
        let settled = proposals.sole_exact().map(|sole| self.settled(sole, &profile, &proposals)).transpose()?;
        Ok(settled.map(|candidate| self.answer(query, vec![candidate])))
    }

    /// The name that is asked for; nothing where it is empty, too long, or a placeholder that no concept has for a name.
    fn named(&self, query: &Query<'_>) -> Result<Option<NameProfile>, Error> {
        if query.name.len() > LONGEST_NAME_BYTES {
            return Ok(None);
        }
        let profile = NameProfile::new(query.name);
        if profile.normalized.is_empty() {
            return Ok(None);
        }
        if !self.is_placeholder(query.name, &profile.normalized) {
            return Ok(Some(profile));
        }
        let scope = self.scope(None);
        for name in self.snapshot.names_under(profile.keys.exact)?.filter(|name| scope.sees(*name)) {
            if is_very_name(&profile.normalized, &NormalizedName::new(self.snapshot.name(name)?.1)) {
                return Ok(Some(profile));
            }
        }
        Ok(None)
    }

    fn is_placeholder(&self, text: &str, normalized: &NormalizedName) -> bool {
        self.linker.options.placeholders.as_ref().is_some_and(|placeholders| placeholders.has_form(text, normalized))
    }

    /// Links names with their vectors.
    fn weigh_near(&mut self, queries: &[Query<'_>]) -> Result<Vec<Link>, Error> {
        let reader = self.linker.kb.vectors(self.snapshot)?;
        // A name that the encoder knows no token of has no direction.
        let has_direction = |query: &&Query<'_>| query.vector.iter().any(|value| *value != 0.0);
        let vectors: Vec<&[f32]> = queries.iter().filter(has_direction).map(|query| query.vector).collect();
        let allowed = self.linker.allowed.as_ref();
        let found = reader.as_ref().map(|reader| nearest(reader, self.snapshot, &vectors, allowed, 0)).transpose()?;
        let mut found = found.unwrap_or_default().into_iter();
        let weigh = |query: &Query<'_>| {
            let hits = if has_direction(&query) { found.next() } else { None };
            let dense = reader.as_ref().zip(hits.as_deref());
            self.weigh(query, dense.map(|(reader, hits)| Dense { reader, vector: query.vector, hits }))
        };
        queries.iter().map(weigh).collect()
    }

    fn weigh(&mut self, query: &Query<'_>, dense: Option<Dense<'_>>) -> Result<Link, Error> {
        let candidates = match self.named(query)? {
            Some(profile) => self.candidates(&profile, dense)?,
            None => Vec::new(),
        };
        Ok(self.answer(query, candidates))
    }

    /// The answer, with the candidates from the likeliest on.
    fn answer(&self, query: &Query<'_>, candidates: Vec<Candidate>) -> Link {
        let threshold = self.linker.threshold();
        let is_nil = candidates.first().is_none_or(|best| best.probability < threshold);
        let explanation = self.linker.options.explain.then(|| {
            if candidates.is_empty() && self.is_placeholder(query.name, &NormalizedName::new(query.name)) {
                return explain_placeholder(query.name);
            }
            explain(query.name, &candidates, threshold)
        });
        // Where the very name decided, no vector did.
        let is_truncated = query.is_truncated && candidates.first().is_none_or(|best| best.scores.ranker.is_some());
        let mut link = Link { name: query.name.to_owned(), candidates, is_nil, explanation, is_truncated };
        link.keep(self.linker.options.top);
        link
    }

    fn scope<'s>(&self, dense: Option<Dense<'s>>) -> Scope<'s>
    where
        'a: 's,
    {
        let Linker { kb, allowed, .. } = self.linker;
        Scope { snapshot: self.snapshot, indexes: &kb.indexes, hidden: &[], allowed: allowed.as_ref(), dense }
    }

    /// Candidates from the likeliest on. Where one alone is wanted and the very name settles it, only that.
    fn candidates(&mut self, query: &NameProfile, dense: Option<Dense<'_>>) -> Result<Vec<Candidate>, Error> {
        let LinkOptions { top, explain, .. } = self.linker.options;
        let mut scope = self.scope(dense);
        let mut proposals = propose_exact(query, &scope)?;
        let sole = proposals.sole_exact();
        if let Some(sole) = sole.filter(|_| top <= 1 && !explain) {
            return Ok(vec![self.settled(sole, query, &proposals)?]);
        }
        propose_near(query, &scope, &mut self.scratch, &mut proposals)?;
        // A name without a vector would look like one that is far away.
        if let Some(dense) = scope.dense
            && !dense.covers(&proposals, &scope)?
        {
            scope.dense = None;
        }
        let ranker = if scope.dense.is_some() { &self.linker.ranker } else { &self.linker.letters };
        let featured = featurize(query, &proposals, &scope, &mut self.weights)?;
        let settled = sole.map(|sole| self.settled(sole, query, &proposals)).transpose()?;
        self.ranked(featured, ranker, sole, settled)
    }

    fn settled(&self, concept: ConceptIndex, query: &NameProfile, proposals: &Proposals) -> Result<Candidate, Error> {
        let names = proposals.iter().find(|(proposed, _)| *proposed == concept).map_or(&[][..], |(_, names)| names);
        let exact: Vec<NameIndex> =
            names.iter().filter(|(_, proposal)| proposal.key == KeyMatch::Exact).map(|(name, _)| *name).collect();
        let mut matched = exact[0];
        for name in &exact {
            if self.snapshot.name(*name)?.1 == query.written {
                matched = *name;
            }
        }
        let scores = Scores { exact: 1.0, ngram: None, dense: None, ranker: None };
        self.candidate(concept, matched, self.linker.ranker.exact, scores)
    }

    fn ranked(
        &self,
        featured: Vec<Featured>,
        ranker: &Ranker,
        sole: Option<ConceptIndex>,
        settled: Option<Candidate>,
    ) -> Result<Vec<Candidate>, Error> {
        let scores: Vec<f64> = featured.iter().map(|candidate| ranker.score(&candidate.row)).collect();
        let mut probabilities = Ranker::probabilities(&scores);
        if let Some(at) = sole.and_then(|sole| featured.iter().position(|candidate| candidate.concept == sole)) {
            // The very name decides, and the others share what it leaves as the ranker would have it.
            let others = 1.0 - probabilities[at];
            let scale = if others > 0.0 { (1.0 - ranker.exact) / others } else { 0.0 };
            probabilities.iter_mut().for_each(|probability| *probability *= scale);
        }
        let mut candidates: Vec<Candidate> = settled.into_iter().collect();
        for ((candidate, score), probability) in featured.iter().zip(&scores).zip(probabilities) {
            if sole == Some(candidate.concept) {
                continue;
            }
            let scores = Scores {
                exact: candidate.proposal.key.score(),
                ngram: Some(f64::from(candidate.proposal.ngram)),
                dense: candidate.dense.map(f64::from),
                ranker: Some(*score),
            };
            candidates.push(self.candidate(candidate.concept, candidate.name, probability, scores)?);
        }
        candidates
            .sort_by(|left, right| right.probability.total_cmp(&left.probability).then_with(|| left.id.cmp(&right.id)));
        Ok(candidates)
    }

    fn candidate(
        &self,
        concept: ConceptIndex,
        matched: NameIndex,
        probability: f64,
        scores: Scores,
    ) -> Result<Candidate, Error> {
        let (id, names) = self.snapshot.concept_names(concept)?;
        Ok(Candidate {
            id: id.to_owned(),
            preferred_name: self.snapshot.name(names[0])?.1.to_owned(),
            matched_name: self.snapshot.name(matched)?.1.to_owned(),
            probability,
            scores,
        })
    }
}

fn names_of_types(kb: &KnowledgeBase, types: &[String]) -> Result<NameSet, Error> {
    let snapshot = kb.store.snapshot()?;
    let mut allowed = NameSet::default();
    let mut known = std::collections::BTreeSet::new();
    for entry in snapshot.all_types()? {
        let (concept, found) = entry?;
        if types.iter().any(|name| found.contains(&name.as_str())) {
            snapshot.concept_names(concept)?.1.into_iter().for_each(|name| allowed.insert(name));
        }
        known.extend(found);
    }
    match types.iter().find(|name| !known.contains(name.as_str())) {
        Some(unknown) => Err(Error::unknown_type(unknown, known.into_iter().take(40).map(str::to_owned).collect())),
        None => Ok(allowed),
    }
}
