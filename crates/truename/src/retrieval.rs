//! Retrieves the candidates of a query with their features, for linking and for calibration.

use std::collections::BTreeSet;
use std::sync::Arc;

use truename_index::{Hit, SearchScratch, VectorReader};
use truename_kb::{ConceptIndex, NameIndex, Snapshot};
use truename_text::NameProfile;

use crate::feature::{CandidateFeatures, WordMemory, WordWeights, featurize};
use crate::generator::{Dense, Scope, nearest, propose_concept, propose_exact, propose_near};
use crate::name_set::NameSet;
use crate::proposal::Proposals;
use crate::{Error, FeatureSet, KnowledgeBase};

/// Number of queries that share a snapshot and one pass over the vectors.
pub(crate) const PIECE: usize = 64;
/// Number of names encoded together.
pub(crate) const ENCODE_BATCH: usize = 4096;

/// Retrieves candidates for queries one after another with the same snapshot and buffers.
pub(crate) struct Retriever<'a> {
    kb: &'a KnowledgeBase,
    pub(crate) snapshot: &'a Snapshot<'a>,
    scratch: SearchScratch,
    weights: WordWeights,
}

/// Candidates of a query.
pub(crate) struct RetrievedCandidates {
    pub(crate) proposals: Proposals,
    /// The concept that the exact name decides for, if there is one.
    pub(crate) sole: Option<ConceptIndex>,
    /// All candidates with their features; `None` if the search ended at `sole`.
    pub(crate) featured: Option<(FeatureSet, Vec<CandidateFeatures>)>,
}

impl<'a> Retriever<'a> {
    pub(crate) fn new(kb: &'a KnowledgeBase, snapshot: &'a Snapshot<'a>) -> Self {
        Self { kb, snapshot, scratch: SearchScratch::default(), weights: WordWeights::default() }
    }

    /// Reads words through what other retrievers of the same names and version read before.
    pub(crate) fn remembering(self, remembered: &Arc<WordMemory>) -> Self {
        Self { weights: WordWeights::remembering(Arc::clone(remembered)), ..self }
    }

    /// Returns the scope of all names.
    pub(crate) fn scope(&self) -> Scope<'a> {
        Scope { snapshot: self.snapshot, indexes: &self.kb.indexes, hidden: &[], allowed: None, dense: None }
    }

    /// Adds all concepts whose names the generators look at for a query.
    pub(crate) fn reach(
        &mut self,
        query: &NameProfile,
        scope: &Scope<'_>,
        concepts: &mut BTreeSet<ConceptIndex>,
    ) -> Result<(), Error> {
        let mut proposals = propose_exact(query, scope)?;
        propose_near(query, scope, &mut self.scratch, &mut proposals)?;
        concepts.extend(proposals.iter().map(|(concept, _)| concept));
        for name in proposals.crowd {
            concepts.insert(self.snapshot.name(name)?.0);
        }
        Ok(())
    }

    /// Returns the candidates of a query, `concepts` among them; with `ends_at_sole` only the single one with the exact name, if there is
    /// one.
    ///
    /// If a candidate lacks vectors, all candidates get lexical features: a name without a vector would look like a
    /// distant one.
    pub(crate) fn retrieve(
        &mut self,
        query: &NameProfile,
        mut scope: Scope<'_>,
        ends_at_sole: bool,
        concepts: &[ConceptIndex],
    ) -> Result<RetrievedCandidates, Error> {
        let mut proposals = propose_exact(query, &scope)?;
        let sole = proposals.sole_exact(self.snapshot)?;
        if ends_at_sole && sole.is_some() {
            return Ok(RetrievedCandidates { proposals, sole, featured: None });
        }
        propose_near(query, &scope, &mut self.scratch, &mut proposals)?;
        concepts.iter().try_for_each(|concept| propose_concept(*concept, query, &scope, &mut proposals))?;
        if let Some(dense) = scope.dense
            && !dense.covers(&proposals, &scope)?
        {
            scope.dense = None;
        }
        let features = FeatureSet::of_encoder(scope.dense.is_some());
        let featured = featurize(query, &proposals, &scope, &mut self.weights)?;
        Ok(RetrievedCandidates { proposals, sole, featured: Some((features, featured)) })
    }
}

/// Vectors of several queries with the nearest names of each, from one pass over the store.
pub(crate) struct Nearest<'a> {
    reader: VectorReader<'a>,
    /// True if every name has a vector.
    is_complete: bool,
    vectors: Vec<&'a [f32]>,
    hits: Vec<Vec<Hit>>,
}

impl<'a> Nearest<'a> {
    /// Searches for the names nearest to each vector; up to `hidden` of them may be held out.
    pub(crate) fn search(
        reader: VectorReader<'a>,
        snapshot: &Snapshot<'_>,
        vectors: Vec<&'a [f32]>,
        allowed: Option<&NameSet>,
        hidden: usize,
    ) -> Result<Self, Error> {
        let with_direction: Vec<&[f32]> = vectors.iter().copied().filter(|vector| has_direction(vector)).collect();
        let mut found = nearest(&reader, snapshot, &with_direction, allowed, hidden)?.into_iter();
        let mut hits_of = |vector: &&[f32]| {
            let found = if has_direction(vector) { found.next() } else { None };
            found.unwrap_or_default()
        };
        let hits = vectors.iter().map(&mut hits_of).collect();
        Ok(Self { reader, is_complete: false, vectors, hits })
    }

    /// Marks that every name has a vector.
    pub(crate) fn complete(self) -> Self {
        Self { is_complete: true, ..self }
    }

    /// Returns the vector of a query with its nearest names; `None` if the query has no known token, so that its vector
    /// is zero.
    pub(crate) fn of(&self, query: usize) -> Option<Dense<'_>> {
        let vector = self.vectors[query];
        let dense = Dense { reader: &self.reader, vector, hits: &self.hits[query], is_complete: self.is_complete };
        (self.is_complete || has_direction(vector)).then_some(dense)
    }
}

fn has_direction(vector: &[f32]) -> bool {
    vector.iter().any(|value| *value != 0.0)
}

/// Returns the exactly matching name that is written like the query, else the first exact one.
pub(crate) fn exact_name(
    concept: ConceptIndex,
    query: &NameProfile,
    proposals: &Proposals,
    snapshot: &Snapshot<'_>,
) -> Result<NameIndex, Error> {
    let exact = proposals.exact_names(concept);
    let mut matched = exact[0];
    for name in &exact {
        if snapshot.name(*name)?.1 == query.written {
            matched = *name;
        }
    }
    Ok(matched)
}
