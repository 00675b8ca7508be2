//! Re-rankers: the best candidates of the ranker scored again with the context, before the NIL threshold.

mod trained;

pub use trained::TrainedReranker;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use truename_error::ErrorKind;
use truename_infer::ContextScores;
use truename_kb::Concept;
use truename_text::Span;

use crate::{Candidate, Error, Query};

/// Rescores the ranker's best candidates of mentions with their context, before calibration and the NIL threshold.
///
/// Names without a context, and names that exactly one concept has, are skipped. Only the best [`Reranker::depth`] candidates are kept.
pub trait Reranker: Send + Sync {
    /// Returns the maximum number of candidates that are scored for a query.
    fn depth(&self) -> usize;

    /// Scores the candidates of several queries. Returns one list a query with one logit a candidate, in their order;
    /// higher is likelier. "None of the candidates" has the logit 0.
    ///
    /// # Errors
    /// If the model fails; [`Error::other`] wraps the cause.
    fn score(&self, shortlists: &[Shortlist<'_>]) -> Result<Vec<Vec<f64>>, Error>;

    /// Returns the probability of the ranker's best candidate from which the re-ranker is not asked; infinite by default.
    fn certain(&self) -> f64 {
        f64::INFINITY
    }

    /// Returns whether the window holds the mention of a query. One that it does not hold keeps the answer by its name, which says so
    /// ([`Link::is_truncated`](crate::Link::is_truncated)).
    fn reads(&self, _: &Query<'_>) -> bool {
        true
    }

    /// Returns the words of the context that told most, if the re-ranker can say; asked for explanations alone.
    ///
    /// # Errors
    /// As [`Reranker::score`].
    fn attended(&self, _: &Shortlist<'_>) -> Result<Vec<Span>, Error> {
        Ok(Vec::new())
    }
}

impl<R: Reranker + ?Sized> Reranker for Arc<R> {
    fn depth(&self) -> usize {
        R::depth(self)
    }

    fn score(&self, shortlists: &[Shortlist<'_>]) -> Result<Vec<Vec<f64>>, Error> {
        R::score(self, shortlists)
    }

    fn certain(&self) -> f64 {
        R::certain(self)
    }

    fn reads(&self, query: &Query<'_>) -> bool {
        R::reads(self, query)
    }

    fn attended(&self, shortlist: &Shortlist<'_>) -> Result<Vec<Span>, Error> {
        R::attended(self, shortlist)
    }
}

/// A query and the ranker's best candidates.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Shortlist<'a> {
    /// Query, optionally with its context.
    pub query: Query<'a>,
    /// Candidates, likeliest first, with the ranker's logits in their scores.
    pub candidates: &'a [Candidate],
    /// The concept of each candidate.
    pub concepts: Vec<CandidateConcept>,
}

/// The concept of a candidate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CandidateConcept {
    /// The concept.
    pub concept: Concept,
    /// The preferred names of its broader concepts.
    pub parents: Vec<String>,
}

impl CandidateConcept {
    /// Joins a concept with the preferred names of its broader concepts.
    pub fn new(concept: Concept, parents: Vec<String>) -> Self {
        Self { concept, parents }
    }
}

impl<'a> Shortlist<'a> {
    /// Joins a query with its candidates and their concepts.
    pub fn new(query: Query<'a>, candidates: &'a [Candidate], concepts: Vec<CandidateConcept>) -> Self {
        Self { query, candidates, concepts }
    }
}

/// Keeps `depth` candidates, which are sorted likeliest first: by turns the likeliest and, where a retriever was asked, the nearest to the
/// context.
pub(crate) fn shorten(candidates: &mut Vec<Candidate>, depth: usize) {
    let of_retriever = |candidate: &Candidate| candidate.scores.retriever;
    let mut nearest: Vec<usize> = (0..candidates.len()).filter(|at| of_retriever(&candidates[*at]).is_some()).collect();
    nearest.sort_by(|left, right| {
        of_retriever(&candidates[*right]).partial_cmp(&of_retriever(&candidates[*left])).unwrap_or(Ordering::Equal)
    });
    let by_turns = (0..candidates.len()).flat_map(|turn| [Some(turn), nearest.get(turn).copied()]).flatten();
    let mut kept = BTreeSet::new();
    for at in by_turns {
        if kept.len() == depth {
            break;
        }
        kept.insert(at);
    }
    let mut at = 0..;
    candidates.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
}

/// Returns the scores of candidates before a re-ranker is asked. A candidate that the retriever did not find has the lowest cosine of those
/// that it found.
pub fn context_scores(candidates: &[Candidate]) -> Vec<ContextScores> {
    let found = candidates.iter().filter_map(|candidate| candidate.scores.retriever);
    let lowest = found.reduce(f64::min).unwrap_or_default();
    let scores = |candidate: &Candidate| ContextScores {
        cloze: 0.0,
        ranker: candidate.scores.ranker.unwrap_or_default(),
        retriever: candidate.scores.retriever.unwrap_or(lowest),
    };
    candidates.iter().map(scores).collect()
}

/// Scores shortlists and checks the number and range of the logits.
pub(crate) fn score(reranker: &dyn Reranker, shortlists: &[Shortlist<'_>]) -> Result<Vec<Vec<f64>>, Error> {
    let scores = reranker.score(shortlists)?;
    let broken = |found: String| Err(Error::new(ErrorKind::Other, format!("the re-ranker gave {found}")));
    if scores.len() != shortlists.len() {
        return broken(format!("{} queries, {} lists of scores", shortlists.len(), scores.len()));
    }
    for (shortlist, scores) in shortlists.iter().zip(&scores) {
        let (name, candidates) = (shortlist.query.name, shortlist.candidates.len());
        if scores.len() != candidates {
            return broken(format!("{candidates} candidates of \"{name}\", {} scores", scores.len()));
        }
        if scores.iter().any(|score| !score.is_finite()) {
            return broken(format!("a score for \"{name}\" that is not finite"));
        }
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_keep_their_order_and_are_chosen_by_turns() {
        let candidate = |(id, retriever): (&str, Option<f64>)| {
            let mut candidate = Candidate::new(id.parse().unwrap(), id, 0.1);
            candidate.scores.retriever = retriever;
            candidate
        };
        let likeliest_first = [("A", None), ("B", Some(0.1)), ("C", None), ("D", Some(0.9)), ("E", Some(0.5))];
        let kept = |depth: usize| {
            let mut candidates = likeliest_first.map(candidate).to_vec();
            shorten(&mut candidates, depth);
            candidates.iter().map(|candidate| candidate.id.as_str().to_owned()).collect::<String>()
        };
        assert_eq!([1, 2, 3, 4, 9].map(kept), ["A", "AD", "ABD", "ABDE", "ABCDE"]);
        let mut by_name = [("A", None), ("B", None), ("C", None)].map(candidate).to_vec();
        shorten(&mut by_name, 2);
        assert_eq!(by_name.len(), 2, "without a retriever the likeliest");
    }
}
