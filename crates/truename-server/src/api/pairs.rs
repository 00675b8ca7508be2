//! `/v1/pairs`: pairs of records that may stand for the same thing, listed and labelled.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use truename_error::excerpt;
use truename_records::{RecordPair, side_by_side};
use utoipa::{IntoParams, ToSchema};

use super::judgements::Saved;
use crate::body::{Body, Parameters};
use crate::budget::HeldMemory;
use crate::failure::{Failure, FailureBody};
use crate::pairs::{NextPairs, Pairs};
use crate::state::Shared;
use crate::work::blocking;

/// Most pairs of an answer.
const MOST: usize = 100;
/// Bytes that a pair with its two records usually takes.
const PAIR_BYTES: usize = 16 << 10;

/// The pairs of a request.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Next {
    /// Number of pairs.
    #[param(minimum = 1, maximum = 100, default = 5)]
    top: Option<usize>,
}

/// The next pairs to label: at random, doubtful ones sooner.
#[derive(Serialize, ToSchema)]
pub(super) struct PairList {
    /// Number of labels.
    labels: usize,
    /// Number of labels that say that both records stand for the same thing.
    matches: usize,
    /// Pairs without a label; empty if there is none.
    pairs: Vec<ListedPair>,
}

/// A pair of records.
#[derive(Serialize, ToSchema)]
struct ListedPair {
    /// Id of the first record, or its row from 1.
    left: String,
    /// Id of the second record, or its row from 1.
    right: String,
    /// Probability that both stand for the same thing, by the labels so far.
    probability: f64,
    columns: Vec<ColumnOfPair>,
}

/// A column with its values.
#[derive(Serialize, ToSchema)]
struct ColumnOfPair {
    name: String,
    /// Value of the first record.
    left: String,
    /// Value of the second record.
    right: String,
}

/// Lists the next pairs to label. The probabilities, and with them the order, are those of a scorer that is fitted to every five labels.
#[utoipa::path(get, path = "/v1/pairs", tag = "pairs", params(Next),
    responses((status = 200, description = "The answer", body = PairList), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn list(
    State(state): State<Shared>,
    Extension(holding): Extension<HeldMemory>,
    Parameters(Next { top }): Parameters<Next>,
) -> Result<Json<PairList>, Failure> {
    let top = top.unwrap_or(5);
    if !(1..=MOST).contains(&top) {
        return Err(Failure::request(format!("`top` is {top}; it may be 1 to {MOST}")));
    }
    holding.keep(state.answers.take(top * PAIR_BYTES).await);
    blocking(move || {
        let pairs = state.pairs()?;
        let NextPairs { questions, labels, matches } = pairs.next(top)?;
        let pairs = questions.iter().map(|question| ListedPair::of(pairs, question.pair, question.probability));
        Ok(Json(PairList { labels, matches, pairs: pairs.collect() }))
    })
    .await?
}

impl ListedPair {
    fn of(Pairs { tables, .. }: &Pairs, pair: RecordPair, probability: f64) -> Self {
        let (left, right) = tables.tables().records(pair);
        let column = |(name, left, right): (&str, &str, &str)| {
            let [name, left, right] = [name, left, right].map(str::to_owned);
            ColumnOfPair { name, left, right }
        };
        Self {
            left: tables.left.row_name(pair.left),
            right: tables.right().row_name(pair.right),
            probability,
            columns: side_by_side(left, right).into_iter().map(column).collect(),
        }
    }
}

/// A label of a pair to save.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelRequest {
    /// Id or row of the first record, as the list has it.
    left: String,
    /// Id or row of the second record.
    right: String,
    /// True if both stand for the same thing; `null` if that is not sure, which takes a label back.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    same: Option<bool>,
}

/// Saves the label of a pair. It is on the disk before the answer.
#[utoipa::path(post, path = "/v1/pairs/labels", tag = "pairs", request_body(content = LabelRequest),
    responses((status = 201, description = "The label is on the disk", body = Saved), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn label(
    State(state): State<Shared>,
    Body(LabelRequest { left, right, same }): Body<LabelRequest>,
) -> Result<(StatusCode, Json<Saved>), Failure> {
    blocking(move || match state.pairs()?.label(&left, &right, same) {
        Ok(true) => Ok((StatusCode::CREATED, Json(Saved { saved: 1 }))),
        Ok(false) => {
            let message = format!("the pair of \"{}\" and \"{}\" was not asked for", excerpt(&left), excerpt(&right));
            Err(Failure::not_found(message).hint("`GET /v1/pairs` lists those that can be labelled"))
        }
        Err(error) => Err(Failure::internal(&error)),
    })
    .await?
}

/// Returns the labels as a table, which `truename dedupe --labels` reads.
#[utoipa::path(get, path = "/v1/pairs/labels", tag = "pairs",
    responses((status = 200, description = "The table", body = String, content_type = "text/csv"), (status = "4XX", description = "A mistake in the request", body = FailureBody), (status = "5XX", description = "A failure of the server, or too many requests", body = FailureBody)))]
pub(super) async fn labels(State(state): State<Shared>) -> Result<Response, Failure> {
    let csv = blocking(move || Ok::<_, Failure>(state.pairs()?.csv())).await??;
    Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], csv).into_response())
}
