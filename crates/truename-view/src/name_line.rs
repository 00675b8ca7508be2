//! The answer to a name, as JSON.

use serde::Serialize;
use truename::{Candidate, ConceptId, Link};

/// The answer to a name with its candidates; serializes to a line of `match --format jsonl`.
#[derive(Serialize)]
pub struct NameLine<'a> {
    name: &'a str,
    id: Option<&'a str>,
    preferred_name: Option<&'a str>,
    matched_name: Option<&'a str>,
    probability: f64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    suggested: Option<Suggested<'a>>,
    candidates: &'a [Candidate],
    /// The retired id that was given in place of a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    retired_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a str>,
    /// True if the vector covers only the beginning of the name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_truncated: bool,
}

#[derive(Serialize)]
struct Suggested<'a> {
    suggested_id: Option<&'a str>,
    suggested_name: Option<&'a str>,
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
            suggested: None,
            candidates: &link.candidates,
            retired_id: link.retired_id.as_ref().map(ConceptId::as_str),
            explanation: link.explanation.as_deref(),
            is_truncated: link.is_truncated,
        }
    }

    /// Creates the line of an answer with the best candidate of one that is NIL.
    pub fn with_suggestion(link: &'a Link) -> Self {
        let suggestion = suggestion(link);
        let suggested = Suggested {
            suggested_id: suggestion.map(|candidate| candidate.id.as_str()),
            suggested_name: suggestion.map(|candidate| candidate.preferred_name.as_str()),
        };
        Self { suggested: Some(suggested), ..Self::new(link) }
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
