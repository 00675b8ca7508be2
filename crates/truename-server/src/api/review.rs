//! `/v1/review/order`: the order in which a person reviews answers.

use axum::Json;
use serde::{Deserialize, Serialize};
use truename::{doubt_of, review_order};
use utoipa::ToSchema;

use crate::body::Body;
use crate::failure::{Failure, FailureBody};

/// Answers to put in order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OrderRequest {
    answers: Vec<Answer>,
    /// Share of the first draws that is even; the others go by doubt.
    #[schema(minimum = 0, maximum = 1, default = 0.1)]
    share: Option<f64>,
    /// Seed of the draws.
    #[serde(default)]
    seed: u32,
}

/// Probabilities of an answer.
#[derive(Deserialize, ToSchema)]
pub(super) struct Answer {
    /// Probability of the best candidate; 0 if there is none.
    #[schema(minimum = 0, maximum = 1)]
    probability: f64,
    /// Probability of the next candidate; 0 if there is none.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1)]
    next: f64,
}

/// Answers in their order.
#[derive(Serialize, ToSchema)]
pub(super) struct OrderResponse {
    /// Indices of the answers.
    order: Vec<usize>,
    /// Chance with which each answer of `order` is drawn first, beside 1 for the one in most doubt; judgements carry it.
    chances: Vec<f64>,
}

/// Returns the order in which a person reviews answers: at random, doubtful ones sooner.
#[utoipa::path(post, path = "/v1/review/order", tag = "judgements", request_body(content = OrderRequest),
    responses((status = 200, description = "The answer", body = OrderResponse), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn order(
    Body(OrderRequest { answers, share, seed }): Body<OrderRequest>,
) -> Result<Json<OrderResponse>, Failure> {
    let share = share.unwrap_or(0.1);
    let all = answers.iter().flat_map(|answer| [answer.probability, answer.next]).chain([share]);
    if let Some(wrong) = all.into_iter().find(|value| !(0.0..=1.0).contains(value)) {
        return Err(Failure::request(format!("{wrong} is no probability")));
    }
    let doubts: Vec<f64> = answers.iter().map(|answer| doubt_of([answer.probability, answer.next]).sqrt()).collect();
    let drawn = review_order(&doubts, share, seed.into());
    Ok(Json(OrderResponse {
        order: drawn.iter().map(|drawn| drawn.index).collect(),
        chances: drawn.iter().map(|drawn| drawn.chance).collect(),
    }))
}
