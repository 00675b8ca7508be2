//! Links names to concepts.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use truename_kb::{ConceptIndex, NameIndex, Snapshot};
use truename_text::{NameProfile, NormalizedName};

use crate::call::Call;
use crate::explain::{explain, explain_placeholder};
use crate::feature::Featured;
use crate::generator::{Dense, Scope};
use crate::knowledge_base::encode;
use crate::name_set::NameSet;
use crate::placeholder::is_same_name;
use crate::reranker::{self, Shortlist};
use crate::retrieval::{ENCODE_BATCH, Nearest, PIECE, Retriever, exact_name};
use crate::{
    Candidate, Encoder, Error, FeatureSet, KnowledgeBase, Link, Placeholders, Query, Ranker, Reranker, Scores,
};

/// Options of a [`Linker`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkOptions {
    /// Number of candidates given for each name.
    pub top: usize,
    /// Probability below which the answer is NIL; `None` for the fitted threshold.
    pub min_probability: Option<f64>,
    /// Types of the concepts that may be answered; empty for all.
    pub types: Vec<String>,
    /// Whether each answer is explained in words.
    pub explain: bool,
    /// Texts such as numbers, dates and `unknown` that stand for no name. Such a text is answered NIL, with no
    /// candidate, unless a concept has exactly this name. `None` links every text.
    pub placeholders: Option<Arc<Placeholders>>,
}

impl Default for LinkOptions {
    fn default() -> Self {
        let placeholders = Some(Arc::new(Placeholders::default()));
        Self { top: 5, min_probability: None, types: Vec::new(), explain: false, placeholders }
    }
}

impl LinkOptions {
    /// Sets the number of candidates given for each name.
    #[must_use]
    pub fn top(self, top: usize) -> Self {
        Self { top, ..self }
    }

    /// Sets the probability below which the answer is NIL; `None` for the fitted threshold.
    #[must_use]
    pub fn min_probability(self, min_probability: Option<f64>) -> Self {
        Self { min_probability, ..self }
    }

    /// Sets the types of the concepts that may be answered; empty for all.
    #[must_use]
    pub fn types(self, types: Vec<String>) -> Self {
        Self { types, ..self }
    }

    /// Sets whether each answer is explained in words.
    #[must_use]
    pub fn explain(self, explain: bool) -> Self {
        Self { explain, ..self }
    }

    /// Sets the texts that stand for no name; `None` links every text.
    #[must_use]
    pub fn placeholders(self, placeholders: Option<Arc<Placeholders>>) -> Self {
        Self { placeholders, ..self }
    }
}

/// Links names to the concepts of one knowledge base.
///
/// A link depends only on the query, the knowledge base and the options. All answers of a call come from one version of
/// the knowledge base: the last one committed when the call begins.
pub struct Linker {
    kb: KnowledgeBase,
    options: LinkOptions,
    reranker: Option<Box<dyn Reranker>>,
    /// Rankers and types of the version read last.
    fitted: Mutex<Arc<Fitted>>,
}

/// Longest name in bytes; longer input is answered NIL.
pub const LONGEST_NAME_BYTES: usize = 4096;

/// Rankers and types of one version of a knowledge base.
struct Fitted {
    version: u64,
    ranker: Arc<Ranker>,
    /// Lexical ranker, for names without vectors; the same as `ranker` if there is no encoder.
    lexical: Arc<Ranker>,
    /// Names of the concepts that may be answered; `None` for all.
    allowed: Option<NameSet>,
}

impl Fitted {
    fn read(kb: &KnowledgeBase, snapshot: &Snapshot<'_>, types: &[String]) -> Result<Self, Error> {
        let fitted = |features: FeatureSet| {
            let own =
                snapshot.meta(features.meta_key())?.map(|bytes| Ranker::from_bytes(bytes, features)).transpose()?;
            Ok::<_, Error>(own.map_or_else(|| Ranker::standard(features), Arc::new))
        };
        let lexical = fitted(FeatureSet::Lexical)?;
        let ranker = if kb.encoder().is_some() { fitted(FeatureSet::Dense)? } else { Arc::clone(&lexical) };
        let allowed = if types.is_empty() { None } else { Some(names_of_types(snapshot, types)?.0) };
        Ok(Self { version: snapshot.version(), ranker, lexical, allowed })
    }
}

impl Linker {
    /// Opens a knowledge base with its models, to link with.
    ///
    /// # Errors
    /// If there is no knowledge base, or it or one of its models is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::new(KnowledgeBase::open(path.as_ref())?.with_models()?)
    }

    /// Links to the knowledge base that comes with Truename.
    ///
    /// # Errors
    /// If the user's cache cannot be written.
    pub fn bundled() -> Result<Self, Error> {
        Self::new(KnowledgeBase::bundled()?)
    }

    /// Links to a knowledge base.
    ///
    /// # Errors
    /// If its ranker cannot be read.
    pub fn new(kb: KnowledgeBase) -> Result<Self, Error> {
        let fitted = Fitted::read(&kb, &kb.store.snapshot()?, &[])?;
        Ok(Self { kb, options: LinkOptions::default(), reranker: None, fitted: Mutex::new(Arc::new(fitted)) })
    }

    /// Sets the options.
    ///
    /// # Errors
    /// If no concept has one of the types asked for.
    pub fn with_options(mut self, options: LinkOptions) -> Result<Self, Error> {
        let snapshot = self.kb.store.snapshot()?;
        check_types(&snapshot, &options.types)?;
        let fitted = Fitted::read(&self.kb, &snapshot, &options.types)?;
        drop(snapshot);
        self.fitted = Mutex::new(Arc::new(fitted));
        self.options = options;
        Ok(self)
    }

    /// Adds a re-ranker between the ranker and the NIL threshold.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Box<dyn Reranker>) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// Returns the knowledge base.
    pub fn knowledge_base(&self) -> &KnowledgeBase {
        &self.kb
    }

    /// Returns the probability below which an answer is NIL.
    pub fn threshold(&self) -> f64 {
        self.threshold_of(&self.known())
    }

    /// Links names without context, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// As [`Linker::link`].
    pub fn link_names<S: AsRef<str> + Sync>(&self, names: &[S]) -> Result<Vec<Link>, Error> {
        self.link(&names.iter().map(|name| Query::new(name.as_ref())).collect::<Vec<_>>())
    }

    /// Links one name without context.
    ///
    /// # Errors
    /// As [`Linker::link`].
    pub fn link_name(&self, name: &str) -> Result<Link, Error> {
        Ok(self.link(&[Query::new(name)])?.remove(0))
    }

    /// Links queries, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// If the storage, the encoder or the re-ranker fails.
    #[tracing::instrument(skip_all, fields(names = queries.len()))]
    pub fn link(&self, queries: &[Query<'_>]) -> Result<Vec<Link>, Error> {
        let call = self.begin()?;
        let names: Vec<&str> = queries.iter().map(|query| query.name).collect();
        let mut links = call.rank(&names)?;
        call.rerank(queries, &mut links.iter_mut().collect::<Vec<_>>())?;
        links.iter_mut().for_each(|link| link.candidates.truncate(self.options.top));
        Ok(links)
    }

    pub(crate) fn options(&self) -> &LinkOptions {
        &self.options
    }

    pub(crate) fn has_reranker(&self) -> bool {
        self.reranker.is_some()
    }

    /// Begins a call at the last committed version of the knowledge base.
    pub(crate) fn begin(&self) -> Result<LinkCall<'_>, Error> {
        let call = Call::begin(&self.kb)?;
        let mut fitted = self.known();
        if fitted.version != call.version() {
            fitted = Arc::new(Fitted::read(&self.kb, call.snapshot(), &self.options.types)?);
            *self.fitted.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&fitted);
        }
        Ok(LinkCall { linker: self, call, fitted })
    }

    fn known(&self) -> Arc<Fitted> {
        Arc::clone(&self.fitted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn threshold_of(&self, fitted: &Fitted) -> f64 {
        self.options.min_probability.unwrap_or(fitted.ranker.threshold)
    }

    /// Returns the number of candidates that the stages after the ranker need.
    fn ranked_depth(&self) -> usize {
        self.options.top.max(self.reranker.as_ref().map_or(0, |reranker| reranker.depth()))
    }
}

/// A call of a linker. All answers come from one version of the knowledge base.
pub(crate) struct LinkCall<'a> {
    linker: &'a Linker,
    call: Call<'a>,
    fitted: Arc<Fitted>,
}

impl LinkCall<'_> {
    /// Returns the version of the knowledge base that the call reads.
    pub(crate) fn version(&self) -> u64 {
        self.call.version()
    }

    pub(crate) fn threshold(&self) -> f64 {
        self.linker.threshold_of(&self.fitted)
    }

    /// Ranks the candidates of names. Keeps all concepts that have the exact name and as many candidates as the
    /// re-ranker needs, even if fewer are asked for.
    pub(crate) fn rank(&self, names: &[&str]) -> Result<Vec<Link>, Error> {
        let (linker, fitted) = (self.linker, &*self.fitted);
        let Some(encoder) = linker.kb.encoder() else {
            return self.call.in_pieces(names, PIECE, |snapshot, _, piece| {
                let mut session = Session::new(linker, fitted, snapshot);
                piece.iter().map(|name| session.rank(&Asked::lexical(name), None)).collect()
            });
        };
        let mut links = Vec::with_capacity(names.len());
        for names in names.chunks(ENCODE_BATCH) {
            links.extend(self.rank_encoded(names, encoder)?);
        }
        Ok(links)
    }

    /// Ranks the candidates of names. Encodes only the names that are not resolved lexically.
    fn rank_encoded(&self, names: &[&str], encoder: &Encoder) -> Result<Vec<Link>, Error> {
        let (linker, fitted) = (self.linker, &*self.fitted);
        let resolved: Vec<Option<Link>> = self.call.in_pieces(names, PIECE, |snapshot, _, piece| {
            let mut session = Session::new(linker, fitted, snapshot);
            piece.iter().map(|name| session.resolve(&Asked::lexical(name))).collect()
        })?;
        let open: Vec<&str> =
            names.iter().zip(&resolved).filter(|(_, link)| link.is_none()).map(|(name, _)| *name).collect();
        let vectors = encode(encoder, &open)?;
        let mut ranked = self
            .call
            .in_pieces(&open, PIECE, |snapshot, first, piece| {
                let reader = linker.kb.vectors(snapshot)?;
                let rows = (first..first + piece.len()).map(|at| vectors.row(at)).collect();
                let allowed = fitted.allowed.as_ref();
                let search = |reader| Nearest::search(reader, snapshot, rows, allowed, 0);
                let nearest = reader.map(search).transpose()?;
                let mut session = Session::new(linker, fitted, snapshot);
                let rank = |(at, name): (usize, &&str)| {
                    let is_truncated = vectors.truncated().binary_search(&(first + at)).is_ok();
                    let dense = nearest.as_ref().and_then(|nearest| nearest.of(at));
                    session.rank(&Asked { name, is_truncated }, dense)
                };
                piece.iter().enumerate().map(rank).collect()
            })?
            .into_iter();
        Ok(resolved.into_iter().filter_map(|link| link.or_else(|| ranked.next())).collect())
    }

    /// Re-ranks the links of queries if there is a re-ranker.
    pub(crate) fn rerank(&self, queries: &[Query<'_>], links: &mut [&mut Link]) -> Result<(), Error> {
        let Some(reranker) = self.linker.reranker.as_deref() else { return Ok(()) };
        let is_open = |link: &Link| link.candidates.first().is_some_and(|best| best.scores.ranker.is_some());
        let open: Vec<usize> = (0..links.len()).filter(|at| is_open(links[*at])).collect();
        for at in &open {
            links[*at].candidates.truncate(reranker.depth());
        }
        let shortlists: Vec<Shortlist<'_>> =
            open.iter().map(|at| Shortlist::new(queries[*at], &links[*at].candidates)).collect();
        let scores = reranker::score(reranker, &shortlists)?;
        for (at, scores) in open.into_iter().zip(scores) {
            self.reorder(links[at], &scores);
        }
        Ok(())
    }

    fn reorder(&self, link: &mut Link, scores: &[f64]) {
        let probabilities = Ranker::probabilities(scores);
        for ((candidate, score), probability) in link.candidates.iter_mut().zip(scores).zip(probabilities) {
            candidate.scores.reranker = Some(*score);
            candidate.probability = probability;
        }
        sort(&mut link.candidates);
        let threshold = self.threshold();
        link.is_nil = is_nil(&link.candidates, threshold);
        if link.explanation.is_some() {
            link.explanation = Some(explain(&link.name, &link.candidates, threshold));
        }
    }

    /// Returns the types of all candidates of each link.
    pub(crate) fn types_of(&self, links: &[Link]) -> Result<Vec<Vec<Vec<String>>>, Error> {
        self.call.in_pieces(links, PIECE, |snapshot, _, piece| {
            let types = |candidate: &Candidate| -> Result<Vec<String>, Error> {
                let Some(concept) = snapshot.index_of(&candidate.id)? else { return Ok(Vec::new()) };
                Ok(snapshot.concept_types(concept)?.into_iter().map(str::to_owned).collect())
            };
            let of_link = |link: &Link| link.candidates.iter().map(types).collect();
            piece.iter().map(of_link).collect()
        })
    }
}

/// A name to rank.
struct Asked<'a> {
    name: &'a str,
    /// Whether the vector covers only the beginning of the name.
    is_truncated: bool,
}

impl<'a> Asked<'a> {
    fn lexical(name: &'a str) -> Self {
        Self { name, is_truncated: false }
    }
}

/// Ranks names one after another with the same snapshot and buffers.
struct Session<'a> {
    linker: &'a Linker,
    fitted: &'a Fitted,
    retriever: Retriever<'a>,
}

impl<'a> Session<'a> {
    fn new(linker: &'a Linker, fitted: &'a Fitted, snapshot: &'a Snapshot<'a>) -> Self {
        Self { linker, fitted, retriever: Retriever::new(&linker.kb, snapshot) }
    }

    /// Returns the answer if it needs no vector: the text is no name, or a single concept has the exact name.
    fn resolve(&mut self, asked: &Asked<'_>) -> Result<Option<Link>, Error> {
        let Some(profile) = self.named(asked.name)? else { return Ok(Some(self.answer(asked, Vec::new()))) };
        if !self.ends_at_sole() {
            return Ok(None);
        }
        let proposals = crate::generator::propose_exact(&profile, &self.scope(None))?;
        let Some(sole) = proposals.sole_exact() else { return Ok(None) };
        let matched = exact_name(sole, &profile, &proposals, self.retriever.snapshot)?;
        let candidate = self.exact(sole, matched)?;
        Ok(Some(self.answer(asked, vec![candidate])))
    }

    /// Ranks the candidates of a name.
    fn rank(&mut self, asked: &Asked<'_>, dense: Option<Dense<'_>>) -> Result<Link, Error> {
        let candidates = match self.named(asked.name)? {
            Some(profile) => self.candidates(&profile, dense)?,
            None => Vec::new(),
        };
        Ok(self.answer(asked, candidates))
    }

    /// Returns the profile of a name; `None` if it is empty, too long, or a placeholder that is no name of a concept.
    fn named(&self, name: &str) -> Result<Option<NameProfile>, Error> {
        if name.len() > LONGEST_NAME_BYTES {
            return Ok(None);
        }
        let profile = NameProfile::new(name);
        if profile.normalized.is_empty() {
            return Ok(None);
        }
        if !self.is_placeholder(name, &profile.normalized) {
            return Ok(Some(profile));
        }
        let (snapshot, scope) = (self.retriever.snapshot, self.scope(None));
        for name in snapshot.names_under(profile.keys.exact)?.filter(|name| scope.sees(*name)) {
            if is_same_name(&profile.normalized, &NormalizedName::new(snapshot.name(name)?.1)) {
                return Ok(Some(profile));
            }
        }
        Ok(None)
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
    fn answer(&self, asked: &Asked<'_>, candidates: Vec<Candidate>) -> Link {
        let threshold = self.linker.threshold_of(self.fitted);
        let explanation = self.linker.options.explain.then(|| {
            if candidates.is_empty() && self.is_placeholder(asked.name, &NormalizedName::new(asked.name)) {
                return explain_placeholder(asked.name);
            }
            explain(asked.name, &candidates, threshold)
        });
        // No vector took part where the exact name decided.
        let is_truncated = asked.is_truncated && candidates.first().is_none_or(|best| best.scores.ranker.is_some());
        let is_nil = is_nil(&candidates, threshold);
        let mut link = Link { explanation, is_truncated, ..Link::new(asked.name, candidates, is_nil) };
        link.keep(self.linker.ranked_depth());
        link
    }

    /// Returns candidates, likeliest first; only the single one with the exact name if that is enough.
    fn candidates(&mut self, query: &NameProfile, dense: Option<Dense<'_>>) -> Result<Vec<Candidate>, Error> {
        let (scope, ends_at_sole) = (self.scope(dense), self.ends_at_sole());
        let found = self.retriever.retrieve(query, scope, ends_at_sole)?;
        let exact = match found.sole {
            Some(sole) => {
                let matched = exact_name(sole, query, &found.proposals, self.retriever.snapshot)?;
                Some((sole, self.exact(sole, matched)?))
            }
            None => None,
        };
        match found.featured {
            Some((features, featured)) => self.ranked(&featured, features, exact),
            None => Ok(exact.into_iter().map(|(_, candidate)| candidate).collect()),
        }
    }

    /// Returns the candidate of the only concept with the exact name.
    fn exact(&self, concept: ConceptIndex, matched: NameIndex) -> Result<Candidate, Error> {
        let scores = Scores { exact: 1.0, ..Scores::default() };
        self.candidate(concept, matched, self.fitted.ranker.exact, scores)
    }

    fn ranked(
        &self,
        featured: &[Featured],
        features: FeatureSet,
        exact: Option<(ConceptIndex, Candidate)>,
    ) -> Result<Vec<Candidate>, Error> {
        let ranker = if features == FeatureSet::Lexical { &self.fitted.lexical } else { &self.fitted.ranker };
        let scores: Vec<f64> = featured.iter().map(|candidate| ranker.score(&candidate.row)).collect();
        let mut probabilities = Ranker::probabilities(&scores);
        let sole = exact.as_ref().map(|(concept, _)| *concept);
        if let Some(at) = featured.iter().position(|candidate| Some(candidate.concept) == sole) {
            // The exact name decides; the other candidates share the rest in the ranker's proportions.
            let others = 1.0 - probabilities[at];
            let scale = if others > 0.0 { (1.0 - ranker.exact) / others } else { 0.0 };
            probabilities.iter_mut().for_each(|probability| *probability *= scale);
        }
        let mut candidates: Vec<Candidate> = exact.into_iter().map(|(_, candidate)| candidate).collect();
        for ((candidate, score), probability) in featured.iter().zip(&scores).zip(probabilities) {
            if sole == Some(candidate.concept) {
                continue;
            }
            let scores = Scores {
                exact: candidate.proposal.key.score(),
                ngram: Some(f64::from(candidate.proposal.ngram)),
                dense: candidate.dense.map(f64::from),
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
        Ok(Candidate { matched_name, scores, ..Candidate::new(id.parse()?, preferred_name, probability) })
    }
}

/// Sorts candidates likeliest first, ties by id.
fn sort(candidates: &mut [Candidate]) {
    candidates
        .sort_by(|left, right| right.probability.total_cmp(&left.probability).then_with(|| left.id.cmp(&right.id)));
}

fn is_nil(candidates: &[Candidate], threshold: f64) -> bool {
    candidates.first().is_none_or(|best| best.probability < threshold)
}

/// Refuses types that no concept has.
fn check_types(snapshot: &Snapshot<'_>, types: &[String]) -> Result<(), Error> {
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
