//! Links: the answer to a name, with its candidates and the scores of each stage.

use serde::{Deserialize, Serialize};
use truename_kb::ConceptId;

/// Between the ids of a composite answer, and between its preferred names, as corpora have it.
pub(crate) const COMPOSITE: &str = "|";

/// Answer for one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Link {
    /// Name as it was given.
    pub name: String,
    /// Candidates, likeliest first, ties by id; also present if the answer is NIL.
    pub candidates: Vec<Candidate>,
    /// True if no candidate reaches the threshold, so that the answer is NIL.
    pub is_nil: bool,
    /// The retired id that was given in place of a name; the answer is the concept that replaces it, or NIL where no single one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_id: Option<ConceptId>,
    /// Explanation of the answer in words, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// What the explanation says of the context.
    #[serde(skip)]
    pub(crate) context_explanation: String,
    /// True if the name is longer than the encoder's window, so that its vector covers only the beginning, or than that of a retriever or
    /// re-ranker, which then is not asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_truncated: bool,
}

impl Link {
    /// Creates an answer without an explanation.
    pub fn new(name: impl Into<String>, candidates: Vec<Candidate>, is_nil: bool) -> Self {
        let (name, explanation, context_explanation) = (name.into(), None, String::new());
        Self { name, candidates, is_nil, retired_id: None, explanation, context_explanation, is_truncated: false }
    }

    /// Returns the best candidate; `None` if the answer is NIL.
    pub fn answer(&self) -> Option<&Candidate> {
        self.candidates.first().filter(|_| !self.is_nil)
    }

    /// Returns the id of the answer; `None` if the answer is NIL.
    pub fn id(&self) -> Option<&ConceptId> {
        self.answer().map(|candidate| &candidate.id)
    }

    /// Returns the memory that the answer takes, in bytes.
    pub fn bytes(&self) -> usize {
        let texts = |candidate: &Candidate| {
            let names = candidate.id.as_str().len() + candidate.preferred_name.len() + candidate.matched_name.len();
            names + candidate.alias_source.as_ref().map_or(0, String::len)
        };
        let explanations = self.explanation.as_ref().map_or(0, String::len) + self.context_explanation.len();
        let candidates = self.candidates.iter().map(|candidate| size_of::<Candidate>() + texts(candidate));
        size_of::<Self>() + self.name.len() + explanations + candidates.sum::<usize>()
    }

    /// Returns the number of candidates that share the exact name; 1 at most where it decides for one of them.
    pub(crate) fn shared(&self) -> usize {
        if self.candidates.first().is_some_and(|best| best.scores.ranker.is_none()) {
            return 1;
        }
        self.candidates.iter().filter(|candidate| candidate.scores.exact == 1.0).count()
    }

    /// Keeps the first `top` candidates, all candidates up to the last one with the exact name, and those of the retriever.
    pub(crate) fn keep(&mut self, top: usize) {
        let last = self.candidates.iter().rposition(|candidate| candidate.scores.exact == 1.0);
        let (first, mut at) = (top.max(last.map_or(0, |last| last + 1)), 0);
        self.candidates.retain(|candidate| {
            at += 1;
            at <= first || candidate.scores.retriever.is_some()
        });
    }
}

/// A concept proposed for a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// Id of the concept.
    pub id: ConceptId,
    /// Preferred name of the concept.
    pub preferred_name: String,
    /// Best-fitting name of the concept.
    pub matched_name: String,
    /// Source of the best-fitting name if it is an alias; `None` if it is the concept's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias_source: Option<String>,
    /// Calibrated probability that the name stands for the concept.
    pub probability: f64,
    /// Probability before the re-ranker read the context; `None` if it was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_by_name: Option<f64>,
    /// Scores of the stages.
    pub scores: Scores,
}

impl Candidate {
    /// Creates a candidate that no stage has scored, matched by its preferred name.
    pub fn new(id: ConceptId, preferred_name: impl Into<String>, probability: f64) -> Self {
        let preferred_name = preferred_name.into();
        let matched_name = preferred_name.clone();
        let (alias_source, probability_by_name) = (None, None);
        let scores = Scores::default();
        Self { id, preferred_name, matched_name, alias_source, probability, probability_by_name, scores }
    }
}

/// Scores of a candidate from each stage; higher is closer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scores {
    /// Match of the lookup keys: 1 for the same normal form, 0.75 if inflection or spelling differs, 0.5 for another
    /// word order or a legal form that one name lacks, 0.25 for an acronym, else 0.
    pub exact: f64,
    /// TF-IDF cosine of the character n-grams, 0 if that generator did not propose the candidate; `None` if the exact
    /// name decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ngram: Option<f64>,
    /// Highest cosine over the concept's names; `None` without an encoder or if the exact name decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dense: Option<f64>,
    /// Cosine to the vector of the mention in its context; `None` if the retriever was not asked or did not propose the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retriever: Option<f64>,
    /// Logit of the ranker, where "none of them" has 0; `None` if the exact name decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranker: Option<f64>,
    /// Logit of the re-ranker, where "none of them" has 0; `None` if it was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<f64>,
}
