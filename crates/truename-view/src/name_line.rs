//! The answer to a name, as JSON.

use serde::Serialize;
use truename::{Candidate, ConceptId, Link};
use utoipa::ToSchema;

use crate::CandidateAnswer;

/// The answer to a name.
#[derive(Serialize, ToSchema)]
#[schema(as = NameAnswer)]
pub struct NameLine<'a> {
    /// Name as it was given.
    name: &'a str,
    /// Id of the concept; `null` if the answer is NIL.
    id: Option<&'a str>,
    preferred_name: Option<&'a str>,
    /// Name of the concept that fits best.
    matched_name: Option<&'a str>,
    /// Probability of the best candidate, even if the answer is NIL.
    probability: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    suggested_id: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    suggested_name: Option<Option<&'a str>>,
    /// Likeliest first.
    #[schema(value_type = Vec<CandidateAnswer>)]
    candidates: &'a [Candidate],
    /// Id that is no longer in use, if the name is one; `id` is that of the concept that replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    retired_id: Option<&'a str>,
    /// Explanation in words, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    explanation: Option<&'a str>,
    /// True if the name is longer than the encoder's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_truncated: bool,
}

impl<'a> NameLine<'a> {
    /// Creates the line of an answer.
    pub fn new(link: &'a Link) -> Self {
        let answer = link.answer();
        Self {
            name: &link.name,
            id: link.id().map(ConceptId::as_str),
            preferred_name: answer.map(|candidate| candidate.preferred_name.as_str()),
            matched_name: answer.map(|candidate| candidate.matched_name.as_str()),
            probability: probability(link),
            suggested_id: None,
            suggested_name: None,
            candidates: &link.candidates,
            retired_id: link.retired_id.as_ref().map(ConceptId::as_str),
            explanation: link.explanation.as_deref(),
            is_truncated: link.is_truncated,
        }
    }

    /// Creates the line of an answer with the best candidate of one that is NIL.
    pub fn with_suggestion(link: &'a Link) -> Self {
        let suggestion = suggestion(link);
        Self {
            suggested_id: Some(suggestion.map(|candidate| candidate.id.as_str())),
            suggested_name: Some(suggestion.map(|candidate| candidate.preferred_name.as_str())),
            ..Self::new(link)
        }
    }
}

/// Returns the probability of the best candidate, even if it is not answered.
pub fn probability(link: &Link) -> f64 {
    link.candidates.first().map_or(0.0, |candidate| candidate.probability)
}

/// Returns the best candidate if it is not answered.
pub fn suggestion(link: &Link) -> Option<&Candidate> {
    link.candidates.first().filter(|_| link.is_nil)
}
