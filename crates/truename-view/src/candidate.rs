//! Schema of the candidates in JSON, for the OpenAPI document of the server.

#![allow(dead_code, reason = "the fields describe what `truename` serializes")]

use utoipa::ToSchema;

/// A concept proposed for a name: the schema of a [`Candidate`](truename::Candidate).
#[derive(ToSchema)]
pub struct CandidateAnswer {
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
struct ScoresAnswer {
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
