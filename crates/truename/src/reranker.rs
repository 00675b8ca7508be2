use crate::{Candidate, Error, Query};

/// Reorders the ranker's best candidates of mentions, with their context; before calibration and the NIL threshold.
///
/// A name that exactly one concept has is not asked about. Candidates after the best [`Reranker::depth`] are dropped.
pub trait Reranker: Send + Sync {
    /// Returns the largest number of candidates of a query that are scored.
    fn depth(&self) -> usize;

    /// Scores the candidates of several queries: for each query one logit a candidate, in their order, higher is likelier.
    /// "None of the candidates" has the logit 0.
    ///
    /// # Errors
    /// [`Error::other`] with the cause where the model fails.
    fn score(&self, shortlists: &[Shortlist<'_>]) -> Result<Vec<Vec<f64>>, Error>;
}

/// A query and the ranker's best candidates.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Shortlist<'a> {
    /// The query with its context, where it has one.
    pub query: Query<'a>,
    /// The candidates from the likeliest on, with the ranker's logits in their scores.
    pub candidates: &'a [Candidate],
}

impl<'a> Shortlist<'a> {
    /// Joins a query with its candidates.
    pub fn new(query: Query<'a>, candidates: &'a [Candidate]) -> Self {
        Self { query, candidates }
    }
}

/// Scores shortlists and checks the number and range of the logits.
pub(crate) fn score(reranker: &dyn Reranker, shortlists: &[Shortlist<'_>]) -> Result<Vec<Vec<f64>>, Error> {
    let scores = reranker.score(shortlists)?;
    if scores.len() != shortlists.len() {
        return Err(Error::reranker(format!("{} queries, {} lists of scores", shortlists.len(), scores.len())));
    }
    for (shortlist, scores) in shortlists.iter().zip(&scores) {
        let (name, candidates) = (shortlist.query.name, shortlist.candidates.len());
        if scores.len() != candidates {
            return Err(Error::reranker(format!("{candidates} candidates of \"{name}\", {} scores", scores.len())));
        }
        if scores.iter().any(|score| !score.is_finite()) {
            return Err(Error::reranker(format!("a score for \"{name}\" that is not finite")));
        }
    }
    Ok(scores)
}
