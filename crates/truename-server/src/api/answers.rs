//! Schemas of answers, which are serialized by `truename-view`.
#![allow(dead_code, reason = "the fields describe what other types serialize")]

use utoipa::ToSchema;

/// The answer to a name.
#[derive(ToSchema)]
pub(super) struct NameAnswer {
    /// Name as it was given.
    name: String,
    /// Id of the concept; `null` if the answer is NIL.
    id: Option<String>,
    preferred_name: Option<String>,
    /// Name of the concept that fits best.
    matched_name: Option<String>,
    /// Probability of the best candidate, even if the answer is NIL.
    probability: f64,
    /// Likeliest first.
    candidates: Vec<CandidateAnswer>,
    /// Id that is no longer in use, if the name is one; `id` is that of the concept that replaces it.
    #[schema(nullable = false)]
    retired_id: Option<String>,
    /// Explanation in words, if asked for.
    #[schema(nullable = false)]
    explanation: Option<String>,
    /// True if the name is longer than the encoder's window.
    #[schema(nullable = false)]
    is_truncated: Option<bool>,
}

/// A concept proposed for a name.
#[derive(ToSchema)]
pub(super) struct CandidateAnswer {
    id: String,
    preferred_name: String,
    matched_name: String,
    /// Outside vocabulary that gave the matched name.
    #[schema(nullable = false)]
    alias_source: Option<String>,
    /// Calibrated probability.
    probability: f64,
    /// Probability before the context was read.
    #[schema(nullable = false)]
    probability_by_name: Option<f64>,
    scores: ScoresAnswer,
}

/// Scores of the stages; higher is closer.
#[derive(ToSchema)]
pub(super) struct ScoresAnswer {
    exact: f64,
    #[schema(nullable = false)]
    ngram: Option<f64>,
    #[schema(nullable = false)]
    dense: Option<f64>,
    #[schema(nullable = false)]
    retriever: Option<f64>,
    #[schema(nullable = false)]
    ranker: Option<f64>,
    #[schema(nullable = false)]
    reranker: Option<f64>,
}

/// A document with its mentions.
#[derive(ToSchema)]
pub(super) struct DocumentAnswer {
    id: String,
    text: String,
    #[schema(nullable = false)]
    passages: Option<Vec<PassageAnswer>>,
    mentions: Vec<MentionAnswer>,
}

/// A passage of a document.
#[derive(ToSchema)]
pub(super) struct PassageAnswer {
    r#type: String,
    start: usize,
    end: usize,
}

/// A mention. The keys of the answer are there if mentions were linked.
#[derive(ToSchema)]
pub(super) struct MentionAnswer {
    start: usize,
    end: usize,
    /// Start and end of each piece of a discontinuous mention.
    #[schema(nullable = false)]
    fragments: Option<Vec<Vec<usize>>>,
    text: String,
    types: Vec<String>,
    id: Option<String>,
    preferred_name: Option<String>,
    matched_name: Option<String>,
    #[schema(nullable = false)]
    probability: Option<f64>,
    /// Score of the recognizer.
    #[schema(nullable = false)]
    score: Option<f64>,
    /// Score above which the recognizer takes a span for a mention.
    #[schema(nullable = false)]
    threshold: Option<f64>,
    #[schema(nullable = false)]
    zero_shot: Option<bool>,
    /// Long form of an abbreviation.
    #[schema(nullable = false)]
    long_form: Option<String>,
    #[schema(nullable = false)]
    candidates: Option<Vec<CandidateAnswer>>,
    #[schema(nullable = false)]
    explanation: Option<String>,
    #[schema(nullable = false)]
    is_truncated: Option<bool>,
}
