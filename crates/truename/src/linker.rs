//! Names in, links out.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;
use truename_index::SearchScratch;
use truename_kb::{ConceptIndex, NameIndex, Snapshot};
use truename_text::{KeyMatch, NameProfile};

use crate::candidate::Proposals;
use crate::explain::explain;
use crate::feature::{Featured, WordWeights, featurize};
use crate::generator::{NameSet, Scope, propose_exact, propose_near};
use crate::knowledge_base::META_RANKER;
use crate::{Error, KnowledgeBase, Ranker};

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
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self { top: 5, min_probability: None, types: Vec::new(), explain: false }
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
    options: LinkOptions,
    allowed: Option<NameSet>,
}

/// A name longer than this many bytes is no name; it is answered NIL.
pub const LONGEST_NAME_BYTES: usize = 4096;

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

    /// Links to a knowledge base, with the ranker fitted to it, or else the one that comes with Truename.
    ///
    /// # Errors
    /// Where its ranker cannot be read.
    pub fn new(kb: KnowledgeBase) -> Result<Self, Error> {
        let own = kb.store.snapshot()?.meta(META_RANKER)?.map(Ranker::from_bytes).transpose()?;
        let ranker = own.map_or_else(Ranker::standard, Arc::new);
        Ok(Self { kb, ranker, options: LinkOptions::default(), allowed: None })
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
    /// Where the storage fails.
    #[tracing::instrument(skip_all, fields(names = names.len()))]
    pub fn link_names<S: AsRef<str> + Sync>(&self, names: &[S]) -> Result<Vec<Link>, Error> {
        // Pieces, so that each costs one snapshot and one set of buffers.
        let pieces: Vec<Vec<Link>> = names
            .par_chunks(64)
            .map(|piece| {
                let snapshot = self.kb.store.snapshot()?;
                let mut session = Session::new(self, &snapshot);
                piece.iter().map(|name| session.link(name.as_ref())).collect()
            })
            .collect::<Result<_, Error>>()?;
        Ok(pieces.into_iter().flatten().collect())
    }

    /// Links one name.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn link_name(&self, name: &str) -> Result<Link, Error> {
        let snapshot = self.kb.store.snapshot()?;
        Session::new(self, &snapshot).link(name)
    }

    /// Links one name and keeps all candidates where the name does not settle it.
    pub(crate) fn weigh_name(&self, name: &str) -> Result<Link, Error> {
        let snapshot = self.kb.store.snapshot()?;
        Session::new(self, &snapshot).weigh(name)
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

    fn link(&mut self, name: &str) -> Result<Link, Error> {
        let mut link = self.weigh(name)?;
        link.candidates.truncate(self.linker.options.top);
        Ok(link)
    }

    fn weigh(&mut self, name: &str) -> Result<Link, Error> {
        let mut candidates = Vec::new();
        if name.len() <= LONGEST_NAME_BYTES {
            candidates = self.candidates(&NameProfile::new(name))?;
        }
        let threshold = self.linker.threshold();
        let is_nil = candidates.first().is_none_or(|best| best.probability < threshold);
        let explanation = self.linker.options.explain.then(|| explain(name, &candidates, threshold));
        Ok(Link { name: name.to_owned(), candidates, is_nil, explanation })
    }

    /// Candidates from the likeliest on. Where one alone is wanted and the very name settles it, only that.
    fn candidates(&mut self, query: &NameProfile) -> Result<Vec<Candidate>, Error> {
        let LinkOptions { top, explain, .. } = self.linker.options;
        let scope = Scope {
            snapshot: self.snapshot,
            indexes: &self.linker.kb.indexes,
            hidden: &[],
            allowed: self.linker.allowed.as_ref(),
        };
        let mut proposals = propose_exact(query, &scope)?;
        let sole = proposals.sole_exact();
        if let Some(sole) = sole.filter(|_| top <= 1 && !explain) {
            return Ok(vec![self.settled(sole, query, &proposals)?]);
        }
        propose_near(query, &scope, &mut self.scratch, &mut proposals)?;
        let featured = featurize(query, &proposals, &scope, &mut self.weights)?;
        let settled = sole.map(|sole| self.settled(sole, query, &proposals)).transpose()?;
        self.ranked(featured, sole, settled)
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
        let scores = Scores { exact: 1.0, ngram: None, ranker: None };
        self.candidate(concept, matched, self.linker.ranker.exact, scores)
    }

    fn ranked(
        &self,
        featured: Vec<Featured>,
        sole: Option<ConceptIndex>,
        settled: Option<Candidate>,
    ) -> Result<Vec<Candidate>, Error> {
        let ranker = &self.linker.ranker;
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
