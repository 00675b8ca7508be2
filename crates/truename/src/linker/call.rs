//! Calls of a linker, each at one version of the knowledge base.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use truename_kb::{ConceptIndex, Snapshot};
use truename_text::{Sentences, Span};

use super::Linker;
use super::fitted_rankers::FittedRankers;
use super::models::ContextModels;
use super::session::{InText, Limits, RankQuery, Session, is_nil, sort};
use super::vectors::Vectors;
use crate::call::Call;
use crate::explain::{explain, explain_context};
use crate::reranker::{self, CandidateConcept, Shortlist, context_scores, shorten};
use crate::retrieval::{ENCODE_BATCH, Nearest, PIECE};
use crate::{Candidate, Context, Encoder, Error, Link, Query, Ranker};

/// A call of a linker. All answers come from one version of the knowledge base.
pub(crate) struct LinkCall<'a> {
    pub(super) linker: &'a Linker,
    pub(super) call: Call<'a>,
    pub(super) fitted: Arc<FittedRankers>,
    /// Models that read the contexts of the queries.
    pub(super) context: ContextModels,
    /// Probability below which an answer is NIL.
    pub(super) threshold: f64,
}

impl LinkCall<'_> {
    /// Returns the state of the knowledge base that the call reads.
    pub(crate) fn snapshot(&self) -> &Snapshot<'_> {
        self.call.snapshot()
    }

    /// Returns the version of the knowledge base that the call reads.
    pub(crate) fn version(&self) -> u64 {
        self.call.version()
    }

    /// Returns the number of candidates that the stages after the ranker need.
    pub(super) fn depth(&self) -> usize {
        self.context.depth(self.linker.options.top)
    }

    fn limits(&self) -> Limits {
        Limits { depth: self.depth(), threshold: self.threshold }
    }

    /// Returns whether a model reads the context of queries.
    pub(crate) fn reads_context(&self) -> bool {
        self.linker.options.encode_in_context || self.context.are_there()
    }

    /// Returns whether a text is never a mention, by the options or by a judgement.
    pub(super) fn has_stop_name(&self, text: &str) -> bool {
        self.linker.options.stop_names.has(text) || self.fitted.stop_names.has(text)
    }

    pub(crate) fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Ranks the candidates of names. Keeps all concepts that have the exact name and as many candidates as the
    /// re-ranker needs, even if fewer are asked for.
    pub(crate) fn rank(&self, names: &[&str]) -> Result<Vec<Link>, Error> {
        self.rank_asked(&names.iter().map(|name| RankQuery::named(name)).collect::<Vec<_>>())
    }

    fn rank_asked(&self, asked: &[RankQuery<'_>]) -> Result<Vec<Link>, Error> {
        let (linker, fitted, limits) = (self.linker, &*self.fitted, self.limits());
        let Some(encoder) = linker.kb.encoder()? else {
            return self.call.in_pieces(asked, PIECE, |snapshot, _, piece| {
                let mut session = Session::new(linker, fitted, limits, snapshot);
                piece.iter().map(|asked| session.rank(asked, None)).collect()
            });
        };
        let mut links = Vec::with_capacity(asked.len());
        for asked in asked.chunks(ENCODE_BATCH) {
            links.extend(self.rank_encoded(asked, encoder)?);
        }
        Ok(links)
    }

    /// Ranks the candidates of queries with a context anew, if there is a retriever, with the concepts that it proposes, or if the encoder
    /// reads mentions in context; what such an encoder learnt weighs them where no re-ranker does. Names that one concept alone has are
    /// skipped.
    pub(crate) fn rank_in_context(&self, queries: &[Query<'_>], links: &mut [&mut Link]) -> Result<(), Error> {
        let ContextModels { retriever, reranker, mapping } = &self.context;
        let (retriever, in_context) =
            (retriever.as_deref(), mapping.is_some() || self.linker.options.encode_in_context);
        if retriever.is_none() && !in_context {
            return Ok(());
        }
        // The context may propose concepts where the name has none.
        let is_asked =
            |at: &usize| queries[*at].context.is_some() && (links[*at].candidates.is_empty() || is_open(links[*at]));
        let open: Vec<usize> = (0..links.len()).filter(is_asked).collect();
        let open =
            keep_readable(open, queries, links, |query| retriever.is_none_or(|retriever| retriever.reads(query)));
        let queries: Vec<Query<'_>> = open.iter().map(|at| queries[*at]).collect();
        let nearest = match retriever {
            Some(retriever) => retriever.nearest(&queries, self.depth())?,
            None => vec![Vec::new(); queries.len()],
        };
        let network = self.linker.kb.encoder()?.filter(|_| in_context).map(Encoder::hash);
        let is_read = |query: &Query<'_>| query.vector.is_some_and(|vector| Some(&*vector.network) == network);
        let sentences = sentences_of(&queries, |query| in_context && !is_read(query));
        let asked = queries.iter().zip(&nearest).zip(&sentences).map(|((query, nearest), sentence)| RankQuery {
            nearest,
            in_text: match (sentence, query.vector) {
                (Some((text, place)), _) => Some(InText::Sentence(text, *place)),
                (None, Some(vector)) if is_read(query) => Some(InText::Vector(&vector.values)),
                _ => None,
            },
            ..RankQuery::named(query.name)
        });
        let ranked = self.rank_asked(&asked.collect::<Vec<_>>())?;
        let mapping = mapping.filter(|_| reranker.is_none());
        for (at, mut link) in open.into_iter().zip(ranked) {
            if let Some(mapping) = mapping.filter(|_| is_open(&link)) {
                let scores = context_scores(&link.candidates).into_iter().map(|scores| mapping.logit(scores));
                self.reorder(&mut link, &scores.collect::<Vec<_>>(), &[]);
            }
            *links[at] = link;
        }
        Ok(())
    }

    /// Ranks the candidates of names. Encodes only the names that are not resolved lexically.
    fn rank_encoded(&self, asked: &[RankQuery<'_>], encoder: &Encoder) -> Result<Vec<Link>, Error> {
        let (linker, fitted, limits) = (self.linker, &*self.fitted, self.limits());
        let resolved: Vec<Option<Link>> = self.call.in_pieces(asked, PIECE, |snapshot, _, piece| {
            let mut session = Session::new(linker, fitted, limits, snapshot);
            piece.iter().map(|asked| session.resolve(asked)).collect()
        })?;
        let open: Vec<RankQuery<'_>> =
            asked.iter().zip(&resolved).filter(|(_, link)| link.is_none()).map(|(asked, _)| *asked).collect();
        let vectors = Vectors::encode(encoder, &open, &linker.answers.vectors)?;
        let mut ranked = self
            .call
            .in_pieces(&open, PIECE, |snapshot, first, piece| {
                let nearest = nearest(linker, fitted, snapshot, (&vectors, first..first + piece.len()))?;
                let mut session = Session::new(linker, fitted, limits, snapshot);
                let rank = |(at, asked): (usize, &RankQuery<'_>)| {
                    let is_truncated = vectors.is_truncated(first + at);
                    let dense = nearest.as_ref().and_then(|nearest| nearest.of(at));
                    session.rank(&RankQuery { is_truncated, ..*asked }, dense)
                };
                piece.iter().enumerate().map(rank).collect()
            })?
            .into_iter();
        Ok(resolved.into_iter().filter_map(|link| link.or_else(|| ranked.next())).collect())
    }

    /// Returns the concepts that the answers to names depend on where this knowledge base is a shard of a larger one.
    pub(crate) fn reach(&self, names: &[&str]) -> Result<BTreeSet<ConceptIndex>, Error> {
        let (linker, fitted, limits) = (self.linker, &*self.fitted, self.limits());
        let mut all = BTreeSet::new();
        for names in names.chunks(ENCODE_BATCH) {
            let asked: Vec<RankQuery<'_>> = names.iter().map(|name| RankQuery::named(name)).collect();
            let encode = |encoder| Vectors::encode(encoder, &asked, &linker.answers.vectors);
            let vectors = linker.kb.encoder()?.map(encode).transpose()?;
            let reached = self.call.in_pieces(names, PIECE, |snapshot, first, piece| {
                let nearest = vectors
                    .as_ref()
                    .map(|vectors| nearest(linker, fitted, snapshot, (vectors, first..first + piece.len())));
                let nearest = nearest.transpose()?.flatten();
                let (mut session, mut reached) = (Session::new(linker, fitted, limits, snapshot), BTreeSet::new());
                for (at, name) in piece.iter().enumerate() {
                    session.reach(name, nearest.as_ref().and_then(|nearest| nearest.of(at)), &mut reached)?;
                }
                Ok(vec![reached])
            })?;
            all.extend(reached.into_iter().flatten());
        }
        Ok(all)
    }

    /// Re-ranks the links of queries with a context if there is a re-ranker.
    pub(crate) fn rerank(&self, queries: &[Query<'_>], links: &mut [&mut Link]) -> Result<(), Error> {
        let Some(reranker) = self.context.reranker.as_deref() else { return Ok(()) };
        let is_certain = |link: &Link| link.candidates[0].probability >= reranker.certain();
        let is_asked = |at: &usize| queries[*at].context.is_some() && is_open(links[*at]) && !is_certain(links[*at]);
        let open: Vec<usize> = (0..links.len()).filter(is_asked).collect();
        let open = keep_readable(open, queries, links, |query| reranker.reads(query));
        for at in &open {
            shorten(&mut links[*at].candidates, reranker.depth());
        }
        let concepts = self.call.in_pieces(&open, PIECE, |snapshot, _, piece| {
            piece.iter().map(|at| concepts_of(&links[*at].candidates, snapshot)).collect()
        })?;
        let shortlists: Vec<Shortlist<'_>> = open
            .iter()
            .zip(concepts)
            .map(|(at, concepts)| Shortlist::new(queries[*at], &links[*at].candidates, concepts))
            .collect();
        let scores = reranker::score(reranker, &shortlists)?;
        let attended: Vec<Vec<Span>> = match self.linker.options.explain {
            true => shortlists.iter().map(|shortlist| reranker.attended(shortlist)).collect::<Result<_, _>>()?,
            false => vec![Vec::new(); open.len()],
        };
        for ((at, scores), attended) in open.into_iter().zip(scores).zip(attended) {
            let text = queries[at].context.map_or("", |context| context.document.text.as_str());
            let attended: Vec<&str> = attended.iter().filter_map(|word| word.of(text)).collect();
            for (candidate, score) in links[at].candidates.iter_mut().zip(&scores) {
                candidate.scores.reranker = Some(*score);
            }
            self.reorder(links[at], &scores, &attended);
        }
        Ok(())
    }

    /// Sorts candidates by new logits. `attended`: words of the context for the explanation.
    fn reorder(&self, link: &mut Link, logits: &[f64], attended: &[&str]) {
        let probabilities = Ranker::probabilities(logits);
        for (candidate, probability) in link.candidates.iter_mut().zip(probabilities) {
            candidate.probability_by_name = Some(candidate.probability);
            candidate.probability = probability;
        }
        sort(&mut link.candidates);
        let threshold = self.threshold();
        link.is_nil = is_nil(&link.candidates, threshold);
        if link.explanation.is_some() {
            let by_names = explain(&link.name, &link.candidates, threshold, self.fitted.basis);
            link.context_explanation = explain_context(&link.candidates, attended);
            link.explanation = Some(by_names + &link.context_explanation);
        }
    }

    /// Returns the types of all candidates of each link.
    pub(crate) fn types_of(&self, links: &[&Link]) -> Result<Vec<Vec<Vec<String>>>, Error> {
        self.call.in_pieces(links, PIECE, |snapshot, _, piece| {
            let types = |candidate: &Candidate| -> Result<Vec<String>, Error> {
                let Some(concept) = snapshot.index_of(&candidate.id)? else { return Ok(Vec::new()) };
                Ok(snapshot.concept_types(concept)?.into_iter().map(str::to_owned).collect())
            };
            let of_link = |link: &&Link| link.candidates.iter().map(types).collect();
            piece.iter().map(of_link).collect()
        })
    }
}

/// Searches for the names nearest to some of the vectors; `None` if the names have none.
fn nearest<'v>(
    linker: &Linker,
    fitted: &FittedRankers,
    snapshot: &'v Snapshot<'_>,
    (vectors, rows): (&'v Vectors, Range<usize>),
) -> Result<Option<Nearest<'v>>, Error> {
    let Some(reader) = linker.kb.vectors(snapshot)? else { return Ok(None) };
    let rows = rows.map(|at| vectors.row(at)).collect();
    Nearest::search(reader, snapshot, rows, fitted.allowed.as_ref(), 0).map(Some)
}

/// Returns the sentence of each query's mention with the query's name in the place of the mention, and the place of the name there; `None` for
/// queries without context and those that are not to be read.
fn sentences_of<'a>(
    queries: &[Query<'a>],
    is_to_read: impl Fn(&Query<'a>) -> bool,
) -> Vec<Option<(Cow<'a, str>, Span)>> {
    let mut read: Option<Sentences<'a>> = None;
    let sentence_of = |query: &Query<'a>| {
        let Context { document, span } = query.context.filter(|_| is_to_read(query))?;
        let text = document.text.as_str();
        // The queries of a document stand together.
        if read.as_ref().is_none_or(|read| !std::ptr::eq(read.text(), text)) {
            read = Some(Sentences::of(text));
        }
        Some(read.as_ref()?.with_name(span, query.name))
    };
    queries.iter().map(sentence_of).collect()
}

/// Leaves out the queries whose mention no window holds, and marks their links.
fn keep_readable(
    mut open: Vec<usize>,
    queries: &[Query<'_>],
    links: &mut [&mut Link],
    reads: impl Fn(&Query<'_>) -> bool,
) -> Vec<usize> {
    open.retain(|at| {
        let is_read = reads(&queries[*at]);
        links[*at].is_truncated |= !is_read;
        is_read
    });
    open
}

/// Returns whether the ranker was asked.
fn is_open(link: &Link) -> bool {
    link.candidates.first().is_some_and(|best| best.scores.ranker.is_some())
}

/// Returns the concepts of candidates, with the preferred names of their broader concepts that the knowledge base has.
fn concepts_of(candidates: &[Candidate], snapshot: &Snapshot<'_>) -> Result<Vec<CandidateConcept>, Error> {
    let of = |candidate: &Candidate| {
        let concept = snapshot.concept_by_id(&candidate.id)?;
        let name = |id| match snapshot.concept_by_id(id) {
            Err(error) if error.is_not_found() => None,
            parent => Some(parent.map(|parent| parent.name)),
        };
        let parents = concept.parents.iter().filter_map(name).collect::<Result<_, _>>()?;
        Ok(CandidateConcept::new(concept, parents))
    };
    candidates.iter().map(of).collect()
}
