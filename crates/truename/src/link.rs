use serde::Serialize;
use truename_kb::ConceptId;

/// The answer for one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Link {
    /// The name as it was given.
    pub name: String,
    /// Candidates from the likeliest on, ties by id; also there where the answer is NIL.
    pub candidates: Vec<Candidate>,
    /// Whether no candidate is likely enough.
    pub is_nil: bool,
    /// Reasons for the answer in words, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// Whether the name is longer than the encoder's window, so that its vector is of its beginning alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_truncated: bool,
}

impl Link {
    /// Creates an answer without an explanation.
    pub fn new(name: impl Into<String>, candidates: Vec<Candidate>, is_nil: bool) -> Self {
        Self { name: name.into(), candidates, is_nil, explanation: None, is_truncated: false }
    }

    /// Returns the best candidate; `None` where the answer is NIL.
    pub fn answer(&self) -> Option<&Candidate> {
        self.candidates.first().filter(|_| !self.is_nil)
    }

    /// Returns the id of the answer; `None` where the answer is NIL.
    pub fn id(&self) -> Option<&ConceptId> {
        self.answer().map(|candidate| &candidate.id)
    }

    /// Returns the number of candidates that have the very name.
    pub(crate) fn shared(&self) -> usize {
        self.candidates.iter().filter(|candidate| candidate.scores.exact == 1.0).count()
    }

    /// Drops candidates after the first `top`, except those up to the last that has the very name.
    pub(crate) fn keep(&mut self, top: usize) {
        let last = self.candidates.iter().rposition(|candidate| candidate.scores.exact == 1.0);
        self.candidates.truncate(top.max(last.map_or(0, |last| last + 1)));
    }
}

/// A concept proposed for a name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Candidate {
    /// Id of the concept.
    pub id: ConceptId,
    /// Preferred name of the concept.
    pub preferred_name: String,
    /// Name of the concept that fits best.
    pub matched_name: String,
    /// Calibrated probability that the name stands for the concept.
    pub probability: f64,
    /// Scores of the stages.
    pub scores: Scores,
}

impl Candidate {
    /// Creates a candidate that no stage has scored, matched by its preferred name.
    pub fn new(id: ConceptId, preferred_name: impl Into<String>, probability: f64) -> Self {
        let preferred_name = preferred_name.into();
        let matched_name = preferred_name.clone();
        Self { id, preferred_name, matched_name, probability, scores: Scores::default() }
    }
}

/// Scores that the stages gave a candidate; higher is closer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Scores {
    /// Meeting of the lookup keys: 1 for the same normal form, 0.75 where inflection or spelling differs, 0.5 in another
    /// order, 0.25 as an acronym, 0 for none.
    pub exact: f64,
    /// TF-IDF cosine of the character n-grams, 0 where that generator did not propose the candidate; `None` where the exact
    /// name decided alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ngram: Option<f64>,
    /// Highest cosine of the vectors, over the concept's names; `None` where there is no encoder or the exact name decided
    /// alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dense: Option<f64>,
    /// Logit of the ranker, where "none of them" has 0; `None` where the exact name decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranker: Option<f64>,
    /// Logit of the re-ranker, where "none of them" has 0; `None` where none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<f64>,
}
